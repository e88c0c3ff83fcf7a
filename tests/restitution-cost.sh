#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What a restitution below 1 costs. Drops of a box on a floor at e = 0.7, whose
# impacts are far from a limit of chatter, may take at most twice the processor time
# of the same drops at e = 1, and so may a box that tumbles. Processor times of one
# program are compared with each other, so a loaded machine does not matter.
set -u
build=$(cd "$1" && pwd)
imp=$build/imp
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
failed=0

# spent ARGUMENTS: the least processor time of three runs, in ms
spent() {
    for i in 1 2 3; do
        "$imp" run --threads=1 "$@" >out 2>&1 || cat out >&2
        times
    done | awk -F '[ms ]' '/^[0-9]/ && NR % 2 == 0 {
        now = 1000 * ($1 * 60 + $2 + $4 * 60 + $5)
        if (NR > 2 && now - was < least || NR == 2)
            least = now - was
        was = now
    } END { printf "%d\n", least + 1 }'
}

# at_most FACTOR NAME COST UNIT
at_most() {
    if [ "$3" -gt $(($1 * $4)) ]; then
        echo "FAIL $2: $3 ms, more than $1 times $4 ms"
        failed=1
    fi
}

# drops HEIGHT TIME RUNS
drops() {
    cat >m.imp <<EOF2
use shapes
param e = 1 in [0, 1]
param phi = 0 in [0, 3]
world { gravity = (0, 0, -9.81) }
body floor : half_space { fixed = true }
body crate : box(1, 0.8, 0.6) {
  mass = 2
  position = (0, 0, $1)
  rotation = ((1, 2, 3), phi)
  spin = (1.5, 2.5, -2)
}
contact k : floor | crate { restitution = e }
let s = sweep {
  over = (phi in linspace(0, 3, $3))
  run = simulate { until = $2 }
  record = (count)
}
EOF2
}

drops 1.6 1 1000
at_most 2 "drops of a box" "$(spent --set e=0.7 m.imp)" "$(spent --set e=1 m.imp)"
drops 16 30 150
at_most 2 "a tumbling box" "$(spent --set e=0.95 m.imp)" "$(spent --set e=1 m.imp)"
exit $failed
