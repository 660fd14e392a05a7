feeds_test(config_test unit/config feeds_config)
