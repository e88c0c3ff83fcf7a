# A drag along norm(v) has no value at rest where v has one line to move along: the stop says what
# to write. The second engine does not see what such forces hold, and says so at once.
cat >$tmp/m.imp <<'E'
world { gravity = (0, 0) }
body arm {
  planar   = true
  mass     = 1
  inertia  = 1
  position = (0.5, 0)
  spin     = 1
  force    = -(2 [N])*arm.velocity/norm(arm.velocity)
}
joint pin : hinge(arm, world) { at = (0, 0) }
let r = simulate { until = 4  record = arm.angle }
E
sed 's/spin     = 1/spin     = 0/' $tmp/m.imp >$tmp/o.imp
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
$imp run o.imp
$imp run n.imp
