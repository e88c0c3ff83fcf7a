# A column value that cannot be computed is left out, with one warning; the other
# columns are complete.
cat >$tmp/s.imp <<'EOF'
param e = 0.5 in [0, 1]
system ball(e) { coordinate h  kinetic = h'^2/2  contact floor { gap = h  restitution = e } }
system one : ball(e) { start { h = 1  h' = -1 } }
sweep {
  over   = (e in (0.1, 0.5, 0.9))
  run    = simulate { until = 1.5 }
  record = (count, log(e - 0.3), event_times[5], e^2)
  save   = "s.csv"
}
EOF
cd $tmp
$imp run --threads 1 --out o s.imp >/dev/null
cat o/s.csv
