find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME house_rules COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/tidy.py)
add_test(NAME house_rules_test COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/house_rules_test.py
         ${PROJECT_SOURCE_DIR}/tools/tidy.py)
