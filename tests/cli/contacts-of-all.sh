# `contacts { ... }` gives the motion that contacts give which are all written
# down, to the last bit.
cd $tmp
cat >bodies <<'END'
use shapes
world { gravity = (0, -9.81) }
body floor : half_plane { fixed = true }
body wall : half_plane { fixed = true  position = (-1.5, 0)  angle = -pi/2 }
body a : circle(0.5) { mass = 2  position = (-0.2, 1) }
body b : circle(0.4) { mass = 1  position = (0.1, 3)  velocity = (-1, 0) }
body c : rectangle(0.6, 0.5) { mass = 1  position = (1, 1)  spin = 1 }
END
cat >contacts <<'END'
contact k0 : floor | a { restitution = 0.5 }
contact k1 : floor | b { restitution = 0.5 }
contact k2 : floor | c { restitution = 0.5 }
contact k3 : wall | a { restitution = 0.5 }
contact k4 : wall | b { restitution = 0.5 }
contact k5 : wall | c { restitution = 0.5 }
contact k6 : a | b { restitution = 0.5 }
contact k7 : a | c { restitution = 0.5 }
contact k8 : b | c { restitution = 0.5 }
END
cat >question <<'END'
let r = simulate { until = 1.5  record = (a.position, b.position, c.position, c.spin, a.energy)  every = 0.1 }
save r { file = "r.csv" }
show r.count, r.event_times, r.event_impulses
END
cat bodies contacts question >all.imp
(cat bodies question; echo 'contacts { restitution = 0.5 }') >block.imp
$imp run --backend=eval --out all all.imp >all.txt
$imp run --backend=eval --out block block.imp >block.txt
cmp all.txt block.txt && cmp all/r.csv block/r.csv && echo same
grep count all.txt
