#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# `cmake --install` makes a folder that works wherever it is moved to, and without
# any environment variable.
set -eu
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cmake --install "$build" --prefix "$tmp/first" >/dev/null
mv "$tmp/first" "$tmp/moved"
p=$tmp/moved
for f in bin/imp lib/imp/libimpgen.so lib/imp/libimprt.a include/imp/imp.h; do
    [ -e "$p/$f" ] || {
        echo "$f is not installed"
        exit 1
    }
done
cp "$root/examples/tangential/two-ellipses.imp" "$tmp/m.imp"
cd "$tmp"
"$build/imp" run --backend=eval m.imp >want
env -i "$p/bin/imp" run --backend=jit --no-cache m.imp >got
cmp want got
env -i PATH=/usr/bin:/bin "$p/bin/imp" build m.imp -o sim
mv m.imp gone
env -i ./sim >got
cmp want got
# the simulator uses neither LLVM nor GSL, and imp loads LLVM, HDF5 and GSL only when it
# needs them
! ldd ./sim | grep -E 'LLVM|gsl'
! ldd "$p/bin/imp" | grep -E 'LLVM|hdf5|gsl'
