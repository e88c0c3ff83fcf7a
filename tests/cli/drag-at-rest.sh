# A drag along norm(v) is held at rest on the line that a pin leaves v. Of an observer it has no value
# there: the stop says what to write. The second engine does not see what such forces hold, and says
# so at once.
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
show r.arm_angle[-1]
E
cat >$tmp/o.imp <<'E'
system s {
  coordinate x
  kinetic = (1 [kg])*x'^2/2
  observer {
    coordinate p, q
    p' = -p/hypot(p, q)/(1 [s])
    q' = -q/hypot(p, q)/(1 [s])
  }
  start { p = 1  q = 2 }
}
let r = simulate { until = 4 }
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
$imp run o.imp
$imp run n.imp
