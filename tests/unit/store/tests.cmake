feeds_test(store_test unit/store feeds_store)
