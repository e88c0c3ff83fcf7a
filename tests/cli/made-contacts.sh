# Bodies that lie far away change nothing, also where they make so many pairs that
# contacts are made as bodies come near.
cd $tmp
cat >boxes.imp <<'MODEL'
use shapes

param idle = 1
world { gravity = (0, -9.81)  seed = 3  law = newton }
body floor : half_plane { fixed = true }
body left : half_plane { fixed = true  angle = -pi/2 }
body right : half_plane { fixed = true  angle = pi/2  position = (6, 0) }
body box[i in 0 .. 9] : rectangle(0.5, 0.3) {
  mass     = 1
  position = (0.6 + 1.2*fmod(i, 5), 0.6 + 2*floor(i/5))
  angle    = 0.3*i
  velocity = (random(-1, 1), random(-1, 1))
}
body egg[i in 0 .. 9] : ellipse(0.35, 0.2) {
  mass     = 1
  position = (0.6 + 1.2*fmod(i, 5), 1.6 + 2*floor(i/5))
  angle    = 0.4*i
  velocity = (random(-1, 1), random(-1, 1))
}
body far[i in 0 .. idle - 1] : circle(0.3) { fixed = true  position = (1000 + i, 0) }
contacts { restitution = 0.9 }
let r = simulate { until = 0.5 }
show r.count, r.event_times, r.event_kinds, r.event_contacts, r.summary
let last = simulate { until = 0.5  trace = true  keep = 4 }
show last.event_contacts
save last { file = "boxes.imprun" }
MODEL
for idle in 1 5200; do
    $imp run --out=. --set=idle=$idle boxes.imp >made$idle || echo "idle = $idle fails"
    $imp replay boxes.imprun >>made$idle 2>page
done
cmp made1 made5200 && head -3 made1

# Forces, joints, and a floor that is driven.
cat >forces.imp <<'MODEL'
use shapes
param idle = 1
world { gravity = (0, -9.81)  seed = 3  law = newton }
body floor : half_plane { fixed = true  position = (0, (0.05 [m])*sin(t/(0.05 [s]))) }
body left : half_plane { fixed = true  angle = -pi/2 }
body right : half_plane { fixed = true  angle = pi/2  position = (6, 0) }
body box[i in 0 .. 4] : rectangle(0.5, 0.3) {
  mass     = 1
  position = (0.6 + 1.2*fmod(i, 5), 0.6 + 2*floor(i/5))
  angle    = 0.3*i
  velocity = (random(-1, 1), random(-1, 1))
}
body egg[i in 0 .. 4] : ellipse(0.35, 0.2) {
  mass     = 1
  position = (0.6 + 1.2*fmod(i, 5), 1.6 + 2*floor(i/5))
  angle    = 0.4*i
  velocity = (random(-1, 1), random(-1, 1))
  force    = -(0.5 [kg/s])*egg[i].velocity
}
body disc[i in 0 .. 4] : circle(0.2) { mass = 1  position = (0.6 + 1.2*i, 2.6) }
joint hold : hinge(disc[0], disc[1]) { at = (1.2, 2.6) }
body far[i in 0 .. idle - 1] : circle(0.3) { fixed = true  position = (1000 + i, 0) }
contacts { restitution = 0.9 }
let r = simulate { until = 0.4 }
show r.count, r.event_times, r.event_kinds, r.event_contacts, r.warnings
MODEL
for idle in 1 7200; do
    $imp run --set=idle=$idle forces.imp >made$idle || echo "idle = $idle fails"
done
cmp made1 made7200 && head -3 made1
# a param that the set-up of many bodies copies is one that the model depends on
$imp run --backend=eval $root/tests/run/many/made-in-a-sweep.imp
