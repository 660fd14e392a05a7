feeds_test(key_format_test unit/key_format feeds_key_format)
target_compile_definitions(key_format_test PRIVATE FEEDS_VECTORS="${PROJECT_SOURCE_DIR}/tests/vectors")
