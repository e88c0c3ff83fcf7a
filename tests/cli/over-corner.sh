# A disc comes over a corner onto a side and touches there: the second derivative of
# the gap has two values, one before and one after.
cd $tmp
ask() {
    cat >$1.imp <<END
use shapes
world { gravity = (0, $3) }
body box : rectangle(4, 2) { fixed = true }
body disc : circle(1) { mass = 1  $2 }
contact c : box | disc
let k = classify c
show k.class, k.warnings
let s = simulate { until = 3 }
show s.status, s.event_kinds, s.event_classes
expect abs(k.time - 2 [s]) < 1e-7 [s]
END
    $imp run --backend=eval $1.imp
}
# the disc slides on; it rises at half the rate; it is pressed onto the side
ask slides 'position = (4, 2)  velocity = (-1, 0)' 0
ask rises 'position = (4, 4)  velocity = (-1, -2)' 1
ask pressed 'position = (4, 0)  velocity = (-1, 2)' -1
# from one side to the next: the disc is on the corner for one moment only
cat >sides.imp <<'END'
use shapes
body box : rectangle(4, 2) { fixed = true }
body disc : circle(1) { mass = 1  position = (0, 2)  velocity = (1, 0) }
contact c : box | disc
let s = simulate { until = 4  record = gap(c)  at = (1, 2, 3, 4) }
show s.status, s.event_kinds
END
$imp run --backend=eval sides.imp
