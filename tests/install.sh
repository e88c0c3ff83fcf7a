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
mv "$tmp/first" "$tmp/moved here"
p="$tmp/moved here"
for f in bin/imp lib/imp/libimpgen.so lib/imp/libimprt.a include/imp/imp.h \
    lib/pkgconfig/imp.pc lib/cmake/imp/imp-config.cmake; do
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
# what cannot be written is told, help too
if ./sim --help >/dev/full 2>err || ! grep -q E0855 err; then
    echo "sim --help: a full disk is not told"
    exit 1
fi
# programs find the C API by pkg-config and by CMake
cat >use.c <<'END'
#include <imp/imp.h>
int main(void)
{
    imp *h = imp_new();
    int status = imp_load_text(h, "t", "expect 1 < 2", 12) ? 9 : imp_run(h);
    imp_free(h);
    return status;
}
END
if command -v pkg-config >/dev/null; then
    eval "cc -o use use.c $(PKG_CONFIG_PATH=$p/lib/pkgconfig pkg-config --cflags --libs imp)"
    LD_LIBRARY_PATH=$p/lib ./use
fi
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(use C)
find_package(imp 0.1 REQUIRED)
add_executable(use use.c)
target_link_libraries(use imp::imp)
END
cmake -DCMAKE_PREFIX_PATH="$p" -B made . >/dev/null
cmake --build made >/dev/null
made/use
# the simulator uses neither LLVM nor GSL, and imp loads LLVM, HDF5 and GSL only when it
# needs them
! ldd ./sim | grep -E 'LLVM|gsl'
! ldd "$p/bin/imp" | grep -E 'LLVM|hdf5|gsl'
