#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh BUILD build: the site of docs/ is made without a warning, has a page for every code and
# every example, no link of its own that leads nowhere, and its search works from disk. Status 77:
# skipped, because a program is not there; CI must not.
set -eu
build=$(cd "${1:?usage: run.sh BUILD build}" && pwd)
cd "$(dirname "$0")/../.."

skip() {
    echo "skipped: $1 is not there"
    [ -z "${CI:-}" ] || exit 1
    exit 77
}
[ -x /usr/bin/sphinx-build ] || skip "sphinx (Debian: python3-sphinx, python3-myst-parser)"
/usr/bin/python3 -c 'import myst_parser' || skip "python3-myst-parser"
/usr/bin/python3 docs/site/build.py "$build/imp" "$build/site-test"
site=$build/site-test/html
for code in $("$build/imp" explain | cut -c1-5); do
    [ -e "$site/codes/$code.html" ] || { echo "no page of $code"; exit 1; }
done
/usr/bin/python3 tests/site/links.py "$site"
command -v node >/dev/null || skip node
browser=$(command -v chromium || command -v google-chrome) || skip chromium
node tests/site/search.mjs "$site" "$browser"
rm -rf "$build/site-test"
