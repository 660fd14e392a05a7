feeds_test(http_unit_test unit/http feeds_http)
