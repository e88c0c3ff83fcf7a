# SPDX-License-Identifier: GPL-3.0-or-later
# libimpgen.so: the only part of Imp that knows LLVM, and the only shared
# library. IMP_LLVM chooses the version (reference 19, floor 14); one source.
set(IMP_LLVM 19 CACHE STRING "major version of LLVM (14 .. 19)")
find_program(LLVM_CONFIG_${IMP_LLVM}
  NAMES llvm-config-${IMP_LLVM} llvm-config-${IMP_LLVM}-64 llvm-config
  HINTS /usr/lib/llvm-${IMP_LLVM}/bin)
set(llvm_config ${LLVM_CONFIG_${IMP_LLVM}})
if(NOT llvm_config)
  message(FATAL_ERROR "llvm-config-${IMP_LLVM} is not here: install "
    "llvm-${IMP_LLVM}-dev, or choose another version with -DIMP_LLVM=14")
endif()
function(ask_llvm var)
  execute_process(COMMAND ${llvm_config} ${ARGN} OUTPUT_VARIABLE out
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(${var} "${out}" PARENT_SCOPE)
endfunction()
ask_llvm(llvm_version --version)
ask_llvm(llvm_inc --includedir)
ask_llvm(llvm_libs --link-shared --libs)
ask_llvm(llvm_libdir --libdir)
string(REGEX REPLACE "\\..*" "" llvm_major "${llvm_version}")
if(llvm_major LESS 14)
  message(FATAL_ERROR "LLVM ${llvm_version} found, 14 or newer is needed")
elseif(llvm_major GREATER 19)
  message(WARNING "LLVM ${llvm_version} is newer than the newest tested (19)")
endif()
message(STATUS "LLVM ${llvm_version}")
string(REPLACE " " ";" llvm_libs "${llvm_libs}")

add_library(impgen SHARED ${gen_srcs})
target_include_directories(impgen SYSTEM PRIVATE ${llvm_inc})
target_compile_definitions(impgen PRIVATE IMP_LLVM_VERSION="${llvm_version}")
target_link_libraries(impgen PRIVATE imp_base -L${llvm_libdir} ${llvm_libs}
  Threads::Threads)
target_link_options(impgen PRIVATE -Wl,--exclude-libs,ALL -Wl,--no-undefined)
set_target_properties(impgen PROPERTIES
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
install(TARGETS impgen LIBRARY DESTINATION lib/imp)
