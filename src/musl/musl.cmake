# SPDX-License-Identifier: GPL-3.0-or-later
# imp_musl.o: the elementary functions (sin, pow, erf ...) of musl's mathematical library
# under names of our own, so that results do not depend on the C library of the system.
# Without musl's archive the functions of the C library serve; `imp --version` tells which.
# Gives musl_object (empty without it), musl_version and use_musl(TARGET).
set(musl_object)
string(REPLACE "-gnu" "-musl" musl_triple "${CMAKE_LIBRARY_ARCHITECTURE}")
if(NOT musl_triple)
  set(musl_triple ${CMAKE_SYSTEM_PROCESSOR}-linux-musl)
endif()
find_file(IMP_MUSL_LIBC libc.a PATHS /usr/lib/${musl_triple} /usr/${musl_triple}/lib
  /usr/lib/musl/lib /usr/local/musl/lib NO_DEFAULT_PATH
  DOC "static C library of musl")

# the members of libc.a that hold these functions, and what they call
set(musl_members acos acosh asin asinh atan atan2 atanh cbrt cos cosh erf exp exp2 expm1
  fmod hypot lgamma_r log log10 log1p log2 pow sin sinh tan tanh tgamma
  __cos __sin __tan __expo2 __rem_pio2 __rem_pio2_large __math_divzero __math_invalid
  __math_oflow __math_uflow __math_xflow exp_data log_data log2_data pow_data
  fabs floor scalbn sqrt)
set(musl_functions acos acosh asin asinh atan atan2 atanh cbrt cos cosh erf erfc exp exp2
  expm1 fmod hypot lgamma_r log log10 log1p log2 pow sin sinh tan tanh tgamma)

if(IMP_MUSL_LIBC AND NOT EMSCRIPTEN)
  include(${CMAKE_CURRENT_LIST_DIR}/object.cmake)
  musl_make_object(${CMAKE_BINARY_DIR}/musl)
endif()
if(musl_object)
  # the shared library beside the archive tells its version
  get_filename_component(musl_folder ${IMP_MUSL_LIBC} DIRECTORY)
  set(musl_version "of unknown version")
  if(EXISTS ${musl_folder}/libc.so)
    file(STRINGS ${musl_folder}/libc.so musl_numbers REGEX "^[0-9]+[.][0-9]+[.][0-9]+$")
    if(musl_numbers)
      list(GET musl_numbers 0 musl_version)
    endif()
  endif()
  message(STATUS "elementary functions: musl ${musl_version} (${IMP_MUSL_LIBC})")
elseif(NOT EMSCRIPTEN)
  message(WARNING "elementary functions: those of the C library. Results then agree to "
    "the last bit on this system only, not with the pages in a browser nor with other "
    "systems; install musl-dev (Debian: apt install musl-dev) and configure anew, or "
    "give -DIMP_MUSL_LIBC=.../libc.a")
endif()

# lets a target's <math.h> lead to them
function(use_musl target)
  if(musl_object)
    target_include_directories(${target} BEFORE PRIVATE ${CMAKE_SOURCE_DIR}/src/musl)
    target_compile_definitions(${target} PRIVATE IMP_MUSL)
  endif()
endfunction()
if(musl_object)
  set_source_files_properties(${musl_object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
endif()
