find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME dev_test COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/dev_test.py
         ${PROJECT_SOURCE_DIR}/tools/dev)
