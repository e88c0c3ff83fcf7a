# A run that is compared with that of a moved start can be saved and shown: its motion is
# that of the stated start, as without the comparison.
cat >"$tmp/model.imp" <<'EOF'
use shapes
world { gravity = (0, -9.81) }
body floor : half_plane { fixed = true }
body ball : circle(0.1) { mass = 1  position = (0, 1)  velocity = (1, 0) }
contact c : floor | ball { restitution = 0.5  friction = 0.2 }
let one = simulate { until = 1 }
let two = simulate { until = 1  engine = perturbed }
save one { file = "one.imprun" }
save two { file = "two.imprun" }
plot two { as = view  file = "two.html" }
show one.event_kinds == two.event_kinds
EOF
"$imp" run --out "$tmp/out" "$tmp/model.imp"
ls "$tmp/out"
cmp "$tmp/out/one.imprun" "$tmp/out/two.imprun" && echo "one motion"
