cat >$tmp/p.imp <<'END'
"how long"
param l = 0.1 [m] in [0.001, 1]
param k = 2
show l, k
END
cd $tmp
$imp run --backend=eval p.imp
$imp run --backend=eval p.imp --set 'l=3 [mm]' --set k=-1e3
$imp run --backend=eval p.imp --set l=0.5
$imp run --backend=eval p.imp --set k=1/4
$imp run --backend=eval p.imp --set 'l=3 [s]'
$imp run --backend=eval p.imp --set l=2
$imp run --backend=eval p.imp --set lenght=2
$imp run --backend=eval p.imp --set k
$imp run --backend=eval p.imp --set k=two
$imp run --backend=eval p.imp --set k=nan
