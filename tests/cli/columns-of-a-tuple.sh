# Curves and columns of a tuple have the names of its entries.
cd "$tmp" || exit
cat >sweep.imp <<'END'
param e = 0.5
use shapes
world { gravity = (0, -9.81) }
body floor : half_plane { fixed = true }
body ball : circle(0.1) { mass = 1  position = (0, 1) }
contact c : floor | ball { restitution = e }
let s = sweep { over = (e in linspace(0, 1, 3))  run = simulate { until = 1 } }
plot (s.e, max(s.count, 2*s.e)) { file = "two.svg" }
plot (s.e, s.count)
END
"$imp" run sweep.imp | grep '^ *[*o] '
