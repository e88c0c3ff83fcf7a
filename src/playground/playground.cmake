# SPDX-License-Identifier: GPL-3.0-or-later
# The playground: Imp as WebAssembly, and the page around it. The same CMakeLists.txt is
# configured twice: natively, where the target `playground` exists if emscripten and node
# are there, and by that target with emscripten's toolchain, in the folder `wasm` of the build.
set(play ${CMAKE_SOURCE_DIR}/src/playground)

if(EMSCRIPTEN)
  # emcc takes a second of its own for each file that it gives to clang. What it calls, with
  # which flags, it tells when it is asked once; the objects are the same.
  file(WRITE ${CMAKE_BINARY_DIR}/empty.c "extern int nothing;\n")
  execute_process(COMMAND ${CMAKE_C_COMPILER} -c -v ${CMAKE_BINARY_DIR}/empty.c
    -o ${CMAKE_BINARY_DIR}/empty.o ERROR_VARIABLE told OUTPUT_QUIET)
  if(told MATCHES "\"(/[^\"\n]*clang[^\"\n]*)\" (-target [^\n]*) -c -v ")
    set(CMAKE_C_COMPILE_OBJECT
      "${CMAKE_MATCH_1} ${CMAKE_MATCH_2} <DEFINES> <INCLUDES> <FLAGS> -o <OBJECT> -c <SOURCE>")
  endif()
  file(GLOB_RECURSE srcs CONFIGURE_DEPENDS src/cli/*.c)
  list(FILTER srcs EXCLUDE REGEX "/(main|api|repl_line)\\.c$")
  list(APPEND srcs ${play}/playground.c ${play}/unicode.c ${play}/missing.c
    ${play}/page_files.c)
  add_executable(imp_wasm ${srcs})
  set_source_files_properties(${CMAKE_SOURCE_DIR}/src/cli/code/version.c PROPERTIES
    COMPILE_DEFINITIONS
    "IMP_VERSION=\"${PROJECT_VERSION}\";IMP_EDIT_VERSION=\"none\";IMP_UTF8PROC_VERSION=\"none\";IMP_MUSL_VERSION=\"emscripten's\"")
  set_source_files_properties(${CMAKE_SOURCE_DIR}/src/cli/code/where.c PROPERTIES
    COMPILE_DEFINITIONS "IMP_PREFIX=\"/usr\"")
  target_link_libraries(imp_wasm -Wl,--start-group ${compiler} ${core} -Wl,--end-group)
  # 8 MB of stack, as main.c wants natively; memory grows up to what a page may have
  target_link_options(imp_wasm PRIVATE --no-entry -sMODULARIZE=1 -sEXPORT_NAME=impModule
    -sTOTAL_STACK=8388608 -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=2147483648
    -sFORCE_FILESYSTEM=1 -sENVIRONMENT=worker,web,node -sEXIT_RUNTIME=0
    -sEXPORTED_RUNTIME_METHODS=FS,ccall,UTF8ToString -sEXPORTED_FUNCTIONS=_malloc,_free
    -sERROR_ON_UNDEFINED_SYMBOLS=1)
  set_target_properties(imp_wasm PROPERTIES OUTPUT_NAME imp SUFFIX .js
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  # the bits of the elementary functions, in one file for node
  add_executable(hash_wasm ${CMAKE_SOURCE_DIR}/tests/elementary/hash.c)
  target_link_libraries(hash_wasm imp_runtime imp_base m)
  target_link_options(hash_wasm PRIVATE -sSINGLE_FILE=1 -sENVIRONMENT=node)
  set_target_properties(hash_wasm PROPERTIES SUFFIX .js
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  return()
endif()

find_program(IMP_EMCC emcc)
find_program(IMP_NODE node)
set(toolchain /usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake
  CACHE FILEPATH "emscripten's toolchain file for CMake")
set(playground_page)
if(IMP_EMCC AND IMP_NODE AND EXISTS ${toolchain})
  set(wasm ${CMAKE_BINARY_DIR}/wasm)
  # Debian's emscripten finds its JavaScript packages for Debian's own node only
  set(emenv ${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs)
  add_custom_command(OUTPUT ${wasm}/build.ninja
    COMMAND ${emenv} ${CMAKE_COMMAND} -G Ninja -S ${CMAKE_SOURCE_DIR} -B ${wasm}
      -DCMAKE_TOOLCHAIN_FILE=${toolchain} -DCMAKE_BUILD_TYPE=Release
      "-DCMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER}"
    VERBATIM)
  # ninja of the folder `wasm` knows what is out of date
  add_custom_target(wasm COMMAND ${emenv} ${CMAKE_COMMAND} --build ${wasm} --target imp_wasm hash_wasm
    DEPENDS ${wasm}/build.ninja VERBATIM)
  set(playground_page ${CMAKE_BINARY_DIR}/playground.html)
  add_custom_target(playground COMMAND ${IMP_NODE} ${play}/assemble.mjs ${CMAKE_SOURCE_DIR}
    ${wasm} ${playground_page} DEPENDS wasm VERBATIM)
else()
  message(STATUS "playground: not built, since emscripten or node is missing")
endif()
