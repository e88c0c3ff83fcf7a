#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh BUILD HASH: the elementary functions give the bits of hash.out, and nothing that
# simulators contain reaches the C library's own.
set -u
build=$(cd "${1:?usage: run.sh BUILD HASH}" && pwd)
hash=$(realpath "${2:?usage: run.sh BUILD HASH}")
cd "$(dirname "$0")"
[ -e "$build/musl/imp_musl.o" ] || {
    echo "elementary: skipped: Imp was built without musl's functions"
    exit 77
}
bad=0
"$hash" | diff hash.out - || {
    echo "elementary: the functions give other bits than hash.out"
    bad=1
}
names='sincos|cabsl?|carg|csqrt|cexp|clog|cpow|__div[dx]c3|acosh?|asinh?|atan2?|atanh|cbrt|cosh?|erfc?|exp(2|10|m1)?|fmod|hypot|l?gamma(_r)?|tgamma|log(10|1p|2)?|pow|sinh?|tanh?'
for archive in base runtime output analysis calculus check mechanics syntax cli; do
    nm -A -u "$build/libimp_$archive.a" 2>/dev/null |
        awk '{ print $1, $NF }' | grep -E " ($names)$" && {
        echo "elementary: these files call the C library's own functions;" \
            "include <math.h>, or write the formula out"
        bad=1
    }
done
exit $bad
