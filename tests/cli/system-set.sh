# A param in the range of a family decides how many contacts there are.
cat >$tmp/feet.imp <<'EOF'
use chatter
param n = 3 in [2, 6]
system one : feet(n, 0.3, 0.1) { start { h = 1  h' = -1  phix = 0.1 } }
show one.foot, one.foot[n-1]
EOF
cd $tmp
$imp run --backend=eval feet.imp
$imp run --backend=eval feet.imp --set n=5
$imp run --backend=eval feet.imp --set n=2.5
$imp run --backend=eval feet.imp --set n=9
