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
# so do sweeps, whose threads have stacks of their own, and simulators
cat >$tmp/sweep.imp <<'EOF'
use shapes
param e = 0.5 in [0, 1]
world { gravity = (0, 0, -9.81)  law = newton }
body floor : half_space { fixed = true }
body brick : box(0.2, 0.1, 0.05) { mass = 1  position = (0, 0, 0.5)  rotation = ((1, 0.5, 0), 0.2) }
contact c : floor | brick { restitution = e }
let r = sweep { over = (e in linspace(0, 0.6, 4))  run = simulate { until = 0.5 }  record = count }
show r.count
EOF
$imp build $tmp/sweep.imp -o $tmp/sim
ulimit -s 64
$imp run --backend=eval --threads 2 $tmp/sweep.imp
$tmp/sim --threads 2
# the environment lies on the stack, too: without it, the system itself needs less
ulimit -s 24
env -i $tmp/sim --threads 2
echo $?
