/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ball of examples/tutorial/ball.imp in MuJoCo (README.md). It has no
 * coefficient of restitution: stiffness 1e5/s^2 and damping 45/s of the contact
 * give e = 0.8 at this speed. */
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEIGHT 0.9 /* m: the gap at the start */

static mjModel *
model(double dt)
{
    char text[1000], error[500];
    snprintf(
        text, sizeof text,
        "<mujoco><option timestep='%g' gravity='0 0 -9.81' integrator='RK4'/>"
        "<default><geom solref='-100000 -45' solimp='1 1 .001'/></default>"
        "<worldbody><geom type='plane' size='5 5 .1'/><body pos='0 0 1'>"
        "<freejoint/><geom type='sphere' size='.1' "
        "mass='1'/></body></worldbody>"
        "</mujoco>",
        dt);
    mjVFS *files = malloc(sizeof *files);
    mj_defaultVFS(files);
    mj_makeEmptyFileVFS(files, "ball.xml", (int)strlen(text));
    memcpy(files->filedata[0], text, strlen(text));
    mjModel *m = mj_loadXML("ball.xml", files, error, sizeof error);
    if (!m)
        puts(error);
    free(files);
    return m;
}

int
main(void)
{
    static const double steps[] = {2e-3, 1e-3, 1e-4, 1e-5};
    for (int k = 0; k < 4; k++) {
        mjModel *m = model(steps[k]);
        if (!m)
            return 1;
        mjData *d = mj_makeData(m);
        double deepest = 0, last = 0, top = 0;
        int flights = 0; /* 1: up after the first impact, 2: down again */
        while (d->time < 6) {
            mj_step(m, d);
            double gap = d->qpos[2] - 0.1, speed = d->qvel[2];
            deepest = fmax(deepest, -gap);
            if (fabs(speed) > 1e-3)
                last = d->time;
            if (flights == 0 && speed > 0 && gap > 0)
                flights = 1;
            if (flights == 1) {
                top = fmax(top, gap);
                if (speed < 0 && gap < 0.9 * top)
                    flights = 2;
            }
        }
        printf("step %g s: e of the first impact %.4f, slower than 1 mm/s "
               "after %.4f s, "
               "overlap %.2g m\n",
               steps[k], sqrt(top / HEIGHT), last, deepest);
        mj_deleteData(d);
        mj_deleteModel(m);
    }
    return 0;
}
