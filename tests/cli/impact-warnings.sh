cd $tmp
cat >balls.imp <<'END'
use shapes
body one : sphere(1) { mass = 1  velocity = (1, 0, 0) }
body two : sphere(1) { mass = 1  position = (2, 0, 0) }
END
# the point lies on one of the bodies only
{ sed 's/2, 0, 0/2.5, 0, 0/' balls.imp
  echo 'contact c : one | two { at = (1, 0, 0)  normal = (1, 0, 0) }'
} >off-one.imp
$imp run --backend=eval off-one.imp
# the normal points from the second body to the first
{ cat balls.imp
  echo 'contact c : one | two { at = (1, 0, 0)  normal = (-1, 0, 0) }'
} >wrong-way.imp
$imp run --backend=eval wrong-way.imp
# hinges about one axis give five conditions too many
cat >twice.imp <<'END'
body rod { mass = 2  inertia = diag(0.5, 0.4, 0.3) }
joint a : hinge(rod, world) { at = (0, 0, 1)  axis = (0, 0, 1)  rate = 1 }
joint b : hinge(rod, world) { at = (0, 0, -1)  axis = (0, 0, 1)  rate = 1 }
END
$imp run --backend=eval twice.imp
# nothing is unique, and the energy rises
grep -v '^show\|^expect\|least\|lcp' $root/examples/screws/singular-unequal.imp >not-unique.imp
$imp run --backend=eval not-unique.imp
sed '/^# Poisson/,$d; /^show\|^expect/d' $root/examples/screws/unequal-restitutions.imp >gain.imp
$imp run --backend=eval gain.imp
# there are more contacts than one impact takes
{ cat balls.imp
  for i in $(seq 1025); do
      echo "contact c$i : one | two { at = (1, 0, 0)  normal = (1, 0, 0) }"
  done
  seq -s ', c' 1025 | sed 's/^/impact c/'
} >many.imp
$imp run --backend=eval many.imp | cut -c1-100
# a law of several points decides, and none is named: of bodies, of a system, and with a law
cat >cradle.imp <<'END2'
use shapes
body ball[i in 0 .. 2] : circle(0.5) {
  mass     = 1
  position = (if i < 1 then -2 else i, 0)
  velocity = (if i < 1 then 1 else 0, 0)
}
contact k[i in 0 .. 1] : ball[i] | ball[i + 1] { restitution = 1 }
let r = simulate { until = 2  record = ball.velocity }
show r.ball_velocity[-1]
END2
$imp run --backend=eval cradle.imp
{ echo 'world { law = sequential }'; cat cradle.imp; } >stated.imp
$imp run --backend=eval stated.imp
cat >rests.imp <<'END2'
system row {
  coordinate a, b, c
  kinetic = (a'^2 + b'^2 + c'^2)/2
  contact ab { gap = b - a  restitution = 1 }
  contact bc { gap = c - b  restitution = 1 }
  start { a = -1  a' = 1 }
}
let r = simulate { until = 2  record = (row.a', row.b', row.c') }
show r.row_a_dot[-1], r.row_b_dot[-1], r.row_c_dot[-1]
END2
$imp run --backend=eval rests.imp
# contacts that do not act on each other need none, also at one time
cat >apart.imp <<'END2'
system two {
  coordinate x, y
  kinetic = (x'^2 + y'^2)/2
  contact a { gap = x  restitution = 0.5 }
  contact b { gap = y  restitution = 0.5 }
  start { x = 1  y = 1  x' = -1  y' = -1 }
}
let r = simulate { until = 2 }
show r.event_impulses
END2
$imp run --backend=eval apart.imp
