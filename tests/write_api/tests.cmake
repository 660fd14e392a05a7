# How a primary judges requests that write: bodies, ids, order of judgement.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME write_requests
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/requests_test.py $<TARGET_FILE_DIR:feeds-primary>)
add_test(NAME social_http
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/social_test.py $<TARGET_FILE_DIR:feeds-primary>)
