# W0309: a run of bodies without a weight, a speed or a force; not where anything may move
cd "$tmp" || exit
cat >still.imp <<'EOF'
use shapes
body floor : half_plane { fixed = true }
body ball : circle(0.1) { mass = 1  position = (0, 1)  velocity = (0, 0) }
contact c : floor | ball { restitution = 0.5 }
let r = simulate { until = 1 }
show r.count
EOF
"$imp" run still.imp
for more in 'world { gravity = (0, -9.81) }' 'param v = 0 [m/s]
body other : circle(0.1) { mass = 1  position = (3, 1)  velocity = (v, 0) }' \
    'body wall : half_plane { fixed = true  angle = (1 [1/s])*t  position = (9, 0) }' \
    'joint pin : hinge(ball, world) { at = (0, 1)  rate = 1 }' \
    'rotor wheel : ball { inertia = 0.1  rate = 1 }'; do
    { cat still.imp; echo "$more"; } >moves.imp
    echo "$more" | head -n 1
    "$imp" run moves.imp
done
