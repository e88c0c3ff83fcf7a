# A map of very many cells goes to gnuplot as bytes: the order of the runs does not show, and
# cells without a value stay empty. It is one image, and soon there.
cd $tmp
model() {
cat <<END
use painleve
param a = 1 in [-2, 4]
param b = 0.1 in [-1, 1]
system load : contact_point(1, 0.5, 1, a, b, 1, 0.7)
let s = sweep {
  over   = ($1)
  run    = painleve load.touch
  record = (chatter_ratio, cell)
}
plot s.chatter_ratio { against = (s.a, s.b)  file = "$2-ratio.svg" }
plot s.cell { against = (s.a, s.b)  file = "$2-cell.png" }
END
}
model 'a in linspace(-2, 2, 250), b in linspace(-1, 1, 202)' rows >rows.imp
model 'b in linspace(-1, 1, 202), a in linspace(-2, 2, 250)' columns >columns.imp
$imp run --out o rows.imp
$imp run --out o columns.imp
sed s/columns/rows/ o/columns-ratio.svg | cmp - o/rows-ratio.svg
grep -c '<image' o/rows-ratio.svg
grep -c '<rect' o/rows-ratio.svg
