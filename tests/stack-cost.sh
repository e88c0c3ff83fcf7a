#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What a stack at rest costs. Ten boxes in a stack may take at most 12 times the
# processor time of ten boxes that stand alone. Processor times of one program are
# compared with each other, so a loaded machine does not matter.
set -u
build=$(cd "$1" && pwd)
imp=$build/imp
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
failed=0

# boxes NUMBER HEIGHT: so many boxes at rest, in stacks of this height
boxes() {
    awk -v n="$1" -v high="$2" 'BEGIN {
        print "use shapes"
        print "world { gravity = (0, 0, -9.81)  law = complementarity }"
        print "body floor : half_space { fixed = true }"
        for (i = 0; i < n; i++) {
            k = i % high
            x = 2*(i - k)/high + 0.1*(k*7 % 3 - 1)
            printf "body b%d : box(1, 1, 0.5) { density = 1  position = (%g, %g, %g) }\n",
                i, x, 0.05*(k*5 % 3 - 1), 0.25 + 0.5*k
            printf "contact c%d : %s | b%d { restitution = 0.3 }\n", i,
                (k == 0 ? "floor" : "b" (i - 1)), i
        }
        print "simulate { until = 1 }"
    }' >"$1-$2.imp"
}

# spent MODEL: the processor time of twenty runs, in ms: one takes but a few ticks
# of the clock
spent() {
    {
        for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
            "$imp" run --backend=eval "$1" >out 2>&1 || cat out >&2
        done
        times
    } | awk -F '[ms ]' '/^[0-9]/ { spent = 1000 * ($1 * 60 + $2 + $4 * 60 + $5) }
        END { printf "%d\n", spent + 1 }'
}

# at_most FACTOR NAME COST UNIT
at_most() {
    echo "$2: $3 ms and $4 ms"
    if [ "$3" -gt $(($1 * $4)) ]; then
        echo "FAIL $2: $3 ms, more than $1 times $4 ms"
        failed=1
    fi
}

boxes 10 10
boxes 10 1
at_most 12 "a stack, boxes alone" "$(spent 10-10.imp)" "$(spent 10-1.imp)"
exit $failed
