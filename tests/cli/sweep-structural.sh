# With a structural param in `over` there is one model per value, whatever the number
# of threads, and an unfinished sweep goes on across the models. A simulator holds one
# model only.
cat >$tmp/n.imp <<'EOF'
use chatter
param n = 4 in [-2, 12]
param gamma = 0.1 in [0, 1]
system disc : feet(n, 0.3, gamma)
let s = sweep {
  over   = (gamma in linspace(0.01, 0.3, 50), n in (0, 3, 4, 5, 2.5))
  run    = chatter disc
  record = (verdict, critical_restitution)
  save   = "n.csv"
}
show s.points, s.failed
EOF
cd $tmp
for how in '--threads 1' '--threads 3' '--backend=eval' '--backend=jit'; do
    $imp run $how --out "o$how" n.imp 2>e.txt
    echo $?
    cmp "o--threads 1/n.csv" "o$how/n.csv"
done
cat e.txt
head -8 "o--threads 1/n.csv"
(
    ulimit -f 8
    trap '' XFSZ
    $imp run --threads 2 --out p n.imp >/dev/null 2>e.txt
    echo $?
)
ls p
$imp run --out p --resume n.imp >/dev/null 2>&1
echo $?
cmp "o--threads 1/n.csv" p/n.csv
$imp build n.imp -o n && ./n
echo $?
$imp build --set n=3 -o n - <<'EOF' && ./n
use chatter
param n = 4
param gamma = 0.1
system disc : feet(n, 0.3, gamma)
sweep { over = (n in (3), gamma in (0.1, 0.2))  run = chatter disc  record = impacts }
EOF
