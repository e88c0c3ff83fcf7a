# the run that a summary calls the worst, made again alone
cd $tmp
cat >m.imp <<'END'
param e = 0.5 in [0, 1]
system ball {
  coordinate h
  kinetic   = (1 [kg])*h'^2/2
  potential = (9.81 [N])*h
  contact floor { gap = h  restitution = e }
  start { h = random(0.5 [m], 2 [m]) }
}
let one = simulate { until = 3  record = sup(ball.h') }
show one.sup_ball_h_dot
let s = sweep {
  over    = (e in (0.3, 0.6))
  repeat  = 50
  run     = simulate { until = 3  record = sup(ball.h') }
  record  = sup_ball_h_dot
  summary = true
  worst   = sup_ball_h_dot
}
show s.sup_ball_h_dot_max
save s.worst_run { file = "worst.csv" }
END
$imp run --out . --seed 5 m.imp
cat worst.csv
for line in 2 3; do
    $imp run $(sed -n "${line}s/^[^-]*//p" worst.csv) m.imp | head -1
done
$imp run --run=-1 m.imp
