# SPDX-License-Identifier: GPL-3.0-or-later
# libimpgsl.so: the only part of Imp that is linked with GSL, loaded when a run
# asks for `engine = gsl`. Without libgsl it is not built, and such runs are
# refused with the reason.
if(GSL_FOUND)
  file(GLOB gsl_srcs CONFIGURE_DEPENDS src/gsl/*.c)
  add_library(impgsl SHARED ${gsl_srcs})
  target_include_directories(impgsl SYSTEM PRIVATE ${GSL_INCLUDE_DIRS})
  target_link_directories(impgsl PRIVATE ${GSL_LIBRARY_DIRS})
  target_link_libraries(impgsl PRIVATE ${GSL_LIBRARIES})
  target_link_options(impgsl PRIVATE -Wl,--no-undefined)
  set_target_properties(impgsl PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  install(TARGETS impgsl LIBRARY DESTINATION lib/imp)
else()
  message(STATUS "no libgsl: simulate has no `engine = gsl`")
endif()
