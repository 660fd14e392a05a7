feeds_test(read_api_test unit/read_api feeds_read_api)
