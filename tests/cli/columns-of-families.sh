# What a family does is saved under the indices of its members, and read again without a block.
cd "$tmp" || exit
cat >run.imp <<'END'
use shapes
world { gravity = (0, -9.81) }
body floor : half_plane { fixed = true }
body ball[i in 1 .. 2] : circle(0.2) { mass = 1  position = (i, 1)  spin = i }
contact c[i in 1 .. 2] : floor | ball[i] { restitution = 0.5  friction = 0.1 }
body link[i in 0 .. 1] : rectangle(0.3, 0.05) { density = 100  position = (0.3*i + 0.15, 5) }
joint top : hinge(link[0], world) { at = (0, 5) }
joint pin[i in 1 .. 1] : hinge(link[i-1], link[i]) { at = (0.3*i, 5) }
let r = simulate {
  until  = 0.2
  keep   = 0
  at     = (0.1, 0.2)
  record = (ball.position, ball.angle, ball.position.y, gap(c), c.slip, pin.force, top.force, ball[2].velocity)
}
save r { file = "run.csv" }
save r { file = "run.h5" }
save r { file = "run.jsonl" }
save r.ball_angle, r.ball_position.y { file = "lists.csv" }
END
"$imp" run run.imp --out .
head -n 1 run.csv
head -n 1 lists.csv
cat >again.imp <<'END'
data text = "run.csv"
data table = "run.h5"
data lines = "run.jsonl"
show text.ball_position_2_y, table.ball_position_2_y, lines.ball_position_2_y, table.ball_angle_1, text.gap_c_2
END
"$imp" run again.imp
