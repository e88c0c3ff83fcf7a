# SPDX-License-Identifier: MIT
# libimph5.so: the only part of Imp that knows HDF5, loaded when a file in that
# format is written or read. Without libhdf5 it is not built, and such files are refused
# with the reason.
pkg_search_module(HDF5 hdf5 hdf5-serial)
if(HDF5_FOUND)
  add_library(imph5 SHARED src/hdf5/h5file.c src/hdf5/h5table.c)
  target_include_directories(imph5 SYSTEM PRIVATE ${HDF5_INCLUDE_DIRS})
  target_link_directories(imph5 PRIVATE ${HDF5_LIBRARY_DIRS})
  target_link_libraries(imph5 PRIVATE ${HDF5_LIBRARIES})
  target_link_options(imph5 PRIVATE -Wl,--no-undefined)
  set_target_properties(imph5 PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  install(TARGETS imph5 LIBRARY DESTINATION lib/imp)
else()
  message(STATUS "no libhdf5: sweeps and save write no .h5 files")
endif()
