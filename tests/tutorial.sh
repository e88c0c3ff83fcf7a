#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# tests/tutorial.sh check|accept BUILD: the chapters of docs/tutorial show models of
# examples/tutorial as they are (without the licence line), and what their commands
# print. `accept` writes both into the chapters. README.md shows what Imp prints.
set -u
mode=$1
build=$(cd "$2" && pwd)
cd "$(dirname "$0")/.." || exit 2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/build"
ln -s "$build/imp" "$tmp/build/imp"
ln -s "$PWD/examples" "$tmp/examples"
failed=0
for chapter in docs/tutorial/[0-9]*.md; do
    : >"$tmp/new"
    block=
    model=
    while IFS= read -r line || [ -n "$line" ]; do
        case $block in
        '')
            printf '%s\n' "$line" >>"$tmp/new"
            case $line in
            '['*.imp\]*:) model=examples/tutorial/${line#'['} model=${model%%']'*} ;;
            '```imp')
                block=imp
                grep -v '^# SPDX' "$model" >>"$tmp/new"
                ;;
            '```console') block=console ;;
            '```'*) block=other ;;
            esac
            ;;
        other)
            printf '%s\n' "$line" >>"$tmp/new"
            [ "$line" = '```' ] && block=
            ;;
        *)
            case $line in
            '```')
                printf '%s\n' "$line" >>"$tmp/new"
                block=
                ;;
            '$ '*)
                printf '%s\n' "$line" >>"$tmp/new"
                (cd "$tmp" && sh -c "${line#'$ '}" </dev/null 2>"$tmp/err"
                    cat "$tmp/err") >>"$tmp/new"
                ;;
            esac
            ;;
        esac
    done <"$chapter"
    if [ "$mode" = accept ]; then
        cat "$tmp/new" >"$chapter"
    elif ! diff -u "$chapter" "$tmp/new"; then
        failed=1
    fi
done
# README.md shows a model with what it prints, and what `./dev run` prints
awk -v d="$tmp" '/^    / { n += !on; on = 1; print substr($0, 5) >(d "/block" n); next }
    { on = 0 }' README.md
of_readme() { # of_readme WHAT MODEL SHOWN
    "$build/imp" run "$2" >"$tmp/got" 2>&1
    diff -u "$3" "$tmp/got" || {
        echo "README.md does not show what $1 prints"
        failed=1
    }
}
model=$(grep -lx 'use shapes' "$tmp"/block* | head -1)
of_readme 'its first model' "$model" "$tmp/block$((${model##*block} + 1))"
of_readme './dev run' examples/tangential/two-ellipses.imp "$(grep -lx 'r = classify touch' "$tmp"/block*)"
[ $failed -eq 0 ] && echo "tutorial: the chapters and README.md show what Imp prints"
exit $failed
