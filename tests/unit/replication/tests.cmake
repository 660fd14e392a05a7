add_library(feeds_test_proxy STATIC ${CMAKE_CURRENT_LIST_DIR}/../../support/proxy.cc)
target_link_libraries(feeds_test_proxy PUBLIC feeds_tests_pch)
target_precompile_headers(feeds_test_proxy REUSE_FROM feeds_tests_pch)

add_library(feeds_test_nodes STATIC ${CMAKE_CURRENT_LIST_DIR}/nodes.cc)
target_link_libraries(feeds_test_nodes PUBLIC feeds_test_proxy feeds_source feeds_link feeds_keys)
target_precompile_headers(feeds_test_nodes REUSE_FROM feeds_tests_pch)

feeds_test(replication_test unit/replication feeds_test_nodes)
