# SPDX-License-Identifier: GPL-3.0-or-later
# musl_make_object(FOLDER): FOLDER/imp_musl.o out of musl's libc.a. Sets musl_object in the
# scope of the caller if that worked, and says why if it did not.

function(musl_step what)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${folder}
    RESULT_VARIABLE bad OUTPUT_VARIABLE out ERROR_VARIABLE said)
  if(bad)
    message(WARNING "musl: ${what} failed: ${said}")
    set(musl_failed TRUE PARENT_SCOPE)
  endif()
endfunction()

function(musl_make_object folder)
  set(object ${folder}/imp_musl.o)
  set(musl_failed FALSE)
  file(MAKE_DIRECTORY ${folder})
  set(files)
  foreach(m ${musl_members})
    list(APPEND files ${m}.lo)
  endforeach()
  musl_step("taking members from ${IMP_MUSL_LIBC}" ${CMAKE_AR} x ${IMP_MUSL_LIBC} ${files})
  if(NOT musl_failed)
    musl_step("joining them" ${CMAKE_LINKER} -r -o joined.o ${files})
  endif()
  if(NOT musl_failed)
    # everything becomes ours and local but the functions; what is left without a
    # definition is the business of whoever links
    set(keep)
    foreach(f ${musl_functions})
      list(APPEND keep --keep-global-symbol=imp_musl_${f} --redefine-sym ${f}=imp_musl_${f})
    endforeach()
    musl_step("renaming them" ${CMAKE_OBJCOPY} --strip-unneeded ${keep} joined.o imp_musl.o)
  endif()
  if(musl_failed)
    return()
  endif()
  # every function is there, and nothing is asked for but what compilers themselves call
  execute_process(COMMAND ${CMAKE_NM} -g ${object} OUTPUT_VARIABLE symbols)
  foreach(f ${musl_functions})
    if(NOT symbols MATCHES "[TW] imp_musl_${f}\n")
      message(WARNING "musl: ${IMP_MUSL_LIBC} has no ${f}")
      return()
    endif()
  endforeach()
  string(REGEX MATCHALL "U [^\n]+" asked "${symbols}")
  list(REMOVE_ITEM asked "U memcpy" "U __stack_chk_fail" "U __stack_chk_guard"
    "U _GLOBAL_OFFSET_TABLE_")
  if(asked)
    message(WARNING "musl: the functions of ${IMP_MUSL_LIBC} need more than is known "
      "here: ${asked}")
    return()
  endif()
  set(musl_object ${object} PARENT_SCOPE)
endfunction()
