# SPDX-License-Identifier: GPL-3.0-or-later
# awk -f close.awk KEPT GOT: ends with status 0 if both texts have the same words
# and their numbers differ by rounding only. The sin and exp of the C library may
# differ in the last bit between processors. Line breaks and blanks do not count.
function words(file, w,    line, n, i, k, part) {
    n = 0
    while ((getline line < file) > 0) {
        gsub(/[][(),:]/, " & ", line)
        k = split(line, part, /[ \t]+/)
        for (i = 1; i <= k; i++)
            if (part[i] != "")
                w[++n] = part[i]
    }
    return n
}
function number(s) {
    return s ~ /^[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$/
}
function size(x) {
    return x < 0 ? -x : x
}
BEGIN {
    n = words(ARGV[1], a)
    m = words(ARGV[2], b)
    if (n != m)
        exit 1
    for (i = 1; i <= n; i++) {
        if (a[i] "" == b[i] "")
            continue
        if (!number(a[i]) || !number(b[i]))
            exit 1
        x = a[i] + 0
        y = b[i] + 0
        if (size(x - y) > 1e-11 + 1e-6*size(x))
            exit 1
    }
    exit 0
}
