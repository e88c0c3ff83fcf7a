# Two numbers in round brackets are two values, in square ones a range: W0306 where they
# are taken for the other, behind `over` of a sweep, `random`, and `over` of a search.
cat >$tmp/m.imp <<'EOF'
param a = 0.5 in [0, 1]
system s { coordinate x  kinetic = x'^2/2  start { x' = a*(1 [1/s]) } }
let o = sweep { over = (a in [0, 1])  run = simulate { until = 1  record = s.x }  record = s_x[-1] }
let d = sweep { random = (a in (0, 1))  repeat = 3  run = simulate { until = 1  record = s.x }  record = s_x[-1] }
let m = minimise (a - 0.3)^2 over (a in (0, 1))
let good = sweep { random = (a in [0, 1])  repeat = 3  run = simulate { until = 1  record = s.x }  record = s_x[-1] }
EOF
cd $tmp
$imp run m.imp
