# The HTTP API, asked from outside: real programs on loopback.
file(GLOB api_support CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cc)
list(FILTER api_support EXCLUDE REGEX "_test\\.cc$")
add_library(feeds_api_support STATIC ${api_support})
target_link_libraries(feeds_api_support PUBLIC feeds_json feeds_test_support)
target_precompile_headers(feeds_api_support REUSE_FROM feeds_tests_pch)
feeds_test(api_test api feeds_api_support)
# The programs are found beside the test's own.
add_dependencies(api_test feeds-primary feeds-replica)
