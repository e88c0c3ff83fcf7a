#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks the wrong models of tests/bad and the diagnostic codes:
# - there are many wrong models, and each shows one error;
# - a model's name begins with the code that it shows, and all models of one code
#   lie in one folder;
# - every code is shown by a wrong model, or looked for by another test, or listed
#   with a reason in tests/codes.unseen;
# - every code is used by a source file.
set -u
cd "$(dirname "$0")/.."
failed=0

complain() {
    echo "FAIL $*"
    failed=1
}

models=$(ls tests/bad/*/*.imp | wc -l)
shown=$(cat tests/bad/*/*.err | grep -o '^error\[E[0-9]*\]' | sort -u | wc -l)
echo "$models wrong models show $shown different errors"
[ "$models" -ge 60 ] || complain "fewer than 60 wrong models"
[ "$shown" -ge 40 ] || complain "fewer than 40 different errors"

# A model has one mistake, so it shows one error. A failed `expect` is an answer; E0001
# says under its place what could stand there.
wrong=$(awk '
    function tell(    name) {
        name = file
        sub(/.*\//, "", name)
        if (n != 1)
            print file " shows " n " errors, not one"
        if (code != "E0703" && code != "E0001" && !help)
            print file " shows no remedy"
        if (index(name, code "-") != 1)
            print file " shows " code ": its name must begin with " code "-"
    }
    FNR == 1 {
        if (file != "")
            tell()
        file = FILENAME
        n = help = 0
        code = ""
    }
    /^error\[/ {
        if (!n++)
            code = substr($0, 7, index($0, "]") - 7)
    }
    /^ *= help: / { help = 1 }
    END { tell() }' tests/bad/*/*.err)
[ -z "$wrong" ] || complain "$wrong"
for code in $(ls tests/bad/*/*.imp | sed 's,.*/bad/\(.*/E[0-9]*\)-.*,\1,' |
    sort -u | sed 's,.*/,,' | sort | uniq -d); do
    complain "the models that show $code lie in different folders of tests/bad"
done

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
grep -rhoE --include='*.[chyl]' '(DIAG_|\[)[EW][0-9]{4}' src grammar |
    grep -oE '[EW][0-9]{4}' | sort -u >"$tmp/used"
# every row of sentences.def is tried by test_syntax_errors
sed -n 's/^SENTENCE(\([EW][0-9]*\),.*/\1/p' grammar/sentences.def |
    sort -u >"$tmp/sentences"
{
    cat "$tmp/sentences"
    grep -rhoE '[EW][0-9]{4}\b' tests/bad tests/unit tests/cli tests/repl \
        tests/run tests/hostile.sh tests/engines.sh
} | sort -u >"$tmp/seen"
for code in $(sed -n 's/^CODE(\([EW][0-9]*\),.*/\1/p' src/base/codes_*.def); do
    grep -qx "$code" "$tmp/used" "$tmp/sentences" ||
        complain "$code is used nowhere"
    reason=$(sed -n "s/^$code  *//p" tests/codes.unseen)
    if grep -qx "$code" "$tmp/seen"; then
        [ -z "$reason" ] || complain "$code is tested: remove it from tests/codes.unseen"
    elif [ -z "$reason" ]; then
        complain "$code is neither tested nor in tests/codes.unseen"
    fi
done
exit $failed
