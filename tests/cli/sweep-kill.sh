# A sweep that is killed at any moment goes on with --resume. It neither loses nor
# repeats a run, and ends in the same bytes for any number of threads.
cat >$tmp/s.imp <<'END'
param rho = 0.3 in [0.01, 1]
param gamma = 0.1 in [0, 1]
system rod(rho, e) {
  coordinate phi, h
  kinetic = (rho^2*phi'^2 + h'^2)/2
  contact left { gap = h + phi  restitution = e }
  contact right { gap = h - phi  restitution = e }
}
system one : rod(rho, gamma) {
  start { h = 1  h' = -1  phi = 0.02  phi' = 0.05 }
}
sweep {
  over   = (rho in linspace(0.3, 0.9, 60), gamma in linspace(0.5, 0.99, 60))
  run    = simulate { until = 3 }
  record = (status, count, energy_after)
  save   = "deep/rod.csv"
}
END
cd $tmp
run="$imp run --backend=eval"
for n in 1 2 3; do
    $run --threads $n --out o$n s.imp >o$n.txt
    cmp o1.txt o$n.txt && cmp o1/deep/rod.csv o$n/deep/rod.csv
done
wc -l <o1/deep/rod.csv
head -n 1 o1/deep/rod.csv
mkdir -p k
for pause in 0.05 0.1 0.15 0.1 0.05 0.2; do
    (
        exec $run --threads 2 --out k --resume s.imp >/dev/null 2>&1
    ) &
    pid=$!
    sleep $pause
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
done
[ -e k/deep/rod.csv ] || printf 'torn' >>k/deep/rod.csv.part
$run --out k --resume s.imp >k.txt
cmp o1.txt k.txt && cmp o1/deep/rod.csv k/deep/rod.csv && echo same
ls k/deep
$run --threads 0 s.imp
