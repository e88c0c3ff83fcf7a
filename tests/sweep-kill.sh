#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Kills a sweep with SIGKILL at random moments (KILLS of them) and resumes it until
# it is complete, with 1 to 4 threads. The result must have the same bytes as that
# of a sweep that nobody disturbed. The same holds where the journal is cut off
# anywhere, where one of its bytes is changed, and where the disk was full. All of it
# once more with a sweep that keeps summaries of its runs, by blocks of two.
set -u
build=$(cd "$1" && pwd)
script=$(realpath "$0")
imp=$build/imp
kills=${KILLS:-30}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
seed=${SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
echo "SEED=$seed"
number=$seed
draw() { # below $1
    number=$(((number * 75 + 74) % 65537))
    drawn=$((number % $1))
}
fail() {
    echo "FAIL $*"
    exit 1
}

many='gamma in linspace(0.01, 0.4, 40), n in (3, 4, 5, 6)'
repeat=40
rows_wanted=6401
summary=
if [ "${SUMMARY:-}" ]; then
    many='gamma in linspace(0.2, 0.4, 10), n in (3, 4)'
    repeat=850
    rows_wanted=21
    summary='summary = true  quantiles = (0.1, 0.5)  worst = time'
    kills=$((kills / 3))
fi
cat >s.imp <<EOF
use chatter
param n = 4 in [1, 9]
param gamma = 0.1 in [0, 1]
param w = 0.1 in [0, 1]
system disc : feet(n, 0.3, gamma) {
  start { h = 1  h' = -1  phix = w/100  phiy' = w/(30 [s]) }
}
let s = sweep {
  over   = ($many)
  random = (w in [0, 1])
  repeat = $repeat
  $summary
  run    = chatter disc
  record = (verdict, afterwards, time, log(remaining/time), order[1] == "disc.foot[1]")
  save   = "s.csv"
}
EOF
$imp run --out want s.imp >/dev/null 2>&1 || fail "the sweep itself"
rows=$(wc -l <want/s.csv)
[ "$rows" -eq $rows_wanted ] || fail "$rows rows"

done=0
rounds=0
while [ $done -lt "$kills" ]; do
    rm -rf got
    while :; do
        draw 4
        threads=$((drawn + 1))
        draw 1000
        $imp run --threads $threads --out got --resume s.imp >/dev/null 2>&1 &
        pid=$!
        sleep "$(printf '0.%03d' $((drawn / 4)))"
        kill -9 $pid 2>/dev/null && done=$((done + 1))
        wait $pid 2>/dev/null
        [ ! -e got/s.csv ] || break
        # the killed sweep leaves nothing but the journal
        left=$(ls got 2>/dev/null | grep -v '^s.csv.part$')
        [ -z "$left" ] || fail "left behind: $left"
    done
    rounds=$((rounds + 1))
    # if the sweep is killed after it has renamed the result and before it ends, the
    # journal may still be there
    cmp want/s.csv got/s.csv || fail "other bytes after a kill"
    $imp run --out got --resume s.imp >/dev/null 2>&1 || fail "run after it"
    cmp want/s.csv got/s.csv || fail "other bytes after going on"
    [ ! -e got/s.csv.part ] || fail "the journal stays"
done
echo "$done kills in $rounds sweeps"

# a folder in the place of the result: the sweep keeps its whole journal
rm -rf got
mkdir -p got/s.csv
$imp run --out got s.imp >/dev/null 2>e.txt
[ $? -eq 3 ] || fail "a folder in the place of the result"
grep -q W0742 e.txt || fail "nothing said about what is kept"
cp got/s.csv.part whole
size=$(wc -c <whole)
for k in 1 2 3 4 5 6 7 8; do
    draw 65536
    cut=$((size * drawn / 65536))
    rm -rf got
    mkdir got
    head -c $cut whole >got/s.csv.part
    $imp run --out got --resume s.imp >/dev/null 2>&1 || fail "cut at $cut"
    cmp want/s.csv got/s.csv || fail "cut at $cut: other bytes"
    rm got/s.csv
    cp whole got/s.csv.part
    printf 'X' | dd of=got/s.csv.part bs=1 seek=$cut conv=notrunc 2>/dev/null
    $imp run --out got --resume s.imp >/dev/null 2>&1 || {
        # without its head the file is no journal of this sweep
        [ $cut -lt 16 ] || fail "changed at $cut"
        continue
    }
    cmp want/s.csv got/s.csv || fail "changed at $cut: other bytes"
done

# a full disk, while the journal grows and when the result is written
for blocks in 1 100 $((size / 512 + 1)) $((size / 512 + 100)); do
    rm -rf got
    (
        ulimit -f $blocks
        trap '' XFSZ
        exec $imp run --threads 2 --out got s.imp >/dev/null 2>e.txt
    )
    status=$?
    if [ $status -eq 0 ]; then
        cmp want/s.csv got/s.csv || fail "$blocks blocks: other bytes"
        continue
    fi
    [ $status -eq 3 ] || fail "$blocks blocks: status $status"
    grep -q 'E0852' e.txt || fail "$blocks blocks: no diagnostic"
    [ "$(ls got)" = s.csv.part ] || fail "$blocks blocks: $(ls got)"
    $imp run --out got --resume s.imp >/dev/null 2>&1 || fail "$blocks: resume"
    cmp want/s.csv got/s.csv || fail "$blocks blocks: other bytes later"
done
echo "all sweeps agree"
[ "${SUMMARY:-}" ] || SUMMARY=1 sh "$script" "$build" || exit 1
