cat >$tmp/j.imp <<'END'
let v = (1, 2) [m]
show v, "text", 1 < 2
expect 1 > 2
END
cd $tmp
$imp run --backend=eval --json j.imp
echo $?
$imp run --backend=eval --json --diagnostics=json j.imp
