# SPDX-License-Identifier: GPL-3.0-or-later
# several static archives into one: -DAR= -DOUT= -DIN=a.a;b.a
# -DLD=: their objects become one object first, which links in half of the time;
# where that linker cannot do so, they stay as they are
file(REMOVE ${OUT})
if(LD)
  execute_process(COMMAND ${LD} -r -o ${OUT}.o --whole-archive ${IN}
    RESULT_VARIABLE bad OUTPUT_QUIET ERROR_QUIET)
  if(NOT bad)
    execute_process(COMMAND ${AR} rcs ${OUT} ${OUT}.o RESULT_VARIABLE bad)
    file(REMOVE ${OUT}.o)
  endif()
  if(NOT bad)
    return()
  endif()
endif()
set(script "CREATE ${OUT}\n")
foreach(f ${IN})
  string(APPEND script "ADDLIB ${f}\n")
endforeach()
string(APPEND script "SAVE\nEND\n")
file(WRITE ${OUT}.mri "${script}")
execute_process(COMMAND ${AR} -M INPUT_FILE ${OUT}.mri RESULT_VARIABLE bad)
if(bad)
  message(FATAL_ERROR "cannot make ${OUT}")
endif()
