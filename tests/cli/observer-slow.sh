# Every impact takes away a tenth of a variable. Infinitely many impacts bring it to 0,
# but it shrinks more slowly than the speeds do.
cd $tmp
cat >slow.imp <<'M'
system ball {
  coordinate h
  kinetic   = h'^2/2
  potential = h
  contact floor { gap = h  restitution = 0.6 }
  observer {
    coordinate p, v
    p' = 0
    v' = 0
    jump { p = -0.1*before(p)  v = jump(h') }
  }
  start { h = 0.5  p = 1 }
}
let r = simulate { until = 10  record = (ball.v, ball.p)  at = 10 }
expect abs(r.ball_v[-1] - 4) < 1e-13
expect abs(r.ball_p[-1]) < 1e-14
M
$imp run slow.imp
