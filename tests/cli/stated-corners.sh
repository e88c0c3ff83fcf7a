# Stated contacts of boxes: the message says where the point or the normal is wrong.
cd $tmp
cat >boxes.imp <<'END'
use shapes
body one : box(2, 2, 2) { mass = 1  velocity = (1, 0, 0) }
body two : box(2, 2, 2) { mass = 1  position = (2, 1, 1) }
END
check() {
    { sed "$3" boxes.imp
      echo "contact c : one | two { $2 }"
      echo "let r = impact c"
      echo "show r.normal_velocities_after"
    } >$1.imp
    $imp run --backend=eval $1.imp
}
# a corner of the second body on a side of the first, with a slanted normal that an edge
# allows: no error
check corner 'at = (1, 0, 0)  normal = (1, 0, 0)' ''
check slanted 'at = (1, 1, 1)  normal = (3, 1, 2)' 's/2, 1, 1/2, 2, 2/'
# the point lies in the plane of the second body's side, but beside that side
check beside 'at = (1, -0.5, 0.5)  normal = (1, 0, 0)' ''
# the point lies on the first body only, on the second only, on neither
check first 'at = (1, 0.5, 0.5)  normal = (1, 0, 0)' 's/2, 1, 1/2.5, 1, 1/'
check second 'at = (1.5, 0.5, 0.5)  normal = (1, 0, 0)' 's/2, 1, 1/2.5, 1, 1/'
check neither 'at = (1.25, 0.5, 0.5)  normal = (1, 0, 0)' 's/2, 1, 1/2.5, 1, 1/'
# the normal points from the second body to the first; at a corner, it leaves through
# no side of the first
check back 'at = (1, 0.5, 0.5)  normal = (-1, 0, 0)' ''
check inward 'at = (1, 1, 1)  normal = (-1, -1, -1)' 's/2, 1, 1/2, 2, 2/'
