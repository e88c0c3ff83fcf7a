# Long words beside a map are broken at their commas: cut off, two of them would look alike.
cd $tmp
cat >m.imp <<END
use painleve
param th = 0.6 in [0.05, 1.5]
param w = 1 in [-2, 2]
system rod : falling_rod(2, th, w*(1 [1/s]), 10 [m/s])
let ways = sweep { over = (th in (0.3, 0.6), w in (-1, 1))  run = painleve rod.tip  record = panel }
plot ways.panel { against = (ways.th, ways.w)  file = "panels.svg" }
END
$imp run --out o m.imp
grep -o '>alpha_1 &[lg]t; alpha_3<' o/panels.svg | sort | uniq -c
