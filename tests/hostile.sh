#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Gives imp input that nobody should write: enormous, broken, deeply nested, not
# text; and outputs that cannot be written. The script makes these files itself.
# Each time imp must soon end with the right status and a message, never by a
# signal.
set -u
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
imp=$build/imp
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 3
export XDG_CACHE_HOME="$tmp/cache" XDG_STATE_HOME="$tmp/state" NO_COLOR=1
failed=0

# want STATUS PATTERN COMMAND...: the command ends with STATUS, and its stderr
# holds PATTERN
want() {
    status=$1
    pattern=$2
    shift 2
    timeout 60 "$@" >out 2>err
    got=$?
    if [ "$got" -ne "$status" ]; then
        echo "FAIL $*: status $got, wanted $status"
        head -c 2000 err
        failed=$((failed + 1))
    elif [ -n "$pattern" ] && ! grep -q -e "$pattern" err; then
        echo "FAIL $*: no '$pattern' in the message:"
        head -c 2000 err
        failed=$((failed + 1))
    elif [ "$(wc -c <err)" -gt 20000 ]; then
        echo "FAIL $*: a message of $(wc -c <err) bytes"
        failed=$((failed + 1))
    fi
}

repeat() { # COUNT TEXT
    awk -v n="$1" -v s="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s", s }'
}

# files that are no models
want 2 E0805 "$imp" run missing.imp
mkdir folder.imp
want 2 E0806 "$imp" run folder.imp
want 2 E0806 "$imp" check folder.imp
head -c 100000 /dev/urandom >random.imp
want 2 '' "$imp" run random.imp
want 2 '' "$imp" fmt random.imp
cp "$imp" binary.imp
want 2 E0808 "$imp" check binary.imp
truncate -s 65M huge.imp
want 2 E0807 "$imp" check huge.imp
: >empty.imp
want 0 '' "$imp" run empty.imp
printf '# only a comment' >comment.imp
want 0 '' "$imp" run comment.imp
printf '\357\273\277show 1\n' >bom.imp
timeout 20 "$imp" run bom.imp >out 2>err
[ $? -le 2 ] || { echo "FAIL byte order mark"; failed=$((failed + 1)); }
printf 'show 1\r\nshow 2\r\n' >crlf.imp
want 0 '' "$imp" run crlf.imp
printf 'show 1 # one\rshow two\r' >cr.imp
want 2 cr.imp:2:6 "$imp" run cr.imp
printf '\377\376s\0h\0o\0w\0' >utf16.imp
want 2 E0808 "$imp" check utf16.imp
printf 'show "\300\200"\n' >overlong.imp
want 2 '' "$imp" check overlong.imp
if [ "$(id -u)" -ne 0 ]; then
    echo 'show 1' >secret.imp
    chmod 0 secret.imp
    want 2 E0805 "$imp" run secret.imp
fi

# one line of 10 MB, in several ways
{ printf 'show 1'; repeat 2500000 ' + 1'; } >sum.imp
want 2 '' "$imp" check sum.imp
repeat 10000000 'a' >name.imp
want 2 '' "$imp" check name.imp
{ printf 'show "'; repeat 10000000 'x'; } >string.imp
want 2 '' "$imp" check string.imp
repeat 10000000 '(' >open.imp
want 2 '' "$imp" check open.imp
repeat 10000000 ' ' >blank.imp
want 0 '' "$imp" check blank.imp
{ printf 'show '; repeat 400000 '1'; } >digits.imp
timeout 20 "$imp" check digits.imp >out 2>err
[ $? -le 2 ] || { echo "FAIL digits"; failed=$((failed + 1)); }

# deeply nested
for n in 2000 100000; do
    { printf 'show '; repeat $n '('; printf 1; repeat $n ')'; } >deep.imp
    want 2 '' "$imp" check deep.imp
    { printf 'show '; repeat $n '-'; printf 1; } >minus.imp
    timeout 20 "$imp" check minus.imp >out 2>err
    [ $? -le 2 ] || { echo "FAIL minus $n"; failed=$((failed + 1)); }
    { printf 'show '; repeat $n 'if true then 1 else '; printf 1; } >if.imp
    timeout 20 "$imp" check if.imp >out 2>err
    [ $? -le 2 ] || { echo "FAIL if $n"; failed=$((failed + 1)); }
    { printf 'show 2'; repeat $n '^1'; } >power.imp
    timeout 20 "$imp" check power.imp >out 2>err
    [ $? -le 2 ] || { echo "FAIL power $n"; failed=$((failed + 1)); }
    { printf 'world '; repeat $n '{ world '; } >blocks.imp
    want 2 '' "$imp" check blocks.imp
done
{ repeat 3000 'fn f(x) = f(x) '; } >fn.imp
want 2 '' "$imp" check fn.imp
awk 'BEGIN { print "fn f0(x) = x + x";
    for (i = 1; i < 200; i++)
        printf "fn f%d(x) = f%d(f%d(x))\n", i, i - 1, i - 1;
    print "show f199(1)" }' >grow.imp
timeout 60 "$imp" check grow.imp >out 2>err
[ $? -le 3 ] || { echo "FAIL functions that grow"; failed=$((failed + 1)); }

# outputs that cannot be written
echo 'show 1' >one.imp
want 3 E0819 "$imp" build one.imp -o nowhere/sim
ellipses=$root/examples/tangential/two-ellipses.imp
if [ -e /dev/full ]; then
    "$imp" run --backend=eval "$ellipses" >/dev/full 2>err
    [ $? -eq 3 ] && [ -s err ] || { echo "FAIL full disk"; failed=$((failed + 1)); }
    "$imp" explain >/dev/full 2>err
    [ $? -eq 3 ] && [ -s err ] || { echo "FAIL full disk, explain"; failed=$((failed + 1)); }
fi
{ "$imp" run --backend=eval "$ellipses" 2>err; echo $? >status; } | :
case $(cat status) in 0 | 3) ;; *) echo "FAIL closed pipe"; failed=$((failed + 1)) ;; esac
echo x >notafolder
cat >save.imp <<'END'
let x = 1
save x { file = "x.csv" }
END
timeout 20 "$imp" run --backend=eval --out notafolder/x save.imp >out 2>err
case $? in 2 | 3) ;; *) echo "FAIL --out below a file"; failed=$((failed + 1)) ;; esac

# with little memory imp ends with a message and status 3, and does not crash (the
# sanitizers need too much memory for this test)
if ! grep -q '^IMP_SANITIZE:BOOL=ON' "$build/CMakeCache.txt"; then
    for kb in 20000 40000 80000; do
        (ulimit -v $kb && exec "$imp" run --backend=jit --no-cache \
            "$ellipses") >out 2>err
        got=$?
        [ $got -eq 0 ] || [ $got -eq 3 ] || [ $got -eq 127 ] ||
            { echo "FAIL $kb kB: status $got"; head -c 500 err; failed=$((failed + 1)); }
    done
    # 1000 pentagons take 2 kB each while they are checked: what does not vary
    # in a family is checked once, numbers that do need no values of their own
    cat >pentagons.imp <<'END'
use shapes
body tile[i in 0 .. 999] : regular_polygon(5, 0.2) { mass = 1  position = (i, 0) }
contacts { }
END
    (ulimit -v 28000 && exec "$imp" check pentagons.imp) >out 2>err ||
        { echo "FAIL 1000 pentagons in 28 MB"; head -c 500 err; failed=$((failed + 1)); }
    # 4000 spheres need no formulas of their own, and their starts are a table
    cat >spheres.imp <<'END'
use shapes
body ball[i in 0 .. 3999] : sphere(0.2) { mass = 1
  position = (random(0, 100), random(0, 100), i)  velocity = (random(-1, 1), cos(i), 0) }
contacts { }
END
    (ulimit -v 23000 && exec "$imp" check spheres.imp) >out 2>err ||
        { echo "FAIL 4000 spheres in 23 MB"; head -c 500 err; failed=$((failed + 1)); }
fi

# after Ctrl-C imp ends with status 3; the REPL keeps what the command has computed
cat >long.imp <<'END'
use shapes
body top : ellipsoid(1, 2, 3) { density = 1  spin = (1, 30, 2) }
let s = simulate { until = 1e6  every = 1  record = top.quaternion }
s.status == "stopped" and s.time > 0
END
head -n 3 long.imp >run.imp
stop() { # HOW OFTEN, PATTERN IN stdout, COMMAND...
    times=$1
    pattern=$2
    shift 2
    "$@" >out 2>err <long.imp &
    pid=$!
    sleep 1
    for _ in $(seq "$times"); do
        kill -INT $pid || failed=$((failed + 1))
    done
    wait $pid
    got=$?
    if [ $got -ne 3 ] || ! grep -q "$pattern" out err; then
        echo "FAIL Ctrl-C, $*: status $got"
        cat out err
        failed=$((failed + 1))
    fi
}
stop 1 '' "$imp" run --backend=eval run.imp
grep -q E0717 err || { echo "FAIL Ctrl-C: no message"; failed=$((failed + 1)); }
cat >discs.imp <<'EOF'
use shapes
world { gravity = (0, -9.81) }
body floor : half_plane { fixed = true }
body wall[i in 0 .. 1] : half_plane { fixed = true  position = (4*i - 2, 0)  angle = (180*i - 90) [deg] }
body b[i in 0 .. 9] : circle(0.1) { mass = 1  position = (0.3*i - 1.4, 1 + 0.1*i)  velocity = (1 + 0.1*i, 0) }
contacts { restitution = 1 }
let r = simulate { until = 50000  events = 1e8 }
show r.count
EOF
stop 1 '' "$imp" run --backend=eval discs.imp
grep -q 'E0717.*stopped at t = [0-9.]* s of 50000 s, after [0-9]* events' err ||
    { echo "FAIL Ctrl-C in flights of discs: not told where"; failed=$((failed + 1)); }
stop 2 '' "$imp" run --backend=eval run.imp
stop 1 'true$' "$imp" repl --backend=eval

# at a terminal a run keeps its motion for :view; one that is stopped does not
# go on for seconds to pack it, unless it was told to keep it
head -n 6 discs.imp >many.imp
stopped() { # SECONDS OF THE RUN
    {
        cat many.imp
        sleep 1
        echo "let r = simulate { until = 50000  events = 1e8 }"
        sleep "$1"
        printf '\003'
        sleep 5 # what is typed before the prompt comes is lost
        printf ':view r\n:quit\n'
    } | TERM=dumb NO_COLOR=1 timeout 60 script -qec "$imp repl" /dev/null >out 2>&1
}
if command -v script >/dev/null; then
    # how long it takes until there is much to pack depends on the machine
    for seconds in 4 12; do
        stopped $seconds
        grep -q 'motion of this run was not kept' out && break
    done
    grep -q 'motion of this run was not kept' out ||
        { echo "FAIL Ctrl-C at a terminal: the motion is kept"; failed=$((failed + 1)); }
fi

# a signal ends what waits for its input, and what makes machine code
mkfifo input
for sig in INT TERM HUP; do
    for command in 'run -' 'fmt -' repl; do
        sleep 20 >input &
        writer=$!
        # shellcheck disable=SC2086
        "$imp" $command >out 2>err <input &
        pid=$!
        sleep 0.2
        kill -$sig $pid
        wait $pid
        got=$?
        kill $writer
        [ $got -eq 3 ] && grep -q E0717 err ||
            { echo "FAIL $sig, $command: status $got"; failed=$((failed + 1)); }
    done
done
awk 'BEGIN { for (i = 0; i < 60; i++)
    printf "system s%d { coordinate x\n kinetic = (1 [kg])*x\047^2/2\n" \
        " potential = (1 [J])*sin(x*(1 [1/m]))^2*exp(cos(x*(1 [1/m])))\n" \
        " contact k { gap = x + 3 [m] } }\n", i }' >large.imp
"$imp" build large.imp -o sim >out 2>err &
pid=$!
sleep 0.1
kill -TERM $pid
wait $pid
got=$?
[ $got -eq 3 ] && grep -q E0717 err && [ ! -e sim ] ||
    { echo "FAIL TERM, build: status $got"; failed=$((failed + 1)); }

[ "$failed" -eq 0 ] && echo "all is well"
[ "$failed" -eq 0 ]
