# A gain of energy is told again where it is far above those before: first by a rod
# that weighs little, then by a heavy one, and not by a third that weighs half as much.
cd "$tmp" || exit
cat >rods.imp <<'EOF'
use shapes
world { gravity = (0, -9.81)  law = newton }
body floor : half_plane { fixed = true }

body light : polygon((-1, -0.01), (1, 0), (-1, 0.01)) {
  mass     = 1e-9
  angle    = 60 [deg]
  position = (0, 1.59)
  velocity = (0.3, -2)
}

body heavy : polygon((-1, -0.01), (1, 0), (-1, 0.01)) {
  mass     = 1
  angle    = 60 [deg]
  position = (5, 1.6)
  velocity = (0.3, -2)
}

body middle : polygon((-1, -0.01), (1, 0), (-1, 0.01)) {
  mass     = 0.5
  angle    = 60 [deg]
  position = (10, 1.6)
  velocity = (0.3, -2)
}

contact one : floor | light { friction = 1  restitution = 0.9 }
contact two : floor | heavy { friction = 1  restitution = 0.9 }
contact three : floor | middle { friction = 1  restitution = 0.9 }
let r = simulate { until = 0.7 }
show r.energy_after - r.energy_before
EOF
$imp run rods.imp 2>&1
