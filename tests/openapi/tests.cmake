# Every documented operation against a real primary; its replies against the document.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME openapi_replies
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/openapi_test.py $<TARGET_FILE_DIR:feedctl>)
