#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Applies what messages offer: each wrong model of tests/bad whose message gives a text to
# replace is changed as the message says. Then that message is gone from its place, there
# are no more errors than before, and, as each of these models has one mistake, none is
# left when all that is offered has been applied, one after the other.
#
#   sh tests/remedies.sh BUILD
set -u
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/bad"
imp=$build/imp
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 3' HUP INT TERM
export XDG_CACHE_HOME="$tmp/cache" NO_COLOR=1 LC_ALL=C
cp -r . "$tmp/bad"
rounds=8
applied=0
failed=0

complain() {
    echo "FAIL $*"
    failed=$((failed + 1))
}

# messages MODEL: one per line
messages() {
    timeout 60 "$imp" run --backend=eval --diagnostics=json "$1" 2>&1 >/dev/null
}

errors() {
    grep -c '^{"severity": "error"' "$1"
}

# offered FILE: the first message of FILE that gives a text to replace
offered() {
    grep -m 1 '"fix": {' "$1"
}

# place MESSAGE: what it says and where
place() {
    printf '%s\n' "$1" | sed 's/, "label": .*//'
}

# apply MODEL MESSAGE
apply() {
    lo=$(printf '%s\n' "$2" | sed 's/.*"fix": {.*"lo": \([0-9]*\), "hi".*/\1/')
    hi=$(printf '%s\n' "$2" | sed 's/.*"fix": {.*"hi": \([0-9]*\), "text".*/\1/')
    text=$(printf '%s\n' "$2" |
        sed 's/.*"fix": {.*"text": "\(.*\)"}}$/\1/; s/\\"/"/g')
    {
        head -c "$lo" "$1"
        printf '%b' "$text"
        tail -c +$((hi + 1)) "$1"
    } >"$tmp/mended"
    cp "$tmp/mended" "$1"
}

for folder in "$tmp"/bad/*/; do
    cd "$folder" || exit 3
    # those whose expected text shows a line of the model behind a help
    for model in $(awk 'FNR == 1 { help = 0 } help && /^ *[0-9]+ \|/ {
            sub(/\.err$/, ".imp", FILENAME); print FILENAME; nextfile }
        /^ *= help: / { help = 1 }' ./*.err); do
        messages "$model" >"$tmp/before"
        round=0
        while message=$(offered "$tmp/before") && [ $round -lt $rounds ]; do
            apply "$model" "$message"
            messages "$model" >"$tmp/after"
            applied=$((applied + 1))
            round=$((round + 1))
            if grep -qF -- "$(place "$message")" "$tmp/after"; then
                complain "$model: the message stays: $(place "$message")"
                break
            fi
            [ "$(errors "$tmp/after")" -le "$(errors "$tmp/before")" ] ||
                complain "$model: more errors than before"
            cp "$tmp/after" "$tmp/before"
        done
        if [ $round -gt 0 ] && [ "$(errors "$tmp/before")" -gt 0 ]; then
            complain "$model: an error is left"
            cat "$tmp/before"
        fi
    done
done
echo "$applied remedies applied, $failed failures"
[ $applied -ge 80 ] || complain "fewer than 80 remedies"
[ $failed -eq 0 ]
