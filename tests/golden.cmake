# SPDX-License-Identifier: GPL-3.0-or-later
# Tests of whole programs. Each is a script that runs imp many times.
foreach(kind bad run repl fmt cli)
  add_test(NAME golden_${kind} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/golden.sh
    check ${CMAKE_BINARY_DIR} ${kind})
  set_tests_properties(golden_${kind} PROPERTIES LABELS golden TIMEOUT 900)
endforeach()
add_test(NAME tutorial COMMAND sh ${CMAKE_SOURCE_DIR}/tests/tutorial.sh check
  ${CMAKE_BINARY_DIR})
set_tests_properties(tutorial PROPERTIES LABELS program TIMEOUT 300)
add_library(oom_nth SHARED tests/oom/nth.c)
foreach(what rooms hostile install docs codes remedies oom sweep-kill sweep-ahead
    engines)
  add_test(NAME ${what} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/${what}.sh
    ${CMAKE_BINARY_DIR})
  set_tests_properties(${what} PROPERTIES LABELS program TIMEOUT 600)
endforeach()

# the viewer and the playground: in a browser where there is one, and their bundles. The label
# `page` is what `./dev test core` leaves out.
foreach(what view_page view_bundle view_gltf view_vtk view_examples playground_examples playground_page playground_bundle
    site_build)
  string(REGEX REPLACE "_.*" "" of ${what})
  string(REGEX REPLACE ".*_" "" part ${what})
  add_test(NAME ${what} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/${of}/run.sh
    ${CMAKE_BINARY_DIR} ${part})
  set_tests_properties(${what} PROPERTIES LABELS "program;page" TIMEOUT 300
    SKIP_RETURN_CODE 77)
endforeach()

set_tests_properties(engines PROPERTIES SKIP_RETURN_CODE 77)

# a C program with two handles in two threads, compared with `imp run`
if(TARGET libimp)
  add_executable(capi_two tests/capi/two.c)
  target_link_libraries(capi_two libimp Threads::Threads)
  add_test(NAME capi COMMAND sh ${CMAKE_SOURCE_DIR}/tests/capi/run.sh
    ${CMAKE_BINARY_DIR})
  set_tests_properties(capi PROPERTIES LABELS program TIMEOUT 300)
endif()

# every example that has an `expect`
add_test(NAME examples COMMAND imp test ${CMAKE_SOURCE_DIR}/examples)
set_tests_properties(examples PROPERTIES LABELS program TIMEOUT 900)
