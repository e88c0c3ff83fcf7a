# SPDX-License-Identifier: GPL-3.0-or-later
# libimpgen.so: the only part of Imp that knows LLVM. IMP_LLVM chooses the version
# (reference 19, floor 14); one source.
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
ask_llvm(llvm_libdir --libdir)
string(REGEX REPLACE "\\..*" "" llvm_major "${llvm_version}")
if(llvm_major LESS 14)
  message(FATAL_ERROR "LLVM ${llvm_version} found, 14 or newer is needed")
elseif(llvm_major GREATER 19)
  message(WARNING "LLVM ${llvm_version} is newer than the newest tested (19)")
endif()

# What is used of LLVM becomes part of the library where LLVM's archives are
# here: the whole shared library of LLVM takes four times as long to load, with
# its targets and what it depends on itself, and every run that makes machine
# code, or finds it in the cache, has to load it.
option(IMP_LLVM_STATIC "link LLVM's archives into libimpgen.so if they work" ON)
set(static_libs)
if(IMP_LLVM_STATIC)
  execute_process(COMMAND ${llvm_config} --link-static --libs native asmprinter
      orcjit passes
    OUTPUT_VARIABLE archives OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE absent ERROR_QUIET)
  # the runtime libraries are there wherever LLVM's own is, others not always
  find_library(ZLIB_FOR_LLVM NAMES z libz.so.1)
  find_library(ZSTD_FOR_LLVM NAMES zstd libzstd.so.1)
  mark_as_advanced(ZLIB_FOR_LLVM ZSTD_FOR_LLVM)
  if(NOT absent)
    string(REPLACE " " ";" static_libs "${archives}")
    foreach(lib ZLIB_FOR_LLVM ZSTD_FOR_LLVM)
      if(${lib})
        list(APPEND static_libs ${${lib}})
      endif()
    endforeach()
    list(APPEND static_libs stdc++ Threads::Threads ${CMAKE_DL_LIBS} m)
    include(CheckCSourceCompiles)
    set(CMAKE_REQUIRED_INCLUDES ${llvm_inc})
    set(CMAKE_REQUIRED_LINK_OPTIONS -L${llvm_libdir} -Wl,--gc-sections)
    set(CMAKE_REQUIRED_LIBRARIES ${static_libs})
    check_c_source_compiles("
      #include <llvm-c/LLJIT.h>
      #include <llvm-c/Target.h>
      #include <llvm-c/Transforms/PassBuilder.h>
      int main(void)
      {
          LLVMInitializeNativeTarget();
          LLVMInitializeNativeAsmPrinter();
          LLVMRunPasses(0, 0, 0, 0);
          LLVMOrcCreateLLJIT(0, 0);
          return 0;
      }" IMP_LLVM_${llvm_version}_ARCHIVES)
    unset(CMAKE_REQUIRED_INCLUDES)
    unset(CMAKE_REQUIRED_LINK_OPTIONS)
    unset(CMAKE_REQUIRED_LIBRARIES)
  endif()
endif()
if(static_libs AND IMP_LLVM_${llvm_version}_ARCHIVES)
  message(STATUS "LLVM ${llvm_version}, its archives")
  set(llvm_libs ${static_libs} -Wl,--gc-sections)
  install(FILES ${CMAKE_SOURCE_DIR}/LICENSES/llvm.txt
    DESTINATION share/doc/imp)
else()
  message(STATUS "LLVM ${llvm_version}, its shared library")
  ask_llvm(llvm_libs --link-shared --libs)
  string(REPLACE " " ";" llvm_libs "${llvm_libs}")
endif()

add_library(impgen SHARED ${gen_srcs})
target_include_directories(impgen SYSTEM PRIVATE ${llvm_inc})
target_link_libraries(impgen PRIVATE imp_base -L${llvm_libdir} ${llvm_libs}
  Threads::Threads)
target_link_options(impgen PRIVATE -Wl,--exclude-libs,ALL -Wl,--no-undefined)
set_target_properties(impgen PROPERTIES
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
install(TARGETS impgen LIBRARY DESTINATION lib/imp)
