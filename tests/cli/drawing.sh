# What a system looks like: a drawing that has no finite value from some time on
# ends there, with a warning, and the run goes on; a run that is not kept does not
# ask for it.
cd $tmp
cat >m.imp <<'EOM'
system ball {
  coordinate h
  kinetic   = h'^2/2
  potential = (9.81 [1/s^2])*h
  draw { size = disc((0, h), sqrt(h - 1)) }
  start { h = 2 }
}
let r = simulate { until = 1 }
show r.time
EOM
$imp run m.imp
$imp view --no-open m.imp
$imp doc draw
