/* SPDX-License-Identifier: MIT */
/* `impact`: the impulse at one contact of two free (or fixed) bodies and the
 * motion after it (Palffy-Muhoray et al. 2018, eqs (1)-(10), spec 0.A). The
 * impact handler of the compiled model computes it; here are the question, the
 * checks (I1, I2) and what the tangential case needs: zero impulse, and the
 * energy alpha^2 n.M.n/2 that any other would add.
 *
 * Like every command it starts from the initial state; commands after it do
 * not see the motion after the impact. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/impact/impact_handler.h"
#include "analysis/impact/impact_priv.h"
#include "base/num.h"
#include "runtime/motion/body_kinematics.h"
#include "runtime/motion/joints.h"
#include "runtime/numerics/vec3.h"

/* I1: relative error of energy and momenta of one impact */
#define IMPACT_CONSERVES 1e-12

/* normal velocity of Q against P after the impact */
static double
normal_after(const struct rt *r, const imp_contact *ct,
             const double cs[IMP_CS_SIZE])
{
    double u[3] = {0, 0, 0};
    uint32_t flags = rt_body(r, ct->body[0])->flags;
    flags |= rt_body(r, ct->body[1])->flags;
    if (flags & IMP_BODYF_GTIME) /* surfaces have speeds of their own */
        return cs[IMP_CS_VREL] + cs[IMP_CS_W] * cs[IMP_CS_IMPULSE];
    for (int i = 0; i < 2; i++) {
        const imp_body *b = rt_body(r, ct->body[i]);
        double c[3] = {0, 0, 0}, rho[3], v[3];
        memcpy(c, r->env + b->env_state, sizeof *c * r->im->dim);
        vec3_sub(cs + (i ? IMP_CS_Q : IMP_CS_P), c, rho);
        vec3_copy(cs + (i ? IMP_CS_V2 : IMP_CS_V1), v);
        vec3_add_scaled_cross(1.0, cs + (i ? IMP_CS_W2 : IMP_CS_W1), rho, v);
        vec3_add_scaled(i ? 1.0 : -1.0, v, u);
    }
    return vec3_dot(u, cs + IMP_CS_NORMAL);
}

/* a row per body: spin, velocity; 3 entries in the plane, 6 in space */
static size_t
twists(struct analysis *a, const imp_contact *ct, const double *cs,
       double x[12])
{
    struct rt *r = a->rt;
    bool plane = r->im->dim == 2;
    size_t n = 0;
    for (int i = 0; i < 2; i++) {
        double v[3] = {0, 0, 0}, w[3] = {0, 0, 0}, k[18];
        if (cs) {
            vec3_copy(cs + (i ? IMP_CS_V2 : IMP_CS_V1), v);
            vec3_copy(cs + (i ? IMP_CS_W2 : IMP_CS_W1), w);
        } else if (!body_kinematics(r, ct->body[i], k)) {
            vec3_copy(k, v);
            vec3_copy(k + 9, w);
        }
        for (int j = plane ? 2 : 0; j < 3; j++)
            x[n++] = w[j];
        for (int j = 0; j < (plane ? 2 : 3); j++)
            x[n++] = v[j];
    }
    return n / 2;
}

static int
check_conserved(struct analysis *a, const imp_contact *ct, const double *cs,
                double error)
{
    double size = fmax(cs[IMP_CS_E_BEFORE], cs[IMP_CS_E_AFTER]);
    double lost = cs[IMP_CS_E_BEFORE] - cs[IMP_CS_E_AFTER];
    if (fabs(lost - cs[IMP_CS_LOSS]) <= IMPACT_CONSERVES * size &&
        error <= IMPACT_CONSERVES)
        return IMP_OK;
    char l[NUM_TEXT], w[NUM_TEXT], e[NUM_TEXT];
    struct diag *d =
        diag_add(a->ds, DIAG_E0714, ct->range,
                 "the impact at `%s` is not computed well enough: "
                 "it loses %s J, the law says %s J; momentum is "
                 "off by %s (relative)",
                 imp_text(a->rt->im, ct->name), num_digits(l, lost, 17),
                 num_digits(w, cs[IMP_CS_LOSS], 17), num_digits(e, error, 3));
    diag_help(a->ds, d,
              "look at the masses and inertias: a body may be "
              "extremely thin or light");
    return IMP_FAILED;
}

/* what the impact at several contacts reports of one as well; `law`: the
 * impulse is the law's, so that there is a peak of compression */
static int
more_fields(struct analysis *a, const imp_command *c, uint32_t contact,
            bool law, struct record *out)
{
    struct impact_of_run in;
    struct impact_solver *m;
    enum imp_impact_law l;
    int st;
    if ((st = impact_law_of_command(a, c, &l)) ||
        (st = impact_read(a, &contact, 1, &in)) ||
        (st = impact_prepare(a, &in, &m)))
        return st;
    if (l == IMP_IMPACT_UNDECLARED)
        l = (enum imp_impact_law)(IMP_IMPACT_NEWTON +
                                  rt_contact(a->rt, contact)->law);
    impact_solver_solve(m, l);
    m->peak = m->peak && law;
    impact_record(a, &in, m, out, true);
    return IMP_OK;
}

static int
cmd_impact(struct analysis *a, const imp_command *c, struct record *out)
{
    struct touch t;
    struct verdict v;
    double until, own = 0.0, cs[IMP_CS_SIZE], x[12];
    const char *warn[4];
    size_t n_warn = 0;
    int st;
    uint32_t contact = arg_contact(a, c, 0);
    if (rt_contact(a->rt, contact)->system != IMP_NO_SYSTEM)
        return impact_of_system(a, c, out);
    if (c->args.n > 1 || !impact_is_plain(a->rt, contact))
        return impact_at_contacts(a, c, out);
    const imp_contact *ct = rt_contact(a->rt, contact);
    const imp_val *user = arg_option(a, c, IMP_OPT_impact_impulse);
    if ((st = touch_option_until(a, c, IMP_OPT_impact_until, &until)) ||
        (st = arg_number(a, c, IMP_OPT_impact_impulse, 0.0, &own)) ||
        (st = touch_find(a, contact, until, &t)))
        return st;
    if (t.found != TOUCH_YES) {
        struct diag *d =
            diag_add(a->ds, DIAG_E0709, c->range,
                     "the bodies of `%s` do not touch, so there is "
                     "no impact",
                     imp_text(a->rt->im, ct->name));
        diag_help(a->ds, d, "`classify` says how far the motion was followed");
        return IMP_FAILED;
    }
    if ((st = touch_agree(a, &t)))
        return st;
    touch_verdict(a, &t, &v);

    /* without approach the law has nothing to reverse */
    double zero = 0.0;
    bool none = v.class != CLASS_MINUS;
    const double *alpha = user ? &own : none ? &zero : NULL;
    if ((st = impact_handler_compute(a, contact, alpha, cs)))
        return st;
    double error = impact_handler_momentum_error(a, contact, cs);
    if (!user && (st = check_conserved(a, ct, cs, error)))
        return st;

    bool tangent = none && v.class != CLASS_SEPARATING;
    double nMn = cs[IMP_CS_W], u1 = normal_after(a->rt, ct, cs);
    double lost = cs[IMP_CS_E_BEFORE] - cs[IMP_CS_E_AFTER];
    if (v.class == CLASS_SEPARATING)
        warn[n_warn++] = "the bodies separate: the law gives no impulse";
    if (tangent)
        warn[n_warn++] =
            "tangential touch: the law gives no impulse, any other "
            "adds energy (energy_price)";
    if (user && own < 0.0)
        warn[n_warn++] = "a negative impulse pulls the bodies together";
    /* I2: energy that the user's impulse adds is said aloud; from the terms,
     * as the difference of the energies may be rounding */
    double added = user ? own * v.v + own * own * nMn / 2.0 : 0.0;
    if (added > 0.0) {
        char s[NUM_TEXT],
            *w = arena_printf(record_arena(a), "this impulse adds %s J",
                              num_digits(s, added, 6));
        warn[n_warn++] = w;
        struct diag *d = diag_add(a->ds, DIAG_W0721, user->range,
                                  "an impulse of your own at `%s` adds %s J",
                                  imp_text(a->rt->im, ct->name), s);
        (void)d;
    }

    SET_NUM("time", t.time);
    SET_LIST("impulses", &cs[IMP_CS_IMPULSE], 1);
    size_t cols = twists(a, ct, NULL, x);
    SET_MAT("twists_before", x, 2, cols);
    twists(a, ct, cs, x);
    SET_MAT("twists_after", x, 2, cols);
    SET_LIST("normal_velocities_before", &cs[IMP_CS_VREL], 1);
    SET_LIST("normal_velocities_after", &u1, 1);
    SET_NUM("energy_before", cs[IMP_CS_E_BEFORE]);
    SET_NUM("energy_after", cs[IMP_CS_E_AFTER]);
    SET_NUM("energy_loss", lost);
    if (tangent) {
        double al = user ? own : 1.0;
        SET_NUM("energy_price", al * al * nMn / 2.0);
    } else {
        SET_ABSENT("energy_price", "the touch is not tangential");
    }
    if (nMn > 0.0)
        SET_NUM("effective_mass", 1.0 / nMn);
    else
        SET_ABSENT("effective_mass", "both bodies are fixed");
    SET_NUM("momentum_error", error);
    SET_TEXTS("warnings", warn, n_warn);
    return more_fields(a, c, contact, !alpha, out);
}

const struct command_functions command_impact = {.run = cmd_impact};
