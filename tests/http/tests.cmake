add_library(feeds_http_toy STATIC ${CMAKE_CURRENT_LIST_DIR}/toy_server.cc
                                  ${CMAKE_CURRENT_LIST_DIR}/../support/raw_client.cc)
target_link_libraries(feeds_http_toy PUBLIC feeds_http feeds_tests_pch)
target_precompile_headers(feeds_http_toy REUSE_FROM feeds_tests_pch)
feeds_test(http_test http feeds_http_toy)
