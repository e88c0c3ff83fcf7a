# SPDX-License-Identifier: GPL-3.0-or-later
# find_package(imp): the target imp::imp is libimp.so with its header, in the folder that this
# file is installed in, wherever that has been moved to.
get_filename_component(imp_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET imp::imp)
  add_library(imp::imp SHARED IMPORTED)
  set_target_properties(imp::imp PROPERTIES
    IMPORTED_LOCATION "${imp_prefix}/lib/libimp.so" IMPORTED_SONAME libimp.so.0
    INTERFACE_INCLUDE_DIRECTORIES "${imp_prefix}/include")
endif()
