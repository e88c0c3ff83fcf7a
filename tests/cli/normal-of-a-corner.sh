cd $tmp
# The normal that is shown is stated as it stands, though the body has turned.
cat >corners.imp <<'EOF'
use shapes
world { gravity = (0, -9.81) }
body floor : half_plane { fixed = true }
body comes : polygon((0.2, -0.2), (-0.2, -0.2), (-0.1, 0.2)) { mass = 1  position = (-1, 0.4)  angle = -1  velocity = (1.5, 0) }
body wall : rectangle(0.4, 0.4) { mass = 5  position = (0, 0.2) }
contacts { restitution = 0 }
let r = simulate { until = 2 }
show r.status, r.summary
EOF
$imp run --backend=eval corners.imp >told 2>&1
cat told
line=$(sed -n 's/.*in the contact: \(contact .*}\), as it was.*/\1/p' told)
sed "s/^contacts/$line\ncontacts/" corners.imp >stated.imp
$imp run --backend=eval stated.imp
