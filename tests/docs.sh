#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks the pieces of Imp in docs/language.md. `imp check` accepts each piece,
# together with the bodies that the piece takes for granted. Where a piece has an
# `expect`, the expectation holds. Each line that shows an error is wrong by itself.
# The links of all texts of the project lead to files and headings that are there, and
# what comments cite of papers has its section.
set -u
build=$(cd "$1" && pwd)
imp=$build/imp
cd "$(dirname "$0")/.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
awk -v d="$tmp" '/^```/ { on = !on; n += on; next }
    on { print > (d "/" n ".imp") }' docs/language.md
cat >"$tmp/given" <<'END'
use shapes
body one : circle(1) { density = 1  velocity = (1, 0) }
body two : circle(1) { density = 1  position = (3, 0) }
contact touch : one | two
END
# pieces about joints take these bodies for granted
cat >"$tmp/space" <<'END'
body left { mass = 2  inertia = diag(0.5, 0.4, 0.3) }
body right { mass = 3  inertia = diag(0.7, 0.6, 0.5) }
END
touch "$tmp/my-shapes.imp"
printf 'time [s],height [mm],n\n0,1000,1\n0.1,951,2\n0.2,804,3\n0.3,,4\n0.4,215,5\n' \
    >"$tmp/drop.csv"
failed=0
for f in "$tmp"/*.imp; do
    if grep -q '# error' "$f"; then
        grep '# error' "$f" >"$tmp/wrong"
        while read -r line; do
            echo "$line" >"$tmp/more.imp"
            "$imp" check "$tmp/more.imp" >/dev/null 2>&1
            [ $? -eq 2 ] || {
                echo "no error: $line"
                failed=1
            }
        done <"$tmp/wrong"
        continue
    fi
    if ! "$imp" check "$f" >"$tmp/log" 2>&1; then
        for given in 1 2 4; do
            { head -n $given "$tmp/given"; cat "$f"; } >"$tmp/more.imp"
            "$imp" check "$tmp/more.imp" >/dev/null 2>&1 && continue 2
        done
        # a piece that declares its own contact needs the bodies only
        { head -n 3 "$tmp/given"; cat "$f"; } >"$tmp/more.imp"
        "$imp" check "$tmp/more.imp" >/dev/null 2>&1 && continue
        cat "$tmp/space" "$f" >"$tmp/more.imp"
        "$imp" check "$tmp/more.imp" >/dev/null 2>&1 && continue
        cat "$f" "$tmp/log"
        failed=1
    elif grep -q '^expect' "$f" && ! "$imp" run "$f" >"$tmp/log" 2>&1; then
        cat "$f" "$tmp/log"
        failed=1
    fi
done
rm -f "$tmp/more.imp"
# the numbers that the reproduction shows are those of the models
sh tests/reproduction.sh check "$build" || failed=1
# links from one text to a file of the project lead somewhere, and those to a heading of
# the page itself, or of another, find it there
find README.md CONTRIBUTING.md CHANGELOG.md docs src tests examples -name node_modules -prune -o -name '*.md' -print >"$tmp/texts"
xargs grep -oE '\]\([^) ]*' <"$tmp/texts" | sed 's/:\](/ /' | grep -v ' [a-z]*:' | sort -u |
    while read -r text link; do
        page=${link%%#*}
        case $text in
        */*) there=${text%/*}/$page ;;
        *) there=$page ;;
        esac
        [ -n "$page" ] || there=$text
        [ -e "$there" ] || echo "$text: $page is not there"
        case $link in
        *#*) echo "$there ${link#*#} $text: no heading $link" >&3 ;;
        esac
    done >"$tmp/links" 3>"$tmp/wanted"
cut -d' ' -f1 "$tmp/wanted" | sort -u | while read -r page; do
    [ ! -f "$page" ] || sed -n 's/^##* //p' "$page" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-' |
        sed "s|^|$page |"
done >"$tmp/headings"
awk 'NR == FNR { there[$0]; next }
    !(($1 " " $2) in there) { sub(/^[^ ]* [^ ]* /, ""); print }' \
    "$tmp/headings" "$tmp/wanted" >>"$tmp/links"
[ ! -s "$tmp/links" ] || {
    cat "$tmp/links"
    failed=1
}
# notes of papers that comments cite have a section in docs/papers.md
grep -rohE '[a-z][a-z-]*\.md\b' src tests --include='*.[ch]' --include='*.def' |
    sort -u | while read -r notes; do
    grep -qx "## $notes" docs/papers.md || [ -e "docs/$notes" ] ||
        echo "docs/papers.md: no section on $notes, which a comment cites"
done >"$tmp/notes"
grep -rnE '\bspec(ification)? [0-9]' src tests --include='*.[ch]' --include='*.md' |
    sed 's/$/ (which notes? docs\/papers.md)/' >>"$tmp/notes"
[ ! -s "$tmp/notes" ] || {
    cat "$tmp/notes"
    failed=1
}
exit $failed
