# SPDX-License-Identifier: GPL-3.0-or-later
"""The ball of examples/tutorial/ball.imp in Siconos by time stepping (README.md)."""
import math

import numpy as np
import siconos.kernel as sk


def run(step, e=0.8, height=0.9):
    ball = sk.LagrangianLinearTIDS([height, 0, 0], [0, 0, 0], np.eye(3))
    ball.setFExtPtr([-9.81, 0, 0])
    contact = sk.Interaction(sk.NewtonImpactNSL(e), sk.LagrangianLinearTIR([[1.0, 0, 0]]))
    model = sk.NonSmoothDynamicalSystem(0, 6)
    model.insertDynamicalSystem(ball)
    model.link(contact, ball)
    simulation = sk.TimeStepping(model, sk.TimeDiscretisation(0, step), sk.MoreauJeanOSI(0.5), sk.LCP())
    last = deepest = top = 0.0
    flights = 0
    while simulation.hasNextEvent():
        simulation.computeOneStep()
        gap, speed = ball.q()[0], ball.velocity()[0]
        deepest = max(deepest, -gap)
        if abs(speed) > 1e-3:
            last = simulation.nextTime()
        if flights == 0 and speed > 0:
            flights = 1
        if flights == 1:
            top = max(top, gap)
            flights = 2 if speed < 0 else 1
        simulation.nextStep()
    print(f"step {step:g} s: e of the first impact {math.sqrt(top / height):.4f}, slower than 1 mm/s "
          f"after {last:.4f} s, overlap {deepest:.2g} m", flush=True)


for step in (2e-3, 1e-3, 1e-4):
    run(step)
