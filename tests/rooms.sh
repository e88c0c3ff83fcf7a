#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks the structure of src/ against what the rooms' READMEs say.
#
#   sh tests/rooms.sh [BUILD]          check; every failure is one line
#   sh tests/rooms.sh BUILD show       print the rooms, floor by floor
#
# BUILD is the folder `build` of the repository unless it is named.
#
# A room is a folder under src/ that holds C files. Its README.md has one line
#   Uses: base, runtime/numerics
# that names every other room whose functions it calls or whose headers it
# includes. Calls are read from the object files of BUILD, includes from the
# sources. The check fails where
#   - a room calls or includes another one that its README does not name,
#   - a README names a room that does not exist, or that the room does not use,
#   - the rooms form a circle,
#   - more than three files of one room form a circle of calls,
#   - a room inside runtime, analysis or check has more than 20 C files and
#     headers, or more than six of them stand beside the folders,
#   - a file has more than 800 lines, or a function more than 80,
#   - a function that no other file uses is not static,
#   - a README leaves out a file of its room (but headers NAME_priv.h),
#   - the top of the repository holds something that does not belong there.
set -u
build=$(cd "${1:-$(dirname "$0")/../build}" && pwd)
what=${2:-check}
cd "$(dirname "$0")/.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

find src -name node_modules -prune -o -name '*.[ch]' -print | sort >"$tmp/files"
# symbols: "D file name" is defined, "U file name" is used; object files that an
# earlier layout of the sources has left in BUILD do not count
find "$build/CMakeFiles" -name '*.o' -path '*/imp*.dir/src/*' | sort |
    xargs nm -A 2>/dev/null | awk '
    {
        sub(/:/, " ", $0) # the object, then address, kind and name
        file = $1
        sub(/^.*\.dir\//, "", file)
        sub(/\.o$/, "", file)
        kind = $(NF - 1)
        if (kind == "U")
            print "U", file, $NF
        else if (kind ~ /^[TDBRCVW]$/)
            print "D", file, $NF
    }' | sort -u >"$tmp/all-symbols"
awk 'NR == FNR { there[$1]; next } $2 in there' "$tmp/files" \
    "$tmp/all-symbols" >"$tmp/symbols"
# calls: "caller callee", both files
awk '$1 == "D" { home[$3] = $2; next }
    { used[$2 " " $3] }
    END {
        for (u in used) {
            split(u, p, " ")
            if (p[2] in home && home[p[2]] != p[1])
                print p[1], home[p[2]]
        }
    }' "$tmp/symbols" | sort -u >"$tmp/calls"
# includes: "file header", the header under src/
xargs awk '/^[ \t]*#[ \t]*include "/ {
        split($0, q, "\"")
        print FILENAME, "src/" q[2]
    }' <"$tmp/files" | sort -u >"$tmp/all-includes"
awk 'NR == FNR { there[$1]; next } $2 in there' "$tmp/files" \
    "$tmp/all-includes" >"$tmp/includes"
# what the READMEs allow: "room used"
for readme in $(find src -name node_modules -prune -o -name README.md -print | sort); do
    room=$(dirname "$readme")
    sed -n 's/^Uses: *//p' "$readme" | tr -d '`.' | tr ',' '\n' |
        awk -v room="${room#src/}" 'NF { print room, $1 }'
done | sort -u >"$tmp/uses"

if [ ! -s "$tmp/calls" ]; then
    echo "rooms: $build holds no object files of src/"
    exit 1
fi

awk -v tmp="$tmp" -v what="$what" '
function room(file) {
    sub(/^src\//, "", file)
    sub(/\/[^\/]*$/, "", file)
    return file
}
function fail(text) {
    print text
    failures++
}
# every node that `from` reaches in `graph`, into `reached`
function reach(graph, from, reached,    todo, n, i, k, node, next_) {
    n = 1
    todo[1] = from
    while (n > 0) {
        node = todo[n--]
        k = split(graph[node], next_, " ")
        for (i = 1; i <= k; i++)
            if (!((from SUBSEP next_[i]) in reached)) {
                reached[from, next_[i]]
                todo[++n] = next_[i]
            }
    }
}
BEGIN {
    while ((getline line <(tmp "/files")) > 0) {
        is_room[room(line)]
        n_files[room(line)]++
        lines_of[line]
    }
    while ((getline line <(tmp "/uses")) > 0) {
        split(line, p, " ")
        allowed[p[1], p[2]]
        arrows[p[1]] = arrows[p[1]] " " p[2]
        if (!(p[2] in is_room))
            fail("src/" p[1] "/README.md: there is no room " p[2])
        has_uses[p[1]]
    }
    for (pass = 1; pass <= 2; pass++) {
        list = tmp (pass == 1 ? "/calls" : "/includes")
        verb = pass == 1 ? "calls" : "includes"
        while ((getline line <list) > 0) {
            split(line, p, " ")
            a = room(p[1])
            b = room(p[2])
            if (a != b) {
                used[a, b]
                if (!((a, b) in allowed) && !((a, b, pass) in told)) {
                    told[a, b, pass]
                    fail("room " a " " verb " " b " (" p[1] " " verb " " \
                        p[2] "), which its README does not name")
                }
            } else if (pass == 1)
                inside[p[1]] = inside[p[1]] " " p[2]
        }
    }
    for (ab in allowed)
        if (!(ab in used)) {
            split(ab, p, SUBSEP)
            fail("src/" p[1] "/README.md: " p[2] " is named, but not used")
        }
    # circles of rooms
    for (a in arrows)
        reach(arrows, a, far)
    for (a in arrows)
        if ((a, a) in far)
            fail("room " a " is in a circle of rooms")
    # circles of files
    for (f in inside)
        reach(inside, f, near)
    for (f in inside)
        if ((f, f) in near && !(f in seen)) {
            size = 0
            names = ""
            for (g in inside)
                if ((f, g) in near && (g, f) in near) {
                    seen[g]
                    size++
                    names = names " " g
                }
            if (size > 3)
                fail("a circle of " size " files:" names)
        }
    # sizes of rooms
    for (r in is_room) {
        if (r ~ /^(runtime|analysis|check)\// && n_files[r] > 20)
            fail("room " r " has " n_files[r] " files, more than 20")
        if (r ~ /^(runtime|analysis|check)$/ && n_files[r] > 6)
            fail(n_files[r] " files beside the folders of " r)
    }
    if (what == "show") {
        # the floor of a room: one above the highest that it uses
        do {
            change = 0
            for (r in is_room) {
                high = 0
                k = split(arrows[r], q, " ")
                for (i = 1; i <= k; i++)
                    if (floor_[q[i]] > high)
                        high = floor_[q[i]]
                if (floor_[r] != high + 1 && high < 40) {
                    floor_[r] = high + 1
                    change = 1
                }
            }
        } while (change)
        for (level = 1; level <= 40; level++)
            for (r in is_room)
                if (floor_[r] == level)
                    printf "%2d %s (%d files):%s\n", level, r, n_files[r],
                        arrows[r] | "sort -n"
        close("sort -n")
    }
    exit failures > 0
}' || status=1

# what stands at the top, where this is a checkout
git ls-files 2>/dev/null | sed 's,/.*,,' | sort -u |
    grep -vxE 'CMakeLists.txt|CMakePresets.json|grammar|src|stdlib|examples|tests|docs|README.md|LICENSES?|CONTRIBUTING.md|CHANGELOG.md|dev|\.ci|\.clang-format|\.gitignore|\.gitattributes' |
    sed 's/$/ does not belong at the top/' >"$tmp/top"
[ ! -s "$tmp/top" ] || {
    cat "$tmp/top"
    status=1
}

# a function begins in the first column and ends with a brace there
xargs awk '
    FNR == 1 { inside = 0 }
    FNR == 801 { print FILENAME " has more than 800 lines"; bad = 1 }
    /^[A-Za-z].*[(]/ && !/;[ \t]*$/ && !inside { inside = FNR; name = $0; body = 0 }
    /^[{]/ { body = 1 }
    /;[ \t]*$/ && !body { inside = 0 }
    /^}/ {
        if (inside && FNR - inside + 1 > 80) {
            print FILENAME ":" inside ": a function of " \
                (FNR - inside + 1) " lines: " name
            bad = 1
        }
        inside = 0
    }
    END { exit bad }' <"$tmp/files" || status=1

# names that one file of src/ defines and no other object uses; those that another
# source names (a test, the grammar, a part that was not built) are in use, as are
# those that programs look up (imp_...)
awk '{ if ($1 == "D") home[$3] = $2; else used[$3] }
    END {
        for (name in home)
            if (!(name in used) && name !~ /^(main$|imp_)/)
                print name, home[name]
    }' "$tmp/symbols" >"$tmp/alone"
cut -d' ' -f1 "$tmp/alone" >"$tmp/names"
find src grammar tests -name node_modules -prune -o -path 'src/*.h' -o -name '*.[chyl]' -print \
    -o -name '*.def' -print | xargs grep -owFf "$tmp/names" | tr ':' ' ' | sort -u >"$tmp/named"
awk 'NR == FNR { home[$1] = $2; next }
    home[$2] != $1 { used[$2] }
    END {
        for (name in home)
            if (!(name in used)) {
                print home[name] ": no other file uses " name ", which is not static"
                bad = 1
            }
        exit bad
    }' "$tmp/alone" "$tmp/named" || status=1

# a README names all files of its room: thing.c, or thing.h, or `thing`
find src -name node_modules -prune -o \( -name '*.[ch]' -o -name '*.def' -o -name README.md \) \
    -print | grep -v '_priv\.h$' | awk '
    function folder(file) {
        sub(/\/[^\/]*$/, "", file)
        return file
    }
    /\/README\.md$/ {
        while ((getline line <$0) > 0)
            text[folder($0)] = text[folder($0)] "\n" line
        next
    }
    { files[++n] = $0 }
    END {
        for (i = 1; i <= n; i++) {
            room = folder(files[i])
            base = name = substr(files[i], length(room) + 2)
            sub(/\.[a-z]*$/, "", name)
            if (name ~ /^codes_/)
                name = "codes_*"
            if (room in text && !index(text[room], "`" name ".") && !index(text[room], "`" name "`"))
                print room "/README.md does not name " base
        }
    }' >"$tmp/unnamed"
[ ! -s "$tmp/unnamed" ] || {
    cat "$tmp/unnamed"
    status=1
}

[ -n "${status:-}" ] || echo "rooms: every arrow points down"
exit "${status:-0}"
