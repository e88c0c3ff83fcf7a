#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# tests/tutorial.sh check|accept BUILD: the chapters of docs/tutorial show models of
# examples/tutorial as they are (without the licence line), and what their commands
# print. `accept` writes both into the chapters.
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
[ $failed -eq 0 ] && echo "tutorial: the chapters show what Imp prints"
exit $failed
