# A variable that counts impacts has no value after a limit of chatter.
cp ../run/observers/observer-endless.imp $tmp
cd $tmp
$imp run observer-endless.imp
# with friction the impacts before a limit are those of the motion; what they take adds up
cat >rough.imp <<'END'
system puck {
  coordinate x, y
  kinetic   = (1 [kg])*(x'^2 + y'^2)/2
  potential = (9.81 [N])*y
  contact floor { gap = y  slide = x  restitution = 0.5  friction = 0.3 }
  observer {
    coordinate lost, hits
    hits' = 0 [1/s]
    lost' = 0 [J/s]
    jump {
      hits = 1
      lost = (1 [kg])*(before(x')^2 + before(y')^2 - after(x')^2 - after(y')^2)/2
    }
  }
  start { y = 1  x' = 3 }
}
let r = simulate { until = 3  at = 3  record = (puck.lost, puck.energy) }
expect abs(r.puck_lost[-1] + r.puck_energy[-1] - r.puck_energy[0] - r.puck_lost[0]) < 1e-12 [J]
END
$imp run --backend=eval rough.imp
