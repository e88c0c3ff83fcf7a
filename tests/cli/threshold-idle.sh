# A threshold over a param that no formula reads.
cd $tmp
cat >idle.imp <<'END'
use chatter
param gama = 0.1 in [0, 1]
system rod : small_rod(0.3, 0.1)
let r = threshold rod over gama { grid = 2 }
show r.by_simulation, r.by_eigenvalue
END
$imp run idle.imp
