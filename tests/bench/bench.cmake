# SPDX-License-Identifier: GPL-3.0-or-later
# imp-bench: speed, against what was promised and against GSL
if(GSL_FOUND AND TARGET imp)
  file(GLOB bench CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/bench/*.c)
  add_executable(imp-bench ${bench})
  target_include_directories(imp-bench PRIVATE ${CMAKE_SOURCE_DIR}/tests/bench)
  target_compile_definitions(imp-bench PRIVATE
    IMP_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_compile_options(imp-bench PRIVATE -Wno-conversion)
  target_link_libraries(imp-bench ${group} ${EDIT_LIBRARIES} ${GSL_LIBRARIES}
    Threads::Threads ${CMAKE_DL_LIBS} m)
  set_target_properties(imp-bench PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  add_dependencies(imp-bench imp)
endif()
