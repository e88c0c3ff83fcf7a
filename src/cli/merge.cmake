# SPDX-License-Identifier: GPL-3.0-or-later
# several static archives into one: -DAR= -DOUT= -DIN=a.a;b.a
set(script "CREATE ${OUT}\n")
foreach(f ${IN})
  string(APPEND script "ADDLIB ${f}\n")
endforeach()
string(APPEND script "SAVE\nEND\n")
file(REMOVE ${OUT})
file(WRITE ${OUT}.mri "${script}")
execute_process(COMMAND ${AR} -M INPUT_FILE ${OUT}.mri RESULT_VARIABLE bad)
if(bad)
  message(FATAL_ERROR "cannot make ${OUT}")
endif()
