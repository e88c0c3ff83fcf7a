#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Tests of the viewer (src/view) and of what shows runs elsewhere.
#   sh tests/view/run.sh BUILD page      pages in Debian's chromium
#   sh tests/view/run.sh BUILD bundle    viewer.min.js and plot.min.js are what the sources make
#   sh tests/view/run.sh BUILD gltf      glTF files of runs
#   sh tests/view/run.sh BUILD examples  run files of all examples
#   sh tests/view/run.sh BUILD vtk       files of VTK of runs
# Status 77: skipped, because a program is not there. CI must not skip the pages.
set -eu
build=$(cd "${1:?usage: run.sh BUILD page|bundle|gltf|vtk|examples}" && pwd)
cd "$(dirname "$0")"

skip() {
    echo "skipped: $1 is not there"
    [ -n "${CI:-}" ] && [ "$2" = must ] && exit 1
    exit 77
}

case ${2:?} in
page)
    command -v node >/dev/null || skip "node (Debian: nodejs)" must
    browser=$(command -v chromium || command -v chromium-browser ||
        command -v google-chrome) || skip chromium must
    exec node page.mjs "$build/imp" "$browser"
    ;;
gltf | vtk | examples)
    command -v node >/dev/null || skip "node (Debian: nodejs)" must
    exec node "$2.mjs" "$build/imp"
    ;;
bundle)
    view=../../src/view
    command -v node >/dev/null || skip "node (Debian: nodejs)" may
    [ -x $view/node_modules/.bin/esbuild ] ||
        skip "src/view/node_modules (npm ci in src/view)" may
    tmp=$(mktemp -d)
    trap 'rm -rf "$tmp"' EXIT
    for page in viewer plot; do
        (cd $view && node_modules/.bin/esbuild $page.js --bundle --minify \
            --format=iife --target=es2020 --legal-comments=inline --charset=ascii \
            --log-level=error --outfile="$tmp/$page.min.js")
        cmp "$tmp/$page.min.js" $view/$page.min.js || {
            echo "$page.min.js is out of date: npm run build in src/view"
            exit 1
        }
    done
    ;;
esac
