# Where the result cannot be written, a message says so before anything is run. Where
# this shows only at the end, the sweep keeps what was done. And a param that nothing
# reads.
cd $tmp
cat >s.imp <<'EOF'
param e = 0.1 in [0, 1]
param idle = 1
system ball(e) { coordinate h  kinetic = h'^2/2  contact floor { gap = h  restitution = e } }
system one : ball(e) { start { h = 1  h' = -1 } }
let r = sweep {
  over   = (e in linspace(0, 1, 11), idle in (1))
  run    = simulate { until = 1.5 }
  record = (count, status)
  save   = "sub/s.csv"
}
EOF
: >file
$imp run --out file s.imp
echo "a file: $?"
mkdir -p o/sub/s.csv
$imp run --out o s.imp 2>&1 | grep -v '^ '
ls o/sub
rmdir o/sub/s.csv
$imp run --out o --resume s.imp 2>&1 | grep -v '^ '
head -2 o/sub/s.csv
mkdir -p p/sub && ln -s /dev/full p/sub/s.csv.part
$imp run --out p s.imp 2>&1 | grep '^error'
# one value gives one run
sed 's/linspace(0, 1, 11), idle in (1)/0.5/; s,sub/s.csv,one.h5,' s.imp >one.imp
$imp run --out o one.imp
sed 's/linspace(0, 1, 11), idle in (1)/0.5/; s,sub/s.csv,sub/x/s.h5,' s.imp >two.imp
mkdir -p q && : >q/sub
$imp run --out q two.imp 2>&1 | grep '^error'
