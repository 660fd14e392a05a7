feeds_test(commit_test unit/commit feeds_commands feeds_feeds)
