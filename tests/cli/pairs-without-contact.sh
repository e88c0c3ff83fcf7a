# Bodies without a contact pass through each other, and a warning says so once
# per pair; not of pairs with a contact or a joint, nor of those that overlap
# from the start.
cd $tmp
cat >plane.imp <<'END'
use shapes
world { gravity = (0, -9.81) }
body floor : half_plane { fixed = true }
body a : circle(0.5) { mass = 2  position = (0, 2) }
body b : rectangle(1, 0.4) { mass = 1  position = (0.1, 4)  velocity = (0, -4)  spin = 1 }
body c : ellipse(2, 1) { mass = 1  position = (3.1, 4) }
body d : circle(0.5) { mass = 1  position = (-5, 9) }
body e : circle(0.5) { mass = 1  position = (-5, 8.5) }
body f : circle(0.5) { mass = 1  position = (-9, 9) }
body g : circle(0.5) { mass = 1  position = (-8, 9) }
joint pin : hinge(f, g) { at = (-8.5, 9) }
contact own : floor | b { restitution = 1 }
let r = simulate { until = 1.5  record = a.position }
show r.count
END
cat >space.imp <<'END'
use shapes
world { gravity = (0, 0, -9.81) }
body floor : half_space { fixed = true }
body a : box(1, 1, 1) { mass = 2  position = (0, 0, 2) }
body b : sphere(0.5) { mass = 1  position = (0.2, 0, 9)  velocity = (0, 0, -20) }
body c : sphere(0.5) { mass = 1  position = (9, 0, 9) }
let r = simulate { until = 1  record = a.position }
show r.count
END
$imp run --backend=eval plane.imp
$imp run --backend=eval space.imp
sed 's/^let/contacts { restitution = 0.5 }\nlet/' space.imp >all.imp
$imp run --backend=eval all.imp
# the name of the contact in the help is one that a model may have
sed 's/^body a .*/body a[i in 0 .. 0] : box(1, 1, 1) { mass = 2  position = (0, 0, 2) }/
s/^body [bc].*//; s/a.position/a[0].position/' space.imp >family.imp
$imp run --backend=eval family.imp
# of many pairs the first ones are told, and how many there are beside them
cat >many.imp <<'END'
use shapes
world { gravity = (0, -9.81) }
body floor : half_plane { fixed = true }
body ball[i in 0 .. 9] : circle(0.1) { mass = 1  position = (i, 0.5) }
let r = simulate { until = 1 }
END
$imp run --backend=eval many.imp
# looks between rows and events: bodies that meet and part again, that turn into
# others, that swing into a floor, and thin ones that cross without a corner in the
# other; not those that pass by
cat >between.imp <<'END'
use shapes
body floor : half_plane { fixed = true }
body a : circle(0.1) { mass = 1  position = (-3, 9)  velocity = (7, 0) }
body b : circle(0.1) { mass = 1  position = (3, 9.19)  velocity = (-7, 0) }
body c : rectangle(2, 0.02) { mass = 1  position = (0, 20)  spin = 30 }
body d : circle(0.05) { mass = 1  position = (0.2, 20.9) }
let r = simulate { until = 1  record = a.position  at = 1  keep = 0 }
END
sed 's/9.19/9.21/; s/20.9)/21.06)/' between.imp >beside.imp
cat >crossing.imp <<'END'
use shapes
body floor : half_plane { fixed = true }
body a : rectangle(2, 0.02) { mass = 1  position = (0, 9) }
body b : ellipse(0.01, 1) { mass = 1  position = (9, 9.2)  velocity = (-3, 0) }
body c : circle(0.1) { mass = 1  position = (20, 1.8)  force = (0, -(40 [N/m])*(c.position[1] - (0.9 [m]))) }
let r = simulate { until = 6  keep = 0 }
END
cat >space-between.imp <<'END'
use shapes
body a : box(2, 0.02, 0.02) { mass = 1 }
body b : box(0.02, 2, 0.02) { mass = 1  position = (0.3, 0.2, 9)  velocity = (0, 0, -4)  spin = (0, 0, 0.1) }
let r = simulate { until = 5  keep = 0 }
END
for model in between beside crossing space-between; do
    echo "$model:"
    $imp run --backend=eval $model.imp 2>&1 | grep '^warning'
done
# a block of so many pairs that contacts are made as bodies come near: two discs hit
# each other, and all pass through the floor, of which the block says nothing
cat >block.imp <<'END'
use shapes
world { gravity = (0, -9.81) }
body floor : half_plane { fixed = true }
body disc[i in 0 .. 101] : circle(0.1) {
  mass     = 1
  position = (i, 1)
  velocity = (if i == 0 then 4 else 0, 0)
}
contacts(disc) { restitution = 0.5 }
let r = simulate { until = 0.5 }
show r.event_contacts
END
$imp run --backend=eval block.imp 2>&1 | grep -v '^ *|'
