# An impact that no law determines is told with the points that touch.
cd $tmp
cat >flat.imp <<'END'
use shapes
world { gravity = (0, -9.81) }
body floor : half_plane { fixed = true }
body box : rectangle(0.4, 0.2) { mass = 1  position = (0, 1)  velocity = (1, 0) }
contact c : floor | box { friction = 0.3  restitution = 0.5 }
let r = simulate { until = 1 }
END
$imp run --backend=eval flat.imp
# The remedy names other laws than the one that leaves it open.
cat >open.imp <<'END'
system p {
  coordinate a, b
  mass = [0.4297, -0.0123; -0.0123, 0.7514]
  contact c { gap = 0.101*a - 0.815*b  slide = -0.355*a + 0.411*b  restitution = 0.727  friction = 1.471 }
  contact d { gap = -0.9*a - 0.677*b  slide = 0.164*a + 0.838*b  restitution = 0.404  friction = 1.49 }
  contact e { gap = -0.007*a - 0.629*b  slide = -0.97*a - 0.107*b  restitution = 0.392  friction = 1.353 }
  start { a' = 0.941  b' = 1.706 } }
let h = impact p.c, p.d, p.e { law = poisson }
END
$imp run --backend=eval open.imp
