# SPDX-License-Identifier: GPL-3.0-or-later
# imp doc explains codes, too; everyday names of shapes lead to the library's; a
# bracket that is still open is shown where a command follows.
cd "$tmp"
"$imp" doc E0020 | head -1
printf '?W0724\n!ls\n' | "$imp" repl 2>&1 | grep -v '^$' | head -1
printf 'body b : cuboid(1, 2, 3) { density = 1 }\n' >a.imp
"$imp" run a.imp 2>&1 | grep help
printf 'let v = [1, 2, 3\nshow v\n' >b.imp
"$imp" run b.imp 2>&1
printf '!ls\n' >c.imp
"$imp" run c.imp 2>&1 | tail -1
