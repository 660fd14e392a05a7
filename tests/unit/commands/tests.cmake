feeds_test(commands_test unit/commands feeds_commands feeds_feeds)
