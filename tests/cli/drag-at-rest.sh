# A drag along norm(v) has no value at rest: the stop says what to write. The second engine does
# not see what sign holds there, and says so at once.
cat >$tmp/m.imp <<'E'
body puck {
  planar   = true
  mass     = 1
  inertia  = 1
  position = (0, 0)
  velocity = (1, 0.5)
  force    = -(2 [N])*puck.velocity/norm(puck.velocity)
}
let r = simulate { until = 1  record = puck.position }
E
cat >$tmp/n.imp <<'E'
system s {
  coordinate x
  kinetic = (1 [kg])*x'^2/2
  force   = -(2 [N])*sign(x')
  start { x' = 1 }
}
let r = simulate { until = 2  record = s.x  engine = gsl  every = 0.25 }
show r.s_x
E
cd $tmp
$imp run m.imp
$imp run n.imp
