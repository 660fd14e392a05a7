# The README's tour, as printed, against a cluster of its own.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME readme_tour
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/tour_test.py ${PROJECT_SOURCE_DIR}/README.md
                 $<TARGET_FILE_DIR:feedctl>)
