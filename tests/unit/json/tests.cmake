feeds_test(json_test unit/json feeds_json)
