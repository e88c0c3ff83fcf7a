# On a terminal, which `script` makes here, a sweep shows a line with the time left,
# at most ten times a second, and wipes it at the end. Elsewhere it shows none. After
# Ctrl-C the sweep keeps what is done and says how to go on; --resume ends in the same
# bytes.
cd $tmp
cat >s.imp <<'EOF'
param e = 0.5 in [0, 1]
param k = 1 in [0.1, 10]
system one {
  coordinate a, b
  kinetic   = (a'^2/2 + (2 + cos(a))*b'^2/2) * (1 [s^2])
  potential = k*(1 - cos(a - b)) + a^2/2
  contact wall { gap = 2 - a + b/10  restitution = e }
  start { a = 1  a' = 2  b' = 1 }
}
let r = sweep {
  over   = (e in linspace(0.1, 0.9, 14))
  random = (k in [0.5, 2])
  repeat = 50
  run    = simulate { until = 40 }
  record = (count, status, energy_after/energy_before)
  save   = "s.csv"
}
EOF
terminal() { TERM=xterm script -qec "stty cols 100; exec $imp run --threads 1 --out $1 s.imp" /dev/null; }
terminal o </dev/null >line.txt
tr '\r' '\n' <line.txt >lines.txt
grep -cE '^sweep \[[#.]{20}\] [0-9]+ of 700' lines.txt | awk '{ print ($1 > 1 ? "shown" : "not shown") }'
grep -cE ', [0-9:]+ left' lines.txt | awk '{ print ($1 > 0 ? "with the time left" : "without the time left") }'
# the line is wiped before any message
sed -n '/^sweep/,$p' lines.txt | sed '/^sweep/d' | od -c | head -1 | cut -c9-30
tail -1 lines.txt | tr -d '\033' | sed 's,.*\[K,,'
$imp run --threads 1 --out p s.imp 2>e.txt
cat e.txt
cmp o/s.csv p/s.csv
(
    for i in $(seq 200); do [ -s q/s.csv.part ] && break || sleep 0.05; done
    printf '\003'
    sleep 1
) | terminal q >int.txt
grep -o 'error.*E0717\]' int.txt
grep -o 'resume goes on with them' int.txt
ls q
$imp run --threads 2 --out q --resume s.imp
cmp o/s.csv q/s.csv
ls q
