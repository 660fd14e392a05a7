feeds_test(feedctl_test unit/feedctl feeds_feedctl)
