cat >$tmp/d.imp <<'END'
let length = 2
show lenght
END
cd $tmp
$imp check d.imp
$imp check --diagnostics=lines d.imp
$imp check --diagnostics=json d.imp
