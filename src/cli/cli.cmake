# SPDX-License-Identifier: GPL-3.0-or-later
# imp, libimp (the C API), and libimprt.a: what a simulator links.

set(cli_lib_srcs ${cli_srcs})
list(FILTER cli_lib_srcs EXCLUDE REGEX "/cli/main\\.c$")
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/cli/code/where.c
  PROPERTIES COMPILE_DEFINITIONS "IMP_PREFIX=\"${CMAKE_INSTALL_PREFIX}\"")
# `imp --version`: what Imp was built with
set(versions "IMP_VERSION=\"${PROJECT_VERSION}\""
  "IMP_EDIT_VERSION=\"${EDIT_VERSION}\""
  "IMP_UTF8PROC_VERSION=\"${UTF8PROC_VERSION}\"")
if(TARGET impgen)
  list(APPEND versions "IMP_LLVM_VERSION=\"${llvm_version}\"")
endif()
if(musl_object)
  list(APPEND versions "IMP_MUSL_VERSION=\"${musl_version}\"")
endif()
if(TARGET imph5)
  list(APPEND versions "IMP_HDF5_VERSION=\"${HDF5_VERSION}\"")
endif()
if(TARGET impgsl)
  list(APPEND versions "IMP_GSL_VERSION=\"${GSL_VERSION}\"")
endif()
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/cli/code/version.c
  PROPERTIES COMPILE_DEFINITIONS "${versions}")
add_library(imp_cli STATIC ${cli_lib_srcs})
use_musl(imp_cli)
target_include_directories(imp_cli PRIVATE ${EDIT_INCLUDE_DIRS})
target_link_libraries(imp_cli PUBLIC imp_view)
set(group -Wl,--start-group imp_cli ${compiler} ${core} -Wl,--end-group)

# one program; nothing beside it is needed to check and format
if(EXISTS ${CMAKE_SOURCE_DIR}/src/cli/main.c)
  add_executable(imp src/cli/main.c)
  target_link_libraries(imp ${group} ${EDIT_LIBRARIES} Threads::Threads
    ${CMAKE_DL_LIBS} m)
  if(IMP_SANITIZE)
    target_compile_definitions(imp PRIVATE IMP_SANITIZED)
  endif()
  set_target_properties(imp PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  if(TARGET impgen)
    add_dependencies(imp impgen)
  endif()
  if(TARGET imph5)
    add_dependencies(imp imph5)
  endif()
  if(TARGET impgsl)
    add_dependencies(imp impgsl)
  endif()
endif()

# The permissive core as one archive (MIT; neither LLVM nor GSL).
set(merge ${CMAKE_SOURCE_DIR}/src/cli/merge.cmake)
set(rt_rooms)
foreach(r base table runtime output analysis)
  get_target_property(type imp_${r} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    list(APPEND rt_rooms imp_${r})
  endif()
endforeach()
set(rt_files)
foreach(t ${rt_rooms})
  list(APPEND rt_files $<TARGET_FILE:${t}>)
endforeach()
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/libimprt.a
  COMMAND ${CMAKE_COMMAND} -DAR=${CMAKE_AR} -DLD=${CMAKE_LINKER}
          -DOUT=${CMAKE_BINARY_DIR}/libimprt.a "-DIN=${rt_files}" -P ${merge}
  DEPENDS ${rt_rooms} ${merge} VERBATIM)
add_custom_target(imprt ALL DEPENDS ${CMAKE_BINARY_DIR}/libimprt.a)
if(TARGET imp)
  add_dependencies(imp imprt)
endif()

# the C API: libimp.so, and all of it as libimp.a
if(EXISTS ${CMAKE_SOURCE_DIR}/src/cli/api.c)
  add_library(libimp SHARED src/cli/api.c src/cli/api_results.c)
  set_target_properties(libimp PROPERTIES OUTPUT_NAME imp
    VERSION ${PROJECT_VERSION} SOVERSION 0
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  target_link_options(libimp PRIVATE -Wl,--exclude-libs,ALL)
  target_link_libraries(libimp PRIVATE ${group} Threads::Threads
    ${CMAKE_DL_LIBS} m)
  set(all_rooms imp_cli imp_view ${compiler} ${rt_rooms})
  set(all_files)
  foreach(t ${all_rooms})
    list(APPEND all_files $<TARGET_FILE:${t}>)
  endforeach()
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/libimp.a
    COMMAND ${CMAKE_COMMAND} -DAR=${CMAKE_AR}
            -DOUT=${CMAKE_BINARY_DIR}/libimp.a "-DIN=${all_files}" -P ${merge}
    DEPENDS ${all_rooms} ${merge} VERBATIM)
  add_custom_target(libimp_static ALL DEPENDS ${CMAKE_BINARY_DIR}/libimp.a)
endif()

# bin/imp, lib/imp/{libimpgen.so,libimprt.a}, lib/libimp.*, include/imp/imp.h, and how
# pkg-config and find_package find the C API
include(GNUInstallDirs)
if(TARGET imp)
  install(TARGETS imp RUNTIME DESTINATION bin)
endif()
if(TARGET libimp)
  install(TARGETS libimp LIBRARY DESTINATION lib)
  install(FILES ${CMAKE_BINARY_DIR}/libimp.a DESTINATION lib)
  include(CMakePackageConfigHelpers)
  configure_file(src/cli/imp.pc.in ${CMAKE_BINARY_DIR}/imp.pc @ONLY)
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/imp-config-version.cmake
    VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/imp.pc DESTINATION lib/pkgconfig)
  install(FILES src/cli/imp-config.cmake
    ${CMAKE_BINARY_DIR}/imp-config-version.cmake DESTINATION lib/cmake/imp)
endif()
install(FILES ${CMAKE_BINARY_DIR}/libimprt.a DESTINATION lib/imp)
install(FILES src/include/imp/imp.h DESTINATION include/imp)
install(FILES README.md LICENSE DESTINATION share/doc/imp)
