# A level set that is not convex is told once, where contacts of bodies may meet it: one with
# a waist, one with a dent, a ring. Convex ones are not told, whatever their formula is.
cat >"$tmp/dents.imp" <<'M'
use shapes
shape waist(a, c) = ((x^2 + y^2)^2 - 2*c^2*(x^2 - y^2) - (a^4 - c^4))/a^4
shape heart(a) = ((x^2 + y^2)/a^2 - 1)^3 - x^2*y^3/a^5
body floor : half_plane { fixed = true }
body one : waist(0.12, 0.115) { mass = 1  inertia = 1  position = (0, 1)  spin = 3 }
body same : waist(0.12, 0.115) { mass = 1  inertia = 1  position = (1, 1) }
body three : heart(1) { mass = 1  inertia = 1  position = (5, 3) }
body alone : waist(1, 0.9) { mass = 1  inertia = 1  position = (9, 9) }
contact a : floor | one {}
contact b : floor | same {}
contact d : floor | three {}
show one.mass
M
cat >"$tmp/convex.imp" <<'M'
use shapes
body floor : half_plane { fixed = true }
body a : egg(0.3, 0.2, 0.6) { mass = 1  position = (0, 1) }
body b : superellipse(0.3, 0.2, 8) { mass = 1  position = (1, 1) }
body c : superellipse(0.3, 0.2, 1.2) { mass = 1  position = (2, 1) }
body d : ellipse(0.3, 0.01) { mass = 1  position = (3, 1) }
contacts between floor, (a, b, c, d) {}
show a.mass
M
cat >"$tmp/space.imp" <<'M'
use shapes
shape ring(R, r) = (((x + R)^2 + y^2 + z^2 + R^2 - r^2)^2 - 4*R^2*((x + R)^2 + y^2))/R^4
body floor : half_space { fixed = true }
body tyre : ring(1, 0.3) { mass = 1  centre = (-1, 0, 0)  inertia = diag(1, 1, 2)  position = (0, 0, 5) }
body stone : superellipsoid(0.3, 0.2, 0.1, 5) { mass = 1  position = (9, 0, 1) }
contact c : floor | tyre {}
contact d : floor | stone {}
show tyre.mass
M
for model in dents convex space; do
    (cd "$tmp" && "$imp" run --backend=eval $model.imp 2>&1)
    echo "exit $?"
done
