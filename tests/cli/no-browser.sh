# Without a display, a browser, node or anything else in PATH: pages, run files and
# exports are written, a picture that cannot be made is told and leaves the page in
# its place, and a browser that fails does no more harm. A picture behind the end of
# a run is told.
cd $tmp
unset DISPLAY WAYLAND_DISPLAY
mkdir none broken
printf '#!/bin/sh\nexit 1\n' >broken/chromium
chmod +x broken/chromium
cat >m.imp <<'EOM'
use shapes
body ball : circle(1) { mass = 1  velocity = (1, 0) }
let r = simulate { until = 1 }
plot r { as = view  file = "ball.html" }
EOM
alone() { (PATH=$tmp/none; "$@"; echo "status $?"); }
alone $imp run --out . m.imp
alone $imp view m.imp
alone $imp view --png 0.5 -o a.png m.imp
alone $imp view --movie b.webm m.imp
alone $imp view -o c.imprun m.imp
alone $imp replay c.imprun
alone $imp replay --no-open -o c.glb c.imprun
alone $imp replay --no-open -o c.pvd c.imprun
printf 'let q = simulate { until = 1  trace = true }\n:view q\n' | alone $imp repl m.imp
(PATH=$tmp/broken; $imp view --png 0.5 -o d.png m.imp; echo "status $?")
(PATH=$tmp/broken; $imp view --movie e.gif m.imp; echo "status $?")
alone $imp view --png 2 -o f.png m.imp
ls
