# SPDX-License-Identifier: GPL-3.0-or-later
# Unit tests: tests/unit/<folder of src>_<what>.c. Each is linked with its folder of
# src and with all that this folder may call.
file(GLOB unit CONFIGURE_DEPENDS tests/unit/*.c)
foreach(f ${unit})
  get_filename_component(n ${f} NAME_WE)
  string(REGEX REPLACE "_.*" "" r ${n})
  add_executable(test_${n} ${f})
  set(libs_base imp_base)
  set(libs_syntax imp_syntax imp_base)
  set(libs_calculus imp_calculus imp_runtime imp_base)
  set(libs_runtime imp_mechanics imp_check imp_calculus imp_syntax imp_analysis imp_output imp_runtime imp_table imp_base)
  set(libs_check imp_check imp_calculus imp_syntax imp_runtime imp_table imp_base)
  set(libs_codegen imp_calculus imp_runtime imp_base dl)
  set(libs_gsl imp_runtime imp_base dl)
  set(libs_output imp_output imp_runtime imp_base)
  set(libs_mechanics imp_mechanics imp_check imp_calculus imp_syntax imp_analysis imp_output imp_runtime imp_table imp_base)
  set(libs_analysis imp_mechanics imp_check imp_calculus imp_syntax imp_analysis imp_output imp_runtime imp_table imp_base)
  set(libs_cli imp_cli imp_mechanics imp_check imp_calculus imp_syntax imp_analysis imp_output imp_runtime imp_table imp_base dl)
  target_link_libraries(test_${n} -Wl,--start-group ${libs_${r}} -Wl,--end-group
    ${CMOCKA_LIBRARIES} ${GSL_LIBRARIES} Threads::Threads m)
  target_compile_options(test_${n} PRIVATE -Wno-conversion)
  target_compile_definitions(test_${n} PRIVATE
    IMP_SOURCE_DIR="${CMAKE_SOURCE_DIR}" IMP_BINARY_DIR="${CMAKE_BINARY_DIR}")
  add_test(NAME ${n} COMMAND test_${n})
  set_tests_properties(${n} PROPERTIES TIMEOUT 300)
endforeach()
# the bits of the elementary functions
add_executable(elementary_hash tests/elementary/hash.c)
target_link_libraries(elementary_hash imp_runtime imp_base m)
add_test(NAME elementary COMMAND sh ${CMAKE_SOURCE_DIR}/tests/elementary/run.sh
  ${CMAKE_BINARY_DIR} $<TARGET_FILE:elementary_hash>)
set_tests_properties(elementary PROPERTIES SKIP_RETURN_CODE 77)
if(HDF5_FOUND)
  foreach(t file table)
    add_executable(test_hdf5_${t} tests/hdf5/${t}.c)
    target_include_directories(test_hdf5_${t} SYSTEM PRIVATE
      ${HDF5_INCLUDE_DIRS})
    target_link_directories(test_hdf5_${t} PRIVATE ${HDF5_LIBRARY_DIRS})
    target_link_libraries(test_hdf5_${t} ${HDF5_LIBRARIES} ${CMOCKA_LIBRARIES}
      ${CMAKE_DL_LIBS} m)
    target_compile_definitions(test_hdf5_${t} PRIVATE
      IMP_BINARY_DIR="${CMAKE_BINARY_DIR}")
    add_dependencies(test_hdf5_${t} imph5 imp)
    add_test(NAME hdf5_${t} COMMAND test_hdf5_${t})
    set_tests_properties(hdf5_${t} PROPERTIES TIMEOUT 300)
  endforeach()
endif()
if(GSL_FOUND)
  foreach(t runtime_joints analysis_branches analysis_friction analysis_fit
    analysis_reference)
    target_compile_definitions(test_${t} PRIVATE HAVE_GSL)
  endforeach()
endif()
set_tests_properties(gsl_follow PROPERTIES SKIP_RETURN_CODE 77)
if(TARGET impgsl)
  add_dependencies(test_gsl_follow impgsl)
endif()
# 10^4 cases of every identity: half a minute alone, but not on a busy machine
set_tests_properties(cli_identities PROPERTIES TIMEOUT 900)
# a thousand random pairs of each kind of touch
set_tests_properties(runtime_first_touch PROPERTIES
  ENVIRONMENT IMP_TEST_CASES=1000)
if(EXISTS ${CMAKE_SOURCE_DIR}/tests/golden.cmake)
  include(tests/golden.cmake)
endif()
# Fuzzing: tests/fuzz/fuzz_<what>.c. In the preset `fuzz` libFuzzer drives these
# programs; in all other presets round.c does, for a few seconds.
set(fuzz_compiler imp_mechanics imp_check imp_calculus imp_syntax imp_analysis
  imp_output imp_runtime imp_table imp_base)
set(fuzz_program imp_cli ${fuzz_compiler} ${EDIT_LIBRARIES} Threads::Threads
  ${CMAKE_DL_LIBS})
set(libs_parse imp_syntax imp_base)
set(libs_check ${fuzz_compiler})
set(libs_run ${fuzz_program})
set(libs_files ${fuzz_program})
set(round_parse 3000)
set(round_check 1000)
set(round_run 400)
set(round_files 200)
file(GLOB fuzz CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
file(GLOB fuzz_seeds CONFIGURE_DEPENDS tests/fuzz/seeds/*.imp
  tests/fuzz/found/*.imp)
add_library(fuzz_mutate OBJECT tests/fuzz/mutate.c)
if(IMP_FUZZ)
  add_custom_target(fuzz)
endif()
foreach(f ${fuzz})
  get_filename_component(n ${f} NAME_WE)
  string(REPLACE "fuzz_" "" r ${n})
  set(with)
  if(NOT r STREQUAL "files") # this one damages files that are no models
    set(with $<TARGET_OBJECTS:fuzz_mutate>)
  endif()
  if(IMP_FUZZ)
    add_executable(${n} ${f} ${with})
    target_link_options(${n} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzz ${n})
  else()
    set(n round_${r})
    add_executable(${n} ${f} ${with} tests/fuzz/round.c)
    add_test(NAME fuzz_${r} COMMAND ${n} ${round_${r}} ${fuzz_seeds})
    set_tests_properties(fuzz_${r} PROPERTIES LABELS program TIMEOUT 600)
  endif()
  target_link_libraries(${n} -Wl,--start-group ${libs_${r}} -Wl,--end-group m)
endforeach()
# The soak: random models and relations between their runs. The same seeds every
# time; `./dev soak` takes others.
file(GLOB soak CONFIGURE_DEPENDS tests/soak/*.c)
add_executable(imp_soak ${soak})
target_link_libraries(imp_soak m)
add_test(NAME soak COMMAND imp_soak --imp $<TARGET_FILE:imp> --seed 1 --count 32
  --seconds 400 --known ${CMAKE_SOURCE_DIR}/tests/soak/known)
add_test(NAME soak-discs COMMAND imp_soak --imp $<TARGET_FILE:imp> --seed 1 --count 8
  --kind discs --check search)
add_test(NAME soak-mixtures COMMAND imp_soak --imp $<TARGET_FILE:imp> --seed 1 --count 6
  --kind mixtures --check search)
add_test(NAME soak-bends COMMAND imp_soak --imp $<TARGET_FILE:imp> --seed 1 --count 6
  --kind valleys --check bends)
# What it found once: an impact that the second engine took back, and one that
# was told nowhere.
add_test(NAME soak-engine COMMAND imp_soak --imp $<TARGET_FILE:imp> --seed 3 --count 1
  --kind troughs --check engine)
add_test(NAME soak-impact COMMAND imp_soak --imp $<TARGET_FILE:imp> --seed 150057 --count 1
  --kind system-laws)
# An error of a limit that left out what rounding had changed some impacts before.
add_test(NAME soak-limit COMMAND imp_soak --imp $<TARGET_FILE:imp> --seed 192020 --count 1
  --kind bodies --check rotation)
# A box and a polygon between walls, which a stick of one instant parts or not: rounding
# decides, as `engine = perturbed` says.
add_test(NAME soak-rounding COMMAND imp_soak --imp $<TARGET_FILE:imp> --seed 20261215005
  --count 1 --check doubled)
add_test(NAME soak-mechanisms COMMAND imp_soak --imp $<TARGET_FILE:imp> --seed 1
  --count 2 --kind mechanisms)
add_test(NAME soak-rotors COMMAND imp_soak --imp $<TARGET_FILE:imp> --seed 1 --count 4
  --kind rotors)
add_test(NAME soak-grounds COMMAND imp_soak --imp $<TARGET_FILE:imp> --seed 1 --count 3
  --kind grounds)
add_test(NAME soak-plates COMMAND imp_soak --imp $<TARGET_FILE:imp> --seed 1 --count 6
  --kind plates --check audit)
add_test(NAME soak-bearings COMMAND imp_soak --imp $<TARGET_FILE:imp> --seed 1 --count 2
  --kind bearings)
add_test(NAME soak-supports COMMAND imp_soak --imp $<TARGET_FILE:imp> --seed 1 --count 12
  --kind supports --check system)
add_test(NAME soak-powers COMMAND imp_soak --imp $<TARGET_FILE:imp> --seed 20261900003
  --count 2 --kind powers)
add_test(NAME soak-carts COMMAND imp_soak --imp $<TARGET_FILE:imp> --seed 20265000000
  --count 5 --kind carts --check integral)
# models of the tests with changes: they end well
add_test(NAME soak-changed COMMAND imp_soak --imp $<TARGET_FILE:imp> --kind changed
  --root ${CMAKE_SOURCE_DIR} --seed 1 --count 144 --seconds 300)
set_tests_properties(soak soak-bends soak-changed soak-discs soak-mixtures soak-engine soak-impact soak-limit
  soak-mechanisms soak-rotors soak-rounding soak-grounds soak-plates
  soak-bearings soak-supports soak-powers soak-carts PROPERTIES LABELS program TIMEOUT 600)
# Tests run beside each other, as many as there are cores. These run alone: golden_run
# uses two cores itself, the others stop programs after a time or ask for memory.
set_tests_properties(golden_run golden_cli hostile oom sweep-kill sweep-ahead cli_repl
  cli_memory PROPERTIES RUN_SERIAL TRUE)
