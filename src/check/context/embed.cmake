# SPDX-License-Identifier: GPL-3.0-or-later
# Turns the files of FILES (a list) into one C file OUT of byte arrays with a
# table of name, text and length, in the order of their names.
#   cmake -DOUT=... -DFILES=a.imp;b.imp -P embed.cmake
list(SORT FILES)
set(text "/* made by embed.cmake from stdlib/ */\n#include \"check/context/stdlib.h\"\n\n")
string(APPEND text "const struct stdlib_file *stdlib_table(size_t *n);\n\n")
set(rows "")
set(count 0)
foreach(f ${FILES})
  get_filename_component(n ${f} NAME_WE)
  file(READ ${f} hex HEX)
  string(LENGTH "${hex}" len)
  math(EXPR len "${len} / 2")
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  string(APPEND text
    "static const unsigned char text_${count}[] = {\n${hex}0x00};\n")
  string(APPEND rows
    "    {\"${n}\", (const char *)text_${count}, ${len}},\n")
  math(EXPR count "${count} + 1")
endforeach()
string(APPEND text "static const struct stdlib_file table[] = {\n${rows}"
  "    {NULL, NULL, 0}};\n\nconst struct stdlib_file *\n"
  "stdlib_table(size_t *n)\n{\n    *n = ${count};\n    return table;\n}\n")
file(WRITE ${OUT} "${text}")
