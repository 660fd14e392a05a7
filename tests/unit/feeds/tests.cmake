feeds_test(feeds_unit_test unit/feeds feeds_feeds)
