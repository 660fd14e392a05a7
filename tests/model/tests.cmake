feeds_test(model_test model feeds_commands feeds_feeds)
