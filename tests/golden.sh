#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Compares what imp prints with the expected outputs, which are files beside the
# models; `accept` rewrites these files.
#
#   sh tests/golden.sh check BUILD KIND...      sh tests/golden.sh accept BUILD
#
# bad   tests/bad/PART/X.imp: stderr and status of `imp run` in X.err
# run   tests/run/PHENOMENON/X.imp: stdout and status in X.out beside it;
#       examples/: in tests/run/examples/X.out. The evaluator, the JIT at O0 and O2 and
#       the standalone simulator print the same bytes, as JSON and as text, also with the
#       params that tests/run/sets gives: a third of the examples and a twenty-fourth of the
#       models in all these ways, the other examples and a quarter of the models by the
#       evaluator and one other way (O0, O2 or simulator), the others by the evaluator alone;
#       with ALL=1 each model in all ways. To compile takes most of the time.
# repl  tests/repl/X.in   stdout, stderr and status of `imp repl < X.in`
# fmt   tests/fmt/X.imp   formatted text in X.fmt. Formatting twice changes nothing
#       more, also for all examples, all models of tests/run and the library.
# cli   tests/cli/X.sh    a command line ($imp is the program, $tmp a folder for its
#       files), output in X.out
set -u
mode=$1
build=$(cd "$2" && pwd)
shift 2
[ $# -gt 0 ] || set -- bad run repl fmt cli
cd "$(dirname "$0")/.."
root=$(pwd)
imp=$build/imp
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 3' HUP INT TERM
export XDG_CACHE_HOME="$tmp/cache" XDG_STATE_HOME="$tmp/state" NO_COLOR=1
export imp tmp root
tests=0
failed=0

complain() {
    echo "FAIL $*"
    failed=$((failed + 1))
}

# compare FILE GOT: the expected output against what imp printed
compare() {
    tests=$((tests + 1))
    if [ "$mode" = accept ]; then
        cmp -s "$1" "$2" || {
            cp "$2" "$1"
            echo "accepted $1"
        }
    elif [ ! -e "$1" ]; then
        complain "$1 is not there (./dev accept writes it)"
    elif ! cmp -s "$1" "$2"; then
        complain "$1"
        diff -u "$1" "$2" | head -40
    fi
}

# same WHAT A B: the files A and B hold the same bytes
same() {
    tests=$((tests + 1))
    cmp -s "$2" "$3" || {
        complain "$1"
        diff -u "$2" "$3" | head -20
    }
}

do_bad() {
    for f in tests/bad/*/*.imp; do
        (
            cd "${f%/*}" || exit 3
            timeout 60 "$imp" run --backend=eval "${f##*/}" 2>&1 >/dev/null
        ) >"$tmp/got"
        status=$?
        echo "exit $status" >>"$tmp/got"
        compare "${f%.imp}.err" "$tmp/got"
        case $status in
        1 | 2 | 3) ;;
        *) complain "$f: a wrong model must end with 1, 2 or 3" ;;
        esac
    done
}

# ways MODEL [ARG...]: runs the model by the evaluator, and in the ways that $jit (levels of
# the code generator) and $alone (not empty: as a simulator) ask for, as JSON, which has all
# digits, and once as text, which is left in $tmp/text.
# The object that was compiled is taken from the cache for other params.
ways() {
    model=$1
    shift
    [ -z "$jit$alone" ] || {
        "$imp" run --backend=eval --json "$@" "$model" 2>"$tmp/said"
        echo "exit $?"
    } >"$tmp/eval--json"
    for opt in $jit; do
        {
            "$imp" run --opt="$opt" --json "$@" "$model" 2>"$tmp/said-jit"
            echo "exit $?"
        } >"$tmp/jit"
        same "$model $*: JIT O$opt" "$tmp/eval--json" "$tmp/jit"
        same "$model $*: messages, JIT O$opt" "$tmp/said" "$tmp/said-jit"
    done
    if [ -z "$alone" ] || [ -n "$thorough" ]; then
        {
            "$imp" run --backend=eval "$@" "$model" 2>/dev/null
            echo "exit $?"
        } >"$tmp/text"
    fi
    [ -n "$alone" ] || return 0
    for form in '' --json; do
        # shellcheck disable=SC2086
        {
            (cd / && env -i "$tmp/sim" $form "$@" 2>/dev/null)
            echo "exit $?"
        } >"$tmp/alone$form"
    done
    same "$model $*: standalone" "$tmp/eval--json" "$tmp/alone--json"
    if [ -n "$thorough" ]; then
        same "$model $*: text of the simulator" "$tmp/text" "$tmp/alone"
    else
        cp "$tmp/alone" "$tmp/text"
    fi
}

# The models in two halves, beside each other: they need nothing of each other.
both_halves() {
    HALF=0 sh tests/golden.sh check "$build" run >"$tmp/half0" 2>&1 &
    HALF=1 sh tests/golden.sh check "$build" run >"$tmp/half1" 2>&1 ||
        failed=$((failed + 1))
    wait $! || failed=$((failed + 1))
    cat "$tmp/half0" "$tmp/half1"
    tests=$((tests + $(awk '$2 == "comparisons," { n += $1 } END { print n + 0 }' \
        "$tmp/half0" "$tmp/half1")))
}

do_run() {
    if [ "$mode" = check ] && [ -z "${HALF:-}" ]; then
        both_halves
        return
    fi
    mkdir -p tests/run/examples
    count=0
    for f in tests/run/*/*.imp $(find examples -name '*.imp' | sort); do
        [ -e "$f" ] || continue
        count=$((count + 1))
        [ -z "${HALF:-}" ] || [ $((count % 2)) -eq "$HALF" ] || continue
        name=${f##*/} name=${name%.imp}
        thorough=${ALL:-}
        turn=$((count / 2 % 24))
        case $f in
        examples/*)
            out=tests/run/examples/$name.out
            turn=$((turn % 3 * 4))
            ;;
        *) out=${f%.imp}.out ;;
        esac
        jit='0 2' alone=1
        [ -n "$thorough" ] || case $turn in
        0) thorough=1 ;;
        2 | 14) jit=0 alone= ;;
        4 | 8) jit= ;;
        10 | 22) jit=2 alone= ;;
        *) jit='' alone='' ;;
        esac
        if [ -n "$alone" ] && ! (cd "$(dirname "$f")" && "$imp" build "$name.imp" \
            -o "$tmp/sim") >"$tmp/log" 2>&1; then
            complain "$f: imp build"
            cat "$tmp/log"
            continue
        fi
        ways "$f"
        # All ways agree to the last bit. The expected output may differ by
        # rounding, so that the tests pass on another processor.
        if [ -e "$out" ] && awk -f tests/close.awk "$out" "$tmp/text"; then
            tests=$((tests + 1))
        else
            compare "$out" "$tmp/text"
        fi
        grep "^$name " tests/run/sets 2>/dev/null >"$tmp/sets" || :
        while read -r _ sets; do
            args=
            for s in $sets; do
                args="$args --set $s"
            done
            # shellcheck disable=SC2086
            ways "$f" $args
        done <"$tmp/sets"
        rm -f "$tmp/sim"
    done
}

do_repl() {
    for f in tests/repl/*.in; do
        name=$(basename "$f" .in)
        (cd tests/repl && timeout 60 "$imp" repl --backend=eval <"$name.in" 2>&1
            echo "exit $?") >"$tmp/got"
        compare "tests/repl/$name.out" "$tmp/got"
    done
}

do_fmt() {
    for f in tests/fmt/*.imp; do
        name=$(basename "$f" .imp)
        "$imp" fmt - <"$f" >"$tmp/got" 2>&1
        compare "tests/fmt/$name.fmt" "$tmp/got"
        "$imp" fmt - <"$tmp/got" >"$tmp/again" 2>&1
        same "$f: formatting twice" "$tmp/got" "$tmp/again"
    done
    # a copy of the tree, with the data that models read
    mkdir "$tmp/tree"
    cp -R stdlib examples tests/run "$tmp/tree"
    find "$tmp/tree" -name '*.imp' | sort >"$tmp/models"
    tests=$((tests + 2 * $(wc -l <"$tmp/models")))
    xargs "$imp" fmt <"$tmp/models" || complain "a model that fmt cannot read"
    xargs "$imp" check <"$tmp/models" || complain "a model is wrong once formatted"
    xargs "$imp" fmt --check <"$tmp/models" || complain "formatting twice changes more"
}

do_cli() {
    ls tests/cli >"$tmp/before"
    for f in tests/cli/*.sh; do
        name=$(basename "$f" .sh)
        mkdir "$tmp/cli-$name"
        (cd tests/cli && tmp=$tmp/cli-$name timeout 60 sh "$name.sh" 2>&1
            echo "exit $?") >"$tmp/got"
        compare "tests/cli/$name.out" "$tmp/got"
    done
    [ "$mode" = accept ] || ls tests/cli >"$tmp/after"
    [ "$mode" = accept ] || same "tests/cli: files that a test has left there" \
        "$tmp/before" "$tmp/after"
}

for kind; do
    "do_$kind"
done
echo "$tests comparisons, $failed failed"
[ "$failed" -eq 0 ]
