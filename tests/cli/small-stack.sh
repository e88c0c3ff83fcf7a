# Where the system gives a small stack, models nest as deep as anywhere.
ulimit -s 512
awk 'BEGIN {
    for (i = 0; i < 490; i++)
        a = a "sin(p + "
    for (i = 0; i < 490; i++)
        b = b ")"
    print "param p = 1\nlet a = " a "1" b "\nshow a"
}' >$tmp/deep.imp
$imp run $tmp/deep.imp
$imp fmt --check $tmp/deep.imp >/dev/null
