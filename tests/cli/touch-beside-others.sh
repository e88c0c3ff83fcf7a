# `classify` and `impact` follow the motion to the touch of one contact: another one that
# would change it is told, whether it is pressed at the start or closes on the way, and
# also where it is only the joint of a body that feels it.
cat >"$tmp/wedge.imp" <<'M'
use shapes
world { gravity = (0, -9.81) }
body floor : half_plane { fixed = true }
body wedge : polygon((0, 0), (2, 0), (0, 2)) { mass = 3  position = (2/3, 2/3) }
body ball : circle(0.1) { mass = 1  position = (1, 2)  velocity = (0, -1) }
contact rest : floor | wedge { restitution = 0 }
contact blow : wedge | ball { restitution = 0.5 }
let r = classify blow
show r.class
M
cat >"$tmp/row.imp" <<'M'
use shapes
body a : circle(1) { mass = 1  position = (-5, 0)  velocity = (2, 0) }
body b : circle(1) { mass = 1 }
body c : circle(1) { mass = 1  position = (6, 0)  velocity = (-0.5, 0) }
contact first : a | b {}
contact second : b | c {}
let far = impact second
let near = impact first
show far.time, near.time
M
cat >"$tmp/joined.imp" <<'M'
use shapes
body a : circle(1) { mass = 1  velocity = (1, 0) }
body b : circle(1) { mass = 1  position = (0, 5)  velocity = (1, 0) }
joint bar : weld(a, b) {}
body wall : half_plane { fixed = true  angle = 90 [deg]  position = (4, 0) }
body post : circle(1) { fixed = true  position = (8, 5) }
contact touch : post | b {}
contact before : wall | a {}
let r = classify touch
show r.time
M
for model in wedge row joined; do
    (cd "$tmp" && "$imp" run --backend=eval $model.imp 2>&1)
    echo "exit $?"
done
