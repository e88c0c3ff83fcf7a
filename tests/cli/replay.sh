# A run file is written where --out is, holds the run, and is shown again without
# the model; the same bytes come from the evaluator, the JIT and a simulator. A
# file that was cut short or changed is refused, and so is anything else.
cd $tmp
cat >m.imp <<'EOM'
use shapes
world { gravity = (0, -10) }
body floor : half_plane { fixed = true }
body ball : circle(1) { mass = 1  position = (0, 6) }
contact c : floor | ball { restitution = 0.5 }
let r = simulate { until = 3.5 }
save r { file = "r.imprun" }
plot r { as = view }
EOM
$imp run m.imp
$imp run --out o --backend=eval m.imp
$imp run --out p --backend=jit --opt 2 m.imp >/dev/null && cmp o/r.imprun p/r.imprun
cmp o/m-view-1.html p/m-view-1.html
ls o
sed '/^plot/d' m.imp >n.imp
$imp build n.imp -o sim && ./sim --out q >/dev/null && ls q
$imp build m.imp -o sim && ./sim --out q2 2>&1 | grep error
# the name of the model stands in the file: the rest is the same
$imp run --out o2 --backend=eval n.imp >/dev/null
cmp o2/r.imprun q/r.imprun
mkdir away && cp o/r.imprun away && cd away
$imp replay --no-open r.imprun
$imp replay --no-open -o page.html r.imprun >/dev/null
cmp page.html ../o/m-view-1.html | sed 's/differ.*/differ in the title/'
grep -c '<script' page.html
head -c 5000 r.imprun >cut.imprun && $imp replay --no-open cut.imprun
echo $?
sed 's/ball/bell/' r.imprun >changed.imprun && $imp replay --no-open changed.imprun
echo $?
echo 'body a' >text.imprun && $imp replay text.imprun
echo $?
sed '1s/IMPRUN1/IMPRUN2/' r.imprun >newer.imprun && $imp replay newer.imprun
echo $?
$imp replay none.imprun
$imp replay .
$imp replay --no-open -o no/such/folder/page.html r.imprun >/dev/null
echo $?
$imp replay
