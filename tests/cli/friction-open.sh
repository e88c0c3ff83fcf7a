# Friction that leaves a motion open: no mode is consistent, several are, or the
# contacts share an impact in many ways, or an impact adds energy (W0727 to W0734).
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
# a contact that may yield
sed 's/friction = 2/&  compliance = (1000 [N\/m])*depth/' rod.imp >soft.imp
$imp run soft.imp 2>&1 >/dev/null
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
cat >gain.imp <<'END'
world { law = complementarity }

system q {
  coordinate X, Y, phi
  kinetic   = (1 [kg])*(X'^2 + Y'^2)/2 + (0.1307746367399335 [kg*m^2])*phi'^2/2
  potential = (9.81 [N])*Y
  contact c0 {
    gap         = Y + (0.6998905873010401 [m])*sin(phi)
        + (0.08023887566546262 [m])*cos(phi)
    slide       = X + (0.6998905873010401 [m])*cos(phi)
        - (0.08023887566546262 [m])*sin(phi)
    friction    = coulomb(static = 0.3, dynamic = 0.3)
    restitution = 0.5
  }
  contact c1 {
    gap         = Y + (0.5376810664725573 [m])*sin(phi)
        + (0.8338544193920845 [m])*cos(phi)
    slide       = X + (0.5376810664725573 [m])*cos(phi)
        - (0.8338544193920845 [m])*sin(phi)
    friction    = coulomb(static = 1.2, dynamic = 1.2)
    restitution = 0.5
  }
  contact c2 {
    gap         = Y + (0.2695390064796428 [m])*sin(phi)
        + (-0.9683991347154575 [m])*cos(phi)
    slide       = X + (0.2695390064796428 [m])*cos(phi)
        - (-0.9683991347154575 [m])*sin(phi)
    friction    = coulomb(static = 1.2, dynamic = 1.2)
    restitution = 0.8
  }
  contact c3 {
    gap         = Y + (-0.28220653447172395 [m])*sin(phi)
        + (-0.447506740354465 [m])*cos(phi)
    slide       = X + (-0.28220653447172395 [m])*cos(phi)
        - (-0.447506740354465 [m])*sin(phi)
    friction    = coulomb(static = 0.5, dynamic = 0.5)
    restitution = 0.2
  }
  start {
    X'   = 0.4161347120313783 [m/s]
    Y    = 1.1967645617372284 [m]
    Y'   = 0.12613178626861377 [m/s]
    phi  = -0.14174128420758603
    phi' = -2.6431964895280826 [1/s]
  }
}

simulate {
  until  = 3
  at     = 3
  record =
      (q.X, q.Y, q.phi, q.energy, q.c0.work, q.c1.work, q.c2.work, q.c3.work,
      q.c0.mode, q.c1.mode, q.c2.mode, q.c3.mode)
}
END
$imp run gain.imp 2>&1 >/dev/null
# a cart on three feet hits a wall: the feet share what that does to them
cat >cart.imp <<'END'
world { law = poisson }
param l = 1 [m]
param m = 1 [kg]

system cart {
  coordinate X, Y, theta
  kinetic   = m*(X'^2 + Y'^2 + l^2*theta'^2/3)/2
  potential = m*(9.81 [m/s^2])*Y
  contact foot[i in 0 .. 2] {
    gap      = Y + (i - 1)*l*sin(theta)
    slide    = X + (i - 1)*l*cos(theta)
    friction = 0.1 + 0.2*i
  }
  contact wall { gap = 2*l - X - 0.3*Y - 0.1*l*theta  restitution = 0.5 }
  start { X' = 7 [m/s] }
}
simulate { until = 0.5  record = cart.X }
END
$imp run cart.imp >/dev/null
# the run stops there, where the model wants to know
sed -e 's/friction = 0.1 + 0.2\*i/friction = 0.1  impact_friction = 0.1 + 0.2*i/' \
    -e 's/until = 0.5/until = 0.5  loads = report/' cart.imp >told.imp
$imp run told.imp 2>&1 >/dev/null
