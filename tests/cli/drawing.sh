# What a system looks like: a drawing that has no finite value from some time on
# ends there, with a warning, one that never has is left out, and a shape without an
# outline is told; all others and the run go on. A run that is not kept does not ask
# for it.
cd $tmp
cat >m.imp <<'EOM'
system ball {
  coordinate h
  kinetic   = h'^2/2
  potential = (9.81 [1/s^2])*h
  draw {
    tip   = mark(1, h)
    size  = disc((0, h), sqrt(h - 1))
    never = mark(sqrt(h - 5), 0)
    foot  = mark(1, h - 1)
  }
  start { h = 2 }
}
let r = simulate { until = 1 }
show r.time
EOM
$imp run m.imp
$imp view --no-open -o m.imprun m.imp
tr '{' '\n' <m.imprun | tr -d '\0' | grep -o '"name": .*"numbers".*"motion"'
$imp doc draw
# every shape of the library in the plane, and what has no outline
cat >shapes.imp <<'EOM'
use shapes
param a = 0.4 [m]
param n = 2
shape ring(r) = (x^2 + y^2 - r^2)^2/r^4 - 0.1
shape strip(r) = x^2/r^2 - 1
system one(w) {
  coordinate X
  kinetic = (1 [kg])*X'^2/2
  draw {
    s1 = outline(circle(a), (X, 0))
    s2 = outline(disc(a), (X, 0), 1)
    s3 = outline(ellipse(w, a), (X, 0))
    s4 = outline(superellipse(w, a, 3), (X, 0))
    s5 = outline(egg(w, a), (X, 0))
    s6 = outline(rectangle(w, a), (X, 0))
    s7 = outline(shapes.rod(w), (X, 0))
    s8 = outline(triangle((0, 0), (w, 0), (0, a)), (X, 0))
    s9 = outline(hexagon(a), (X, 0))
    s10 = outline(half_plane(), (X, 0))
    s11 = outline(polygon((0, 0), (w, 0), (w, a), (0, a)), (X, 0))
    hole = outline(ring(a), (X, 0))
    long = outline(strip(a), (X, 0))
    line = outline(polygon((0, 0), (w, 0), (2*w, 0)), (X, 0))
    foot[i in 0 .. n - 1] = outline(egg(w, a), (X + i*a, 0))
  }
}
system it : one(0.7 [m]) { start { X' = 1 [m/s] } }
let r = simulate { until = 1 }
save r { file = "r.imprun" }
EOM
$imp run --out . shapes.imp
tr '{' '\n' <r.imprun | tr -d '\0' | grep -c '"kind": "outline", "corners"'
$imp run --out j --backend=jit shapes.imp >/dev/null 2>&1 && cmp r.imprun j/r.imprun
$imp build shapes.imp -o sim && ./sim --out s >/dev/null 2>&1 && $imp replay --no-open s/r.imprun
$imp run --out . --set n=3 shapes.imp >/dev/null 2>&1
tr '{' '\n' <r.imprun | tr -d '\0' | grep -o '"name": "foot.*numbers": 3'
# every system of the library that has a block of its own has a drawing
awk '/^system / { if (name) print name; name = $3 == ":" || / : / ? "" : $2 }
    /^  draw \{/ { name = "" } END { if (name) print name }' $root/stdlib/*.imp
