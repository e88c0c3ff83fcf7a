# Ctrl-C ends whatever takes long: a model that is checked, one that is set up,
# chatter that never ends, of systems with and without parabolas, and a portrait of a
# contact whose motions do not settle.
stop() {
    echo "== $1"
    cat >"$tmp/$1.imp"
    (
        ulimit -t 10 # where it does not end
        exec "$imp" run --backend=eval "$tmp/$1.imp" >"$tmp/out" 2>"$tmp/err"
    ) &
    sleep 0.4
    kill -INT $!
    wait $!
    echo "exit $?"
    grep -o "error.*" "$tmp/err"
}
awk 'BEGIN {
    printf "let a = ["
    for (i = 0; i < 200; i++)
        for (j = 0; j < 200; j++)
            printf "%s%d", j ? ", " : i ? ";\n" : "", (7*i + 3*j) % 11
    print "]"
    for (k = 0; k < 50; k++)
        printf "let b%d = a*a*a*%d\n", k, k
}' | stop products
{
    echo "shape odd = (x^4 + y^4 + z^4)/(1 [m^4]) + 0.1*sin(7*x*y/(1 [m^2])) - 1"
    i=0
    while [ $i -lt 200 ]; do
        echo "body b$i : odd { density = 1  position = ($i, 0, 0) }"
        i=$((i + 1))
    done
    echo "show b0"
} | stop set-up
stop parabolas <<'EOF'
system s {
  coordinate x
  kinetic = x'^2/2
  contact k { gap = 1 + x }
  contact l { gap = 1 - x }
  start { x' = 1 }
}
let r = chatter s { events = 1000000000 }
EOF
stop series <<'EOF'
system s {
  coordinate x
  kinetic   = x'^2/2
  potential = (1 [1/s^2])*cos(x)
  contact k { gap = x + 100 }
  start { x' = 1 }
}
let r = chatter s { until = 1e9 }
EOF
stop portrait <<'EOF'
system light {
  coordinate x, y
  mass  = [1, -0.5; -0.5, 1]/0.75*(1e-9 [kg])
  force = ((2 - 0.125)/0.75*(1 [N]), (0.25 - 1)/0.75*(1 [N]))
  contact touch {
    gap        = y
    slide      = x
    friction   = 3
    compliance = (1 [N/m])*depth + (1 [N*s/m])*speed
    scale      = 1e-6
  }
}
let r = portrait light.touch {
  depths = linspace(0 [m], 2 [m], 81)
  speeds = linspace(-1 [m/s], 1 [m/s], 61)
}
EOF
