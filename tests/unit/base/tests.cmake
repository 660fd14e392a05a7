feeds_test(base_unit_test unit/base feeds_base)
