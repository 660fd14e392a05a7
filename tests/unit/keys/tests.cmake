feeds_test(keys_test unit/keys feeds_keys)
