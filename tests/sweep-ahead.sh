#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# In a sweep whose runs differ by their restitutions only, Imp computes several runs
# at once, and finds some verdicts without a run. How often it does so depends on
# what the sweep records. The script records more and more, and compares the columns
# that all these sweeps have: they must be equal.
set -u
build=$(cd "$1" && pwd)
imp=$build/imp
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
failed=0

# same NAME SYSTEM: three sweeps have the same columns of verdict, impacts and time
same() {
    for what in "" ", remaining" ", exponent"; do
        cat >m.imp <<EOF
use chatter
param rho = 0.3 in [0.001, 1]
param gamma = 0.1 in [0, 1]
param delta = 0.2 in [0, 1]
$2
let p = sweep {
  over = (rho in (0.05, 0.2, 0.45, 0.8), delta in (0, 0.3),
          gamma in linspace(0, 0.99, 130))
  run = chatter s
  record = (verdict, impacts, time$what)
  save = "p.csv"
}
EOF
        rm -f p.csv
        if ! "$imp" run --out=. --threads=3 m.imp >out 2>&1 && ! [ -f p.csv ]; then
            echo "FAIL $1$what"
            cat out
            failed=1
        fi
        cut -d, -f1-6 p.csv >"$1.${#what}"
    done
    cmp "$1.0" "$1.11" && cmp "$1.0" "$1.10" || failed=1
    echo "$1: $(cut -d, -f4 "$1.0" | sort | uniq -c | tr -s '\n ' ' ')"
}

same flat "system s : feet(4, rho, gamma)"
same rod "system s : small_rod(rho, gamma)"
same given "system s : feet(5, rho, gamma) {
  start { h = 1  h' = -1  phix = 0.02  phiy' = 0.05 }
}"
same walls "system s {
  coordinate x, y
  mass = [1 + rho, 0.3; 0.3, 2]
  contact a { gap = x + 0.2*y        restitution = gamma }
  contact b { gap = y + 0.1*x        restitution = sqrt(delta) }
  contact c { gap = x + y + 0.3      restitution = (gamma + delta)/2 }
  start { x = 1  y = 1.1  x' = -1.3  y' = -1 }
}"
same uneven "system s {
  coordinate x, y, z
  mass = diag(rho, rho, 1)
  contact a { gap = z + x        restitution = gamma }
  contact b { gap = z - x        restitution = gamma }
  contact c { gap = z + y        restitution = delta }
  contact d { gap = z - y        restitution = gamma }
  start { z = 1  z' = -1  x = 0.02  y = 0.01  x' = 0.05  y' = 0.03 }
}"
[ $failed = 0 ] && echo "all sweeps agree"
exit $failed
