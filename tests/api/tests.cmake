# The HTTP API, asked from outside: real programs on loopback.
file(GLOB api_support CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cc)
list(FILTER api_support EXCLUDE REGEX "_test\\.cc$")
add_library(feeds_api_support STATIC ${api_support})
target_link_libraries(feeds_api_support PUBLIC feeds_base feeds_json feeds_test_support feeds_tests_pch)
target_precompile_headers(feeds_api_support REUSE_FROM feeds_tests_pch)
target_compile_definitions(feeds_api_support PUBLIC FEEDS_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
add_dependencies(feeds_api_support feeds-primary feeds-replica)
feeds_test(api_test api feeds_api_support)
