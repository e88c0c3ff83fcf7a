# What `painleve` tells of one contact is as if no other one pushed: it says so where another
# one is closed and acts on it (W0747), of bodies and of systems, and not where it does not.
cd $tmp
cat >plate.imp <<'END'
use shapes
world { gravity = (0, -1) }
body floor : half_plane { fixed = true }
body plate : rectangle(3, 0.2) { mass = 1  position = (0, 0.1)  velocity = (1, 0) }
body ball : circle(0.1) { mass = 1  position = (0, 0.3)  velocity = (0.5, 0) }
body far : circle(0.1) { mass = 1  position = (5, 0.1)  velocity = (1, 0) }
contact on : plate | ball { friction = 0.3 }
contact under : floor | plate { friction = 0.5 }
contact alone : floor | far { friction = 0.5 }
let p = painleve on
let q = painleve alone
show p.modes, q.modes
END
cat >table.imp <<'END'
system table {
  coordinate X, Y, phi
  kinetic   = (2 [kg])*(X'^2 + Y'^2 + (0.4 [m^2])*phi'^2)/2
  potential = (2 [N])*Y
  contact left {
    gap        = Y - (1 [m])*phi
    slide      = X
    friction   = 0.5
    compliance = (1 [N/m])*depth
  }
  contact right { gap = Y + (0.5 [m])*phi  slide = X  friction = 0.5 }
  start { X' = 1 [m/s] }
}
let one = painleve table.left
let both = painleve table.left, table.right
let r = portrait table.left
show one.modes, both.modes, r.panel
END
cat >stairs.imp <<'END'
system grain {
  coordinate x, y
  kinetic = (2 [kg])*(x'^2 + y'^2)/2
  force   = (0 [N], -1 [N])
  contact floor { gap = y  slide = x  friction = 0.5 }
  contact wall { gap = x }
  start { }
}
let p = painleve grain.floor
show p.modes
END
for m in plate table stairs; do $imp run $m.imp; done
cat >pin.imp <<'END'
use shapes
world { gravity = (0, -9.81) }
body floor : half_plane { fixed = true }
body rod : polygon((-0.5, 0), (0.5, 0), (0, 0.1)) {
  mass     = 1
  centre   = (0, 0)
  position = (0.5 [m])*(cos(0.7), sin(0.7))
  angle    = -0.7
}
joint pin : hinge(rod, world) { at = (0, sin(0.7))  friction = 0.2  radius = 0.02 }
contact tip : floor | rod { friction = 0.5 }
let p = painleve tip
show p.verdict
END
$imp run pin.imp
