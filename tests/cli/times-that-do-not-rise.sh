# Rows come in the order of time, whatever the order of `at`: told of a run, of the runs of
# a fit, and of a run backward in time. Equal times are no mistake, and with keep = 0 the second
# engine has rows at them alone, too.
printf 't [s],h [m]\n0.3,1.6\n0.1,1.9\n0.1,1.95\n' >$tmp/d.csv
cat >$tmp/m.imp <<'EOF'
data d = "d.csv"
param g : m/s^2 = 9 in [1, 20]
system ball { coordinate h  kinetic = (1 [kg])*h'^2/2  potential = (1 [kg])*g*h  start { h = 2 } }
let r = simulate { until = 1  at = d.t  keep = 0  record = ball.h }
let f = fit ball_h to d.h over (g) { run = simulate { until = 1  at = d.t  keep = 0  record = ball.h } }
let b = simulate { until = -1  at = (-0.2, -0.1)  record = ball.h }
let same = simulate { until = 1  at = sort(d.t)  keep = 0  record = ball.h }
EOF
cd $tmp
$imp run m.imp
cat >g.imp <<'EOF'
system drop { coordinate h  kinetic = h'^2/2  potential = (9.81 [m/s^2])*h  contact c { gap = h  restitution = 0.5 }  start { h = 0.1 } }
let r = simulate { until = 0.5  at = (0.1, 0.1, 0.4)  keep = 0  record = drop.h  engine = gsl }
show r.t
EOF
$imp run g.imp
