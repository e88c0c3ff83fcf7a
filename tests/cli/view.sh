# `imp view` keeps the motion of every simulation, prints what `imp run` prints, and
# writes a page for each; a model without any is told.
cd $tmp
cat >m.imp <<'EOM'
use shapes
param v = 1 [m/s]
body ball : circle(1) { mass = 1  velocity = (v, 0) }
let r = simulate { until = 1  record = ball.position }
simulate { until = 2 }
show r.ball_position[-1]
EOM
$imp run --set v=2 m.imp >a.txt
$imp view --no-open --set v=2 m.imp >b.txt
cmp a.txt b.txt
ls
$imp view --no-open -o one.imprun m.imp >/dev/null
$imp replay --no-open one-r.imprun
echo 'show 1' >n.imp && $imp view --no-open n.imp
echo $?
$imp view
echo 'show' | $imp view --no-open -
(PATH=/nowhere; $imp view --png 0.5 m.imp >/dev/null; echo $?; $imp view --png soon m.imp)
(PATH=/nowhere; $imp view --movie m.gif m.imp >/dev/null; echo $?)
$imp view --movie m.mp4 m.imp
$imp view --movie m.gif --png 1 m.imp
$imp view --png 1 -o m.imp m.imp
printf 'let q = simulate { until = 1  trace = true }\n:view\n' | $imp repl m.imp | tail -n 1
grep -c 'id="run"' imp-q.html
