#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The second engine of motion, and the first: `engine = gsl` follows every model of
# tests/engines by other means and must agree, and have the same events. Simulators
# refuse it with a reason, and so does a program that finds no libimpgsl.so.
#
#   sh tests/engines.sh BUILD
set -u
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/engines"
imp=$build/imp
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export XDG_CACHE_HOME="$tmp/cache" NO_COLOR=1
failed=0

complain() {
    echo "FAIL $*"
    failed=1
}

"$imp" --version | grep -q 'GSL none' && {
    echo "this Imp was built without GSL"
    exit 77
}
for f in *.imp; do
    "$imp" run --backend=eval "$f" >"$tmp/out" 2>&1 || {
        complain "$f"
        cat "$tmp/out"
    }
    grep -A1 'of one engine alone' "$tmp/out" && complain "$f: other events"
    "$imp" run --backend=jit --no-cache "$f" >"$tmp/jit" 2>&1
    cmp -s "$tmp/out" "$tmp/jit" || complain "$f: machine code gives other bits"
done

# rows of a sweep are the same with any number of threads
for t in 1 3; do
    "$imp" run --json --threads $t sweep.imp >"$tmp/threads.$t"
done
cmp "$tmp/threads.1" "$tmp/threads.3" || complain "threads"

# a simulator says why it has none
"$imp" build ball-to-rest.imp -o "$tmp/sim" && "$tmp/sim" >"$tmp/out" 2>&1
[ $? -eq 3 ] || complain "a simulator must end with status 3"
grep -q 'E0751.*a simulator has no GSL' "$tmp/out" || complain "the reason: $(cat "$tmp/out")"
grep -q 'imp run' "$tmp/out" || complain "the remedy"
ldd "$tmp/sim" | grep gsl && complain "a simulator is linked with GSL"

# and so does a program beside which there is no library
mkdir "$tmp/bin" && cp "$imp" "$tmp/bin/" || exit 1
"$tmp/bin/imp" run --backend=eval ball-to-rest.imp >"$tmp/out" 2>&1
[ $? -eq 3 ] || complain "without the library: status"
grep -q 'E0751' "$tmp/out" || complain "without the library: $(cat "$tmp/out")"
exit $failed
