#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Lets each memory allocation of `imp check` and `imp run` fail in turn. imp must
# end with status 3 and a message, or give its usual output where it can do without
# that memory; it must not end by a signal. (test_cli_api looks for memory that is
# not freed then, with the address sanitizer.)
set -u
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export NO_COLOR=1 XDG_CACHE_HOME="$tmp"
# a preloaded library does not work together with the sanitizers
grep -q '^IMP_SANITIZE:BOOL=ON' "$build/CMakeCache.txt" && exit 0
cat >"$tmp/small.imp" <<'END'
use shapes
body one : circle(1) { density = 1  velocity = (1, 0) }
body two : circle(1) { density = 1  position = (3, 0) }
contact touch : one | two
let r = classify touch
show r.class
expect r.class == "C-"
END
failed=0
for args in check 'run --backend=eval'; do
    # shellcheck disable=SC2086
    IMP_COUNT=$tmp/count LD_PRELOAD=$build/liboom_nth.so \
        "$build/imp" $args "$tmp/small.imp" >"$tmp/good" || exit 1
    n=$(cat "$tmp/count")
    for on in '' IMP_FAIL_ON=1; do
        i=1
        while [ $i -le "$n" ]; do
            # shellcheck disable=SC2086
            env IMP_FAIL_AT=$i $on LD_PRELOAD="$build/liboom_nth.so" \
                "$build/imp" $args "$tmp/small.imp" >"$tmp/out" 2>"$tmp/err"
            got=$?
            if [ $got -eq 0 ]; then
                cmp -s "$tmp/good" "$tmp/out" ||
                    { echo "FAIL $args, $i $on: another output"; failed=1; }
            elif [ $got -ne 3 ] || [ ! -s "$tmp/err" ]; then
                echo "FAIL $args, allocation $i $on: status $got"
                head -c 300 "$tmp/err"
                failed=1
            fi
            i=$((i + 1))
        done
    done
    echo "$args: $n allocations"
done
exit $failed
