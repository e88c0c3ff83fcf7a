#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The tables of docs/reproduction.md whose columns are
#
#   | value | references ... | Imp | differences ... |
#
# hold what the model that the heading above them names really prints. `value` is
# an expression that is shown at the end of the model. Each reference that is not
# `-` has its difference, Imp minus reference. In tables
#
#   | line | value | references ... | Imp | differences ... | model |
#
# each row names its model, in examples/ unless it says tests/.
#
#   sh tests/reproduction.sh check BUILD     compare the columns with what comes
#   sh tests/reproduction.sh accept BUILD    write the columns
set -u
mode=$1
imp=$(cd "$2" && pwd)/imp
cd "$(dirname "$0")/.."
doc=docs/reproduction.md
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export XDG_CACHE_HOME="$tmp/cache" NO_COLOR=1

# $tmp/rows: a line for each row: the model, then what to show
cat >"$tmp/cells.awk" <<'END'
function trim(s) { gsub(/^[ `]+|[ `]+$/, "", s); return s }
BEGIN { FS = "|" }
/^#/ { model = $0; sub(/^[^`]*`/, "", model); sub(/`.*/, "", model); on = 0 }
!/^\|/ { on = 0 }
/^\| value / || /^\| line \| value / { on = 1; n = 0; col = /^\| line/ ? 3 : 2
    for (i = 3; i < NF; i++) { if (trim($i) == "Imp") at = i }
    heading = 1 }
{ rule = $0 ~ /^\|[-|]*$/ }
on && !heading && !rule && col == 3 { model = trim($(NF - 1)) ".imp"
    if (model !~ /^tests/) model = "examples/" model }
END
awk 'function show(e) { print model "\t" e }
'"$(cat "$tmp/cells.awk")"'
on && !heading && !rule {
    show(trim($col))
    for (i = col + 1; i < at; i++)
        if (trim($i) != "-") show("(" trim($col) ") - (" trim($i) ")")
}
{ heading = 0 }' $doc >"$tmp/rows"

find examples tests/run -name '*.csv' -exec cp {} "$tmp" ';' # data of models

# run each model once, with what its rows show at its end
: >"$tmp/got"
for model in $(cut -f1 "$tmp/rows" | awk '!seen[$0]++'); do
    n=$(awk -F'\t' -v m="$model" '$1 == m' "$tmp/rows" | wc -l)
    { cat "$model"
      echo
      awk -F'\t' -v m="$model" '$1 == m {
          print "let row_" ++n "_ = " $2; print "show row_" n "_" }' "$tmp/rows"
    } >"$tmp/model.imp"
    "$imp" run --backend=eval "$tmp/model.imp" >"$tmp/out" 2>"$tmp/err" || {
        echo "FAIL $model"
        head -20 "$tmp/err"
        exit 1
    }
    tail -n "$n" "$tmp/out" | sed 's/^.* = //' |
        awk -v m="$model" '{ print m "\t" $0 }' >>"$tmp/got"
done

# differences below 1e-13 come from rounding, so their digits say nothing
awk 'function short(s) {
    s += 0
    return s < 1e-13 && s > -1e-13 ? "< 1e-13" : sprintf("%.1e", s) }
function next_of(m) { return got[m, ++used[m]] }
BEGIN { while ((getline line < "'"$tmp/got"'") > 0) {
    split(line, part, "\t"); got[part[1], ++have[part[1]]] = part[2] } }
'"$(cat "$tmp/cells.awk")"'
on && !heading && !rule {
    line = "|"
    for (i = 2; i < at; i++) line = line $i "|"
    line = line " " next_of(model) " |"
    for (i = col + 1; i < at; i++)
        line = line " " (trim($i) == "-" ? "-" : short(next_of(model))) " |"
    if (col == 3) line = line $(NF - 1) "|"
    $0 = line
}
{ heading = 0; print }' $doc >"$tmp/new"

if [ "$mode" = accept ]; then
    cmp -s "$tmp/new" $doc || { cp "$tmp/new" $doc; echo "accepted $doc"; }
elif ! diff -u $doc "$tmp/new"; then
    echo "FAIL $doc: sh tests/reproduction.sh accept BUILD writes the columns"
    exit 1
fi
echo "$(wc -l <"$tmp/got") values of $doc"
