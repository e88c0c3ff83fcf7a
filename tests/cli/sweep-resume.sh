# An unfinished sweep is found, refused and continued; one of another model is refused.
cat >$tmp/s.imp <<'END'
param e = 0.1 in [0, 1]
param c = 1
system ball(e) {
  coordinate h
  kinetic = h'^2/2
  contact floor { gap = c*h  restitution = e }
}
system one : ball(e) { start { h = 1  h' = -1 } }
sweep {
  over   = (e in linspace(0, 1, 4000))
  run    = simulate { until = 1.5 }
  record = count
  save   = "s.csv"
}
END
cd $tmp
(
    ulimit -f 40 # blocks: a disk that is full in any case
    trap '' XFSZ
    $imp run --backend=eval --threads 1 --out o s.imp >/dev/null 2>e.txt
    echo $?
)
sed -n '/^error/p' e.txt
ls o
$imp run --backend=eval --out o s.imp
echo $?
$imp run --backend=eval --out o --resume --set c=2 s.imp
echo $?
$imp run --backend=eval --out o --resume s.imp
echo $?
ls o
cat >bad.sed <<'END'
s/linspace(0, 1, 4000)/(0.5, 0.25)/
END
sed -f bad.sed s.imp >t.imp
printf IMPJ >o/s.csv.part
$imp run --backend=eval --json --out o --resume t.imp
cat o/s.csv
# the model has changed since then: a message says that its runs are of no use
(
    ulimit -f 40
    trap '' XFSZ
    $imp run --backend=eval --threads 1 --out p s.imp 2>&1 >/dev/null |
        grep -o 'W0742'
)
$imp run --backend=eval --out p t.imp 2>&1 >/dev/null
# runs that fail are rows, too, and give one warning
sed 's/gap = c\*h/gap = h*sqrt(e - 0.3)/' t.imp >u.imp
$imp run --backend=eval --out p u.imp
echo $?
cat p/s.csv
# a file of somebody else that has the journal's name is left as it is, and so
# is what a link leads to
echo precious >q.txt
mkdir q
cp q.txt q/s.csv.part
$imp run --backend=eval --out q t.imp
cat q/s.csv.part
ln -sf ../q.txt q/s.csv.part
$imp run --backend=eval --out q t.imp 2>&1 >/dev/null | head -1
cat q.txt
