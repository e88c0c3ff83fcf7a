#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh BUILD SECONDS: runs every fuzz_* program of the build directory; they
# share the time equally. fuzz_parse and fuzz_check start from the models of the
# project, each as a file and as a line of the REPL: the first byte of an input says
# which (see fuzz_parse.c). fuzz_run starts from short and quick models, each in all ways
# to run it. fuzz_files starts from nothing. Inputs that fail are left in BUILD/fuzz/;
# the exit status is 0 if there are none.
set -eu
build=$1
seconds=${2:-600}
here=$(dirname "$0")
work=$build/fuzz
mkdir -p "$work/corpus"
find "$here/../../stdlib" "$here/../../examples" "$here/../bad" -name '*.imp' \
    -size -8k | sort | while read -r model; do
    for first in 0 1; do
        name=$(basename "$model")
        { printf '%s' "$first"; cat "$model"; } >"$work/corpus/$first-$name"
    done
done
# A model that the evaluator of build/imp, if there is one, does not run within a
# tenth of a second would take seconds here, three times before anything begins.
imp=$here/../../build/imp
is_brief() {
    [ -x "$imp" ] || return 0
    timeout 0.1 "$imp" run --backend=eval "$1" >"$work/brief" 2>&1 || [ $? -ne 124 ]
}
rm -rf "$work/seeds"
mkdir -p "$work/seeds" "$work/none"
for model in "$here"/seeds/*.imp "$here"/found/*.imp "$here"/../run/*/*.imp; do
    [ -e "$model" ] && [ "$(wc -c <"$model")" -lt 1200 ] && is_brief "$model" || continue
    for first in 0 4 '~'; do
        { printf '%s' "$first"; cat "$model"; } \
            >"$work/seeds/$first-$(basename "$model")"
    done
done
programs=$(find "$build" -maxdepth 1 -type f -name 'fuzz_*' | sort)
[ -n "$programs" ] || { echo "no fuzz_* in $build" >&2; exit 2; }
share=$((seconds / $(echo "$programs" | wc -l)))
[ "$share" -gt 0 ] || share=1 # 0 would mean for ever
for program in $programs; do
    name=$(basename "$program")
    mkdir -p "$work/$name"
    echo "$name: $share s"
    # the corpus is only read: new inputs are written to the program's own folder
    case $name in
    fuzz_run) corpus=seeds len=4000 ;;
    fuzz_files) corpus=none len=64 ;;
    *) corpus=corpus len=4000 ;;
    esac
    "$program" -max_total_time="$share" -max_len=$len -print_final_stats=1 \
        -verbosity=0 -timeout=20 -artifact_prefix="$work/$name-" \
        "$work/$name" "$work/$corpus"
done
