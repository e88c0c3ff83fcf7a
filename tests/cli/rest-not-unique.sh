# A force that drives on what moves leaves rest open; not where a load decides, nor
# where a contact holds it.
cat >$tmp/m.imp <<'END'
system s {
  coordinate x
  kinetic = (1 [kg])*x'^2/2
  force   = (2 [N])*sign(x') - (1 [kg/s])*x'
}
system pulled {
  coordinate x
  kinetic = (1 [kg])*x'^2/2
  force   = (3 [N]) + (2 [N])*sign(x')
}
system rough {
  coordinate x, y
  kinetic   = (1 [kg])*(x'^2 + y'^2)/2
  potential = (9.81 [N])*y
  force     = ((2 [N])*sign(x'), 0 [N])
  contact c { gap = y  slide = x  friction = 0.3 }
}
let r = simulate { until = 1  record = s.x }
show r.s_x[-1]
END
cd $tmp
$imp run m.imp
