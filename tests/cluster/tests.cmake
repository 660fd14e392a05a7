# Real processes, sockets and disks. A program a *_test.cc, so that they show, and time out, one by one.
add_library(feeds_test_cluster STATIC ${CMAKE_CURRENT_LIST_DIR}/load.cc)
target_link_libraries(feeds_test_cluster PUBLIC feeds_test_support)
target_precompile_headers(feeds_test_cluster REUSE_FROM feeds_tests_pch)

file(GLOB cluster_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*_test.cc)
foreach(source ${cluster_tests})
  get_filename_component(name ${source} NAME_WE)
  set(name cluster_${name})
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE feeds_test_cluster GTest::gtest_main)
  target_precompile_headers(${name} REUSE_FROM feeds_tests_pch)
  # The programs are found beside the test's own.
  add_dependencies(${name} feeds-primary feeds-replica feedctl)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 600)
endforeach()
