# SPDX-License-Identifier: GPL-3.0-or-later
# The viewer's files as bytes of the program. Its script is a bundle that is
# committed; only who changes the viewer needs node (README.md).
set(view ${CMAKE_SOURCE_DIR}/src/view)
add_library(imp_view STATIC ${view}/page.c)
set_source_files_properties(${view}/page.c PROPERTIES
  COMPILE_DEFINITIONS "VIEW_FOLDER=\"${view}\""
  OBJECT_DEPENDS "${view}/style.css;${view}/body.html;${view}/viewer.min.js;${view}/plot.html;${view}/plot.min.js")
