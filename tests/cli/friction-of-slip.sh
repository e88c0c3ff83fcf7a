# Friction that grows with the slip: nothing is told of balls that bounce.
"$imp" run --backend=eval ../run/friction/friction-grows-with-slip.imp 2>&1 >"$tmp/out" |
    grep -c 'error'
