# Lets that read one another, 3000 in a row, are no nesting, in whatever order they stand.
cd $tmp
awk 'BEGIN { print "let a0 = 1"
    for (i = 1; i <= 3000; i++) print "let a" i " = a" i - 1 " + 1"
    print "show a3000" }' >rising.imp
awk 'BEGIN { for (i = 3000; i > 0; i--) print "let a" i " = a" i - 1 " + 1"
    print "let a0 = 1"
    print "show a3000" }' >falling.imp
$imp run --backend=eval rising.imp
$imp run --backend=eval falling.imp
# functions that call one another so deep are
awk 'BEGIN { print "fn f0(x) = x + 1"
    for (i = 1; i < 1300; i++) print "fn f" i "(x) = f" i - 1 "(x) + 1"
    print "show f1299(1)" }' >deep.imp
$imp run --backend=eval deep.imp 2>&1 | grep -e error -e help
true
