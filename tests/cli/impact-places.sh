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
