# Friction that leaves a motion open: no mode is consistent, several are, or the
# contacts share an impact in many ways (W0732, W0733).
cd "$tmp" || exit
cat >rod.imp <<'END'
param spin0 = 0.5 [1/s]
param l = 1 [m]
param g = 1 [m/s^2]
param m = 1 [kg]

system rod(spin) {
  coordinate X, Y, theta
  kinetic   = m*(X'^2 + Y'^2 + l^2*theta'^2/3)/2
  potential = m*g*Y
  contact tip {
    gap      = Y - l*sin(theta)
    slide    = X + l*cos(theta)
    friction = 2
  }
  start {
    theta  = 1
    theta' = spin
    Y      = l*sin(1)
    Y'     = l*cos(1)*spin
    X'     = (1 [m/s]) + l*sin(1)*spin
  }
}

system falls : rod(spin0)

simulate { until = 1  record = falls.theta }
END
$imp run rod.imp 2>&1 >/dev/null
$imp run --set spin0=1.3 rod.imp 2>&1 >/dev/null
cat >flat.imp <<'END'
param mu = 0.6
param e = 0.5
param l = 1 [m]
param g = 1 [m/s^2]
param m = 1 [kg]

system rod {
  coordinate X, Y, theta
  kinetic   = m*(X'^2 + Y'^2 + l^2*theta'^2/3)/2
  potential = m*g*Y
  contact end[i in 0 .. 1] {
    gap         = Y + (1 - 2*i)*l*sin(theta)
    slide       = X + (1 - 2*i)*l*cos(theta)
    friction    = mu
    restitution = e
  }
  start {
    Y      = 1.5 [m]
    theta  = 0.6
    theta' = .3 [1/s]
    X'     = .7 [m/s]
  }
}

simulate { until = 20  record = rod.theta }
END
$imp run flat.imp 2>&1 >/dev/null
