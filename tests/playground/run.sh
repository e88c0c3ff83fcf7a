#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Tests of the playground (src/playground), whose page `./dev test` builds.
#   sh tests/playground/run.sh BUILD examples   the bytes of all examples, and of functions
#   sh tests/playground/run.sh BUILD page       the page in Debian's chromium
#   sh tests/playground/run.sh BUILD bundle     page.min.js is what the sources make
# Status 77: skipped, because a program is not there. CI must not skip the first two.
set -eu
build=$(cd "${1:?usage: run.sh BUILD examples|page|bundle}" && pwd)
cd "$(dirname "$0")"

skip() {
    echo "skipped: $1 is not there"
    [ -n "${CI:-}" ] && [ "$2" = must ] && exit 1
    exit 77
}

command -v node >/dev/null || skip "node (Debian: nodejs)" must
case ${2:?} in
examples)
    [ -e "$build/wasm/imp.wasm" ] || skip "the target playground (emscripten)" must
    node "$build/wasm/hash_wasm.js" | diff ../elementary/hash.out - || {
        echo "elementary functions have other bits in WebAssembly"
        exit 1
    }
    exec node examples.mjs "$build/imp" "$build/wasm"
    ;;
page)
    [ -e "$build/playground.html" ] || skip "the target playground (emscripten)" must
    browser=$(command -v chromium || command -v chromium-browser ||
        command -v google-chrome) || skip chromium must
    exec node page.mjs "$build/playground.html" "$browser"
    ;;
bundle)
    play=../../src/playground
    [ -x $play/node_modules/.bin/esbuild ] ||
        skip "src/playground/node_modules (npm ci in src/playground)" may
    tmp=$(mktemp -d)
    trap 'rm -rf "$tmp"' EXIT
    (cd $play && node_modules/.bin/esbuild page.js --bundle --minify \
        --format=iife --target=es2020 --legal-comments=inline --charset=ascii \
        --log-level=error --outfile="$tmp/page.min.js")
    cmp "$tmp/page.min.js" $play/page.min.js || {
        echo "page.min.js is out of date: npm run build in src/playground"
        exit 1
    }
    ;;
esac
