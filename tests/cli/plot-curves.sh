# Maps with level lines and curves are drawn as files; two runs give the same bytes.
cd $tmp
cat >m.imp <<'EOF'
use chatter
param rho = 0.3 in [0.01, 5]
param gamma = 0.1 in [0, 1]
system rod : small_rod(rho, gamma)
let s = sweep {
  over   = (rho in linspace(0.1, 3, 30), gamma in linspace(0.02, 0.98, 13))
  run    = chatter rod
  record = (dominant, verdict, impacts)
}
let goyal = ((1 - rho)/(1 + rho))^2
plot s.dominant { against = (s.rho, s.gamma)  overlay = goyal  file = "a.svg" }
plot s.verdict { against = (s.rho, s.gamma)  contours = s.impacts  levels = (5, 10, 14)  file = "b.svg" }
plot s.verdict { against = (s.rho, s.gamma)  overlay = (5 + rho, goyal)  file = "c.png" }
plot s.impacts { against = s.rho  per = s.gamma  title = "how often it is hit"  file = "d.svg" }
EOF
for o in o p; do $imp run --out $o m.imp; done
for f in a.svg b.svg c.png d.svg; do cmp o/$f p/$f; done
grep -c '</svg>' o/*.svg
grep -o '>goyal<' o/a.svg
grep -o '>complex<' o/a.svg
grep -o '>14<' o/b.svg
grep -o '>gamma = 0.98<' o/d.svg
# curves per value have the name of what is plotted beside the axis
grep -o '>s.impacts<' o/d.svg
