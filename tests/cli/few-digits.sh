# A warning says what accuracy is left far from the origin. Near the origin there is
# none, and none of this system whose masses are up to 10^11 apart, nor of a rod that
# rocks to rest, whose rates are small differences of those of its ends, nor of one
# that turns while the impacts of one end come to their limit.
cd $tmp
cat >far.imp <<'MODEL'
use shapes
param X = 1 [m]
world { gravity = (0, -9.81) }
body floor : half_plane { fixed = true  position = (0, X) }
body ball : circle(0.1) { mass = 1  position = (0, X + 1.1 [m]) }
contact k : floor | ball { restitution = 0.5 }
simulate { until = 1 }
MODEL
cat >system.imp <<'MODEL'
param X = 1 [m]
system s {
  coordinate h
  kinetic = (0.5 [kg])*h'^2
  potential = (9.81 [N])*h
  contact k { gap = h - X  restitution = 0.5 }
  start { h = X + 1 [m] }
}
simulate { until = 1 }
MODEL
cat >masses.imp <<'MODEL'
param M = 10
system s {
  coordinate q, p
  kinetic   = (1 [kg])*(M*q'^2 + p'^2/M)
  potential = (3 [N])*M*q + (20 [N/m])*M*q^2
  contact a { gap = q - 0.943138*p + 0.17627 [m]  restitution = 0.7 }
  contact b { gap = q + p + 1.6261 [m]  restitution = 1 }
  start { q = 0.03 [m]  q' = -1.2 [m/s]  p = 0.18 [m]  p' = 1.69 [m/s] }
}
simulate { until = 0.6 }
MODEL
cat >rod.imp <<'MODEL'
world { law = sequential }
system rod {
  coordinate h, p
  kinetic   = 0.8*(h'^2 + 0.346666666666666667*p'^2)/2
  potential = 8*h
  contact one { gap = h - p  restitution = 0.3 }
  contact two { gap = h + p  restitution = 0.3 }
  start { h = 0.8  p = 0.0998 }
}
simulate { until = 3 }
MODEL
cat >turning.imp <<'MODEL'
world { law = sequential }
system rod {
  coordinate h, angle
  kinetic = (h'^2 + 0.36*angle'^2)/2
  potential = (1 [1/s^2])*h
  contact left { gap = h + sin(angle)  restitution = 0.7 }
  contact right { gap = h - sin(angle)  restitution = 0.7 }
  start { h = 10  angle = 0.145614 }
}
simulate { until = 20 }
MODEL
for model in rod turning; do
    echo "== $model"
    $imp run --backend=eval $model.imp 2>&1 >out | grep W0749
done
for model in far system; do
    for X in 1 1e5 1e8; do
        echo "== $model, $X m"
        $imp run --backend=eval --set X=$X $model.imp 2>&1 >out | grep W0749
    done
done
for M in 10 1e3 3e5; do
    echo "== masses $M apart"
    $imp run --backend=eval --set M=$M masses.imp 2>&1 >out |
        grep -o 'W07.*restitution' | sort -u
done
true
