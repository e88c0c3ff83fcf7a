# A plot and a map as pages: complete in themselves, no gnuplot, the data as base64 in them,
# the same bytes each time; a title is text.
cd $tmp
cat >m.imp <<'MODEL'
param h = 1 [m]
param e = 0.5
system ball {
  coordinate y
  kinetic   = y'^2/2
  potential = (9.81 [m/s^2])*y
  contact floor { gap = y  restitution = e }
  start { y = h }
}
let s = sweep {
  over   = (h in (1 [m], 4 [m]), e in (0.25, 0.5))
  run    = simulate { until = 3 }
  record = (count)
}
plot s.count { against = (s.h, s.e)  file = "map.html"  title = "</title><b>" }
plot s.count { against = s.h  per = s.e  file = "curves.html" }
MODEL
PATH= $imp run --out o m.imp
$imp run --out p m.imp >/dev/null
cmp o/map.html p/map.html
grep '<title>' o/map.html
grep -c 'http:\|https:\|src=' o/map.html
for f in map curves; do
    sed -n 's/.*id="run" type="application\/octet-stream">\([^<]*\)<.*/\1/p' o/$f.html | base64 -d
done
