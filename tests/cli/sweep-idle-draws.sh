# Values of a param that nothing reads give runs that differ by what they draw.
cd $tmp
cat >idle.imp <<'END'
param k = 1
world { seed = 4 }
system b { coordinate x  kinetic = x'^2/2  start { x' = random(0, 1) } }
let s = sweep {
  over   = (k in (1, 2))
  run    = simulate { until = 1  at = 0  record = b.x' }
  record = b_x_dot[0]
}
expect s.b_x_dot_0[0] != s.b_x_dot_0[1]
END
$imp run --backend=eval idle.imp
