#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Two handles of the C API in two threads print what two runs of `imp run` print.
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
a=examples/tangential/two-ellipses.imp
b=examples/tangential/superellipsoid.imp
[ -e "$b" ] || b=$(find examples -name '*.imp' | sort | tail -n 1)
"$build/imp" run "$a" >"$tmp/want" 2>"$tmp/want-err"
"$build/imp" run "$b" >>"$tmp/want" 2>>"$tmp/want-err"
"$build/capi_two" "$a" "$b" >"$tmp/got" 2>"$tmp/got-err"
cmp "$tmp/want" "$tmp/got"
cmp "$tmp/want-err" "$tmp/got-err"
