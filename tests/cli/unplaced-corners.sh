cd $tmp
# Corners away from the origin, and no position: the mass centre stands there.
cat >ramp.imp <<'EOF'
use shapes
world { gravity = (0, -9.81) }
body ramp : polygon((0, 0), (3, 0), (3, 1)) { fixed = true }
body stone : polygon((1, 5), (2, 5), (1, 6)) { mass = 1 }
contact hit : ramp | stone { restitution = 0.5 }
EOF
{ cat ramp.imp; echo 'simulate { until = 0.1 }'; } >unplaced.imp
$imp run --backend=eval unplaced.imp
# Each remedy puts the corners where they are written, and nothing is told then.
sed 's/fixed = true/fixed = true  centre = (0, 0)/
s/mass = 1/mass = 1  position = (4\/3, 16\/3)/
$a show gap(hit)' ramp.imp >centre.imp
$imp run --backend=eval centre.imp
sed 's/fixed = true/fixed = true  position = (2, 1\/3)/
s/mass = 1/mass = 1  position = (4\/3, 16\/3)/
$a show gap(hit)' ramp.imp >position.imp
$imp run --backend=eval position.imp
# A body that touches nothing may stand anywhere.
grep -v contact ramp.imp >apart.imp
echo 'show stone.mass' >>apart.imp
$imp run --backend=eval apart.imp
# Of a body that is turned, too.
cat >turned.imp <<'EOF'
use shapes
body ramp : wedge(1, 0.5, 1) { fixed = true rotation = ((1, 0, 0), 90 [deg]) }
body ball : sphere(0.05) { mass = 1 position = (0.1, 0.1, 0.6) }
contact c : ramp | ball { }
show gap(c)
EOF
$imp run --backend=eval turned.imp
sed 's/fixed = true/fixed = true  centre = (0, 0, 0)/' turned.imp >centre.imp
$imp run --backend=eval centre.imp
sed 's/fixed = true/fixed = true  position = (-1\/6, 0, -1\/12)/' turned.imp >position.imp
$imp run --backend=eval position.imp
