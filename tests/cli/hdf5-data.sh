# Columns from HDF5: what a sweep has saved is read again, as it is; files that are cut short or are
# none are told; simulators hold the columns, and read and write such files, too
cd "$tmp" || exit 1
cat > made.imp <<'MODEL'
param v : m/s = 1 in [0, 10]
system ball {
  coordinate h
  kinetic   = (1 [kg])*h'^2/2
  potential = (9.81 [N])*h
  start { h = 0  h' = v }
}
let s = sweep {
  over   = (v in linspace(1, 3, 5))
  run    = simulate { until = 1  record = (sup(ball.h), first(ball.h < -3)) }
  record = (sup_ball_h, first_ball_h_minus_3, sup_ball_h > 0.2)
  save   = "made.h5"
}
MODEL
$imp run --out=. made.imp
cat > read.imp <<'MODEL'
data d = "made.h5" {
  column v : m/s = "v"
  column top : m = "sup_ball_h"
  column when : s = "first_ball_h_minus_3"
  missing = "NaN"
}
show d.v, d.top, d.when
expect max(abs(d.top - d.v^2/(19.62 [m/s^2]))) < 1e-15 [m]
MODEL
$imp run read.imp
$imp build read.imp -o sim && mv made.h5 moved.h5 && ./sim | tail -1
./sim --data d=moved.h5 2>&1 | head -4
$imp build made.imp -o maker && ./maker --out . >/dev/null && cmp made.h5 moved.h5
head -c 1500 moved.h5 > made.h5
$imp run read.imp 2>&1
printf 'v,sup_ball_h\n1,2\n' > made.h5
$imp run read.imp 2>&1 | head -2
cp moved.h5 made.h5
printf 'data d = "made.h5" { column x = "nothing" }\nshow d.x\n' > wrong.imp
$imp run wrong.imp 2>&1
printf 'data d = "made.h5" { column x : text = "v" }\nshow d.x\n' > wrong.imp
$imp run wrong.imp 2>&1
printf 'data d = "made.h5" { column x = "first_ball_h_minus_3" }\nshow d.x\n' > wrong.imp
$imp run wrong.imp 2>&1
# without columns in a block: names, units and texts as the file has them
cp moved.h5 made.h5
printf 'data d = "made.h5" { missing = "NaN" }\nshow d.v, d.sup_ball_h, d.sup_ball_h_0_2\n' > all.imp
$imp run all.imp 2>&1
printf 'data d = "made.h5" { column v = "v" }\nshow d.v\n' > unit.imp
$imp run unit.imp 2>&1
for unit in s km/h; do
    printf 'data d = "made.h5" { column v : %s = "v" }\nshow d.v\n' $unit > unit.imp
    $imp run unit.imp 2>&1
done
# a param that is a column of what is saved is no attribute
printf 'save s { file = "kept.h5" }\nsave s.v, s.sup_ball_h { file = "two.h5" }\n' | cat made.imp - | sed '1i param w = 2\nlet w2 = 2*w' > kept.imp
$imp run --out=. kept.imp >/dev/null
for file in kept two; do grep -a -o 'param\.[a-z]*' $file.h5; done
