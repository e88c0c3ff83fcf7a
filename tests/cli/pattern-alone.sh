# W0307: a run in which nothing moves, where a pattern of systems is declared; not beside what moves
cd "$tmp" || exit
cat >pattern.imp <<'END'
system ball(e) { coordinate h  kinetic = h'^2/2  contact floor { gap = h  restitution = e } }
let r = simulate { until = 1 }
show r.count
END
"$imp" run pattern.imp
{
    cat pattern.imp
    echo "system one : ball(0.5) { start { h = 2  h' = -1 } }"
} >one.imp
"$imp" run one.imp
{
    cat pattern.imp
    echo "body stone { mass = 1  inertia = diag(1, 1, 1) }"
} >point.imp
"$imp" run point.imp
