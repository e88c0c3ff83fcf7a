# A force that drives on what moves leaves rest open; not where a load decides, nor
# where a contact holds it more firmly than that, along its slip or along its normal;
# an open one holds nothing.
cat >$tmp/m.imp <<'END'
use shapes
system s {
  coordinate x
  kinetic = (1 [kg])*x'^2/2
  force   = (2 [N])*sign(x') - (1 [kg/s])*x'
}
system pulled {
  coordinate x
  kinetic = (1 [kg])*x'^2/2
  force   = (3 [N]) + (2 [N])*sign(x')
}
system rough {
  coordinate x, y
  kinetic   = (1 [kg])*(x'^2 + y'^2)/2
  potential = (9.81 [N])*y
  force     = ((2 [N])*sign(x'), 0 [N])
  contact c { gap = y  slide = x  friction = 0.3 }
}
system looser {
  coordinate x, y
  kinetic   = (1 [kg])*(x'^2 + y'^2)/2
  potential = (9.81 [N])*y
  force     = ((4 [N])*sign(x'), 0 [N])
  contact c { gap = y  slide = x  friction = 0.3 }
}
system lifted {
  coordinate y
  kinetic   = (1 [kg])*y'^2/2
  potential = (9.81 [N])*y
  force     = (20 [N])*sign(y')
  contact c { gap = y }
}
system heavy {
  coordinate y
  kinetic   = (1 [kg])*y'^2/2
  potential = (9.81 [N])*y
  force     = (9 [N])*sign(y')
  contact c { gap = y }
}
# in flight, over a contact that is open
system over {
  coordinate y
  kinetic   = (1 [kg])*y'^2/2
  potential = (9.81 [N])*y
  force     = (20 [N])*sign(y')
  contact c { gap = y }
  start { y = 5 [m] }
}
system heavy_over {
  coordinate y
  kinetic   = (1 [kg])*y'^2/2
  potential = (9.81 [N])*y
  force     = (9 [N])*sign(y')
  contact c { gap = y }
  start { y = 50 [m] }
}
world { gravity = (0, -9.81) }
body floor : half_plane { fixed = true }
body box : rectangle(0.4, 0.2) {
  mass = 1
  position = (0, 0.1)
  force = ((2 [N])*sign(box.velocity[0]), 0)
}
contact on : floor | box { friction = 0.3 }
body disc : circle(0.1) {
  mass = 1
  position = (1, 0.1)
  force = (0, (20 [N])*sign(disc.velocity[1]))
}
contact under : floor | disc
let r = simulate { until = 1  record = s.x }
show r.s_x[-1]
END
cd $tmp
$imp run m.imp
