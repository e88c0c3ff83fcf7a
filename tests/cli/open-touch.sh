# Corner on corner: the message says which normals there are, and what the bodies do
# under each of them.
cd $tmp
ask() {
    cat >$1.imp <<END
use shapes
world { gravity = (0, $3) }
body a : rectangle(2, 2) { fixed = true }
body b : rectangle(2, 2) { mass = 1  $2 }
contact c : a | b
let k = classify c
show k.class, k.v, k.D, k.normal, k.warnings
let s = simulate { until = 3 }
show s.status, s.time, s.event_kinds, s.warnings
END
    $imp run --backend=eval $1.imp
}
# the body moves into the corner, exactly past it, and up and away from it
ask into 'position = (4, 4)  velocity = (-1, -1)' 0
ask past 'position = (4, 2)  velocity = (-1, 0)' 0
ask up 'position = (4, 0)  velocity = (-1, 1)' 0
ask away 'position = (2, 2)  velocity = (0, 1)' 0
# the bodies are at rest: first beside one another, then with the weight on one normal
ask rest 'position = (2, 2)' 0
ask weight 'position = (2, 2)' -10
sed '/^let/,$d' past.imp >impact.imp
echo 'impact c' >>impact.imp
$imp run --backend=eval impact.imp
