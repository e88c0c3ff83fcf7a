/* SPDX-License-Identifier: MIT */
/* Contacts of corners (polytope_contact.h): which part answers, the scene of
 * two polytopes at the present state, and the answer carried into the world. */
#include "runtime/gap/polytope_contact.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/events/event_priv.h"
#include "runtime/gap/polytope_contact_priv.h"
#include "runtime/geometry/support.h"

struct polytope_contact_memo *
polytope_contact_memo(struct rt *r, uint32_t contact)
{
    if (r->polytope_contact == NULL)
        r->polytope_contact =
            NEW_N(r->own, struct polytope_contact_memo, r->im->contacts.n);
    return &r->polytope_contact[contact];
}

void
polytope_contact_forget(struct rt *r)
{
    for (uint32_t c = 0; r->polytope_contact != NULL && c < r->im->contacts.n;
         c++)
        r->polytope_contact[c].warm = false;
}

double
polytope_contact_slack(struct rt *r, uint32_t contact)
{
    struct gap_tolerance tol;
    gap_tolerance_get(r, contact, &tol);
    return 1e-2 * tol.gap;
}

void
polytope_scene_get(struct rt *r, uint32_t contact, bool second,
                   struct polytope_scene *s)
{
    const imp_contact *k = rt_contact(r, contact);
    struct polytope_contact_memo *m = polytope_contact_memo(r, contact);
    struct support_body b[2];
    double d[3];
    memset(s, 0, sizeof *s);
    s->dim = (int)r->im->dim;
    for (int i = 0; i < 2; i++) {
        s->p[i] = r->polytope[k->body[i]];
        support_body_get(r, k->body[i], &b[i]);
    }
    uint32_t n = s->p[1]->n_vertex;
    if (m->room < 2 * n + 1) {
        m->room = 2 * n + 1;
        m->point = arena_alloc(r->own, m->room * sizeof *m->point);
    }
    s->point = m->point + (second ? n : 0);
    for (int i = 0; i < 3; i++)
        d[i] = b[1].c[i] - b[0].c[i];
    support_rotate_back(&b[0], d, s->c);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            s->R[3 * i + j] = b[0].R[0][i] * b[1].R[0][j] +
                              b[0].R[1][i] * b[1].R[1][j] +
                              b[0].R[2][i] * b[1].R[2][j];
    polytope_scene_place(s);
}

/* the question of a contact, as it stands */
static size_t
question(const struct rt *r, const imp_contact *k, double *state)
{
    size_t n = r->im->dim == 2 ? IMP_STATE_PLANE : IMP_STATE_SPACE;
    for (int i = 0; i < 2; i++)
        memcpy(state + (size_t)i * n,
               r->env + rt_body(r, k->body[i])->env_state, n * sizeof *state);
    return 2 * n * sizeof *state;
}

/* features of the answer in the world */
static void
to_world(struct rt *r, const imp_contact *k, struct nearest_features *o)
{
    struct support_body b;
    double P[3], Q[3], n[3];
    support_body_get(r, k->body[0], &b);
    support_rotate(&b, o->P, P);
    support_rotate(&b, o->Q, Q);
    support_rotate(&b, o->n, n);
    for (int i = 0; i < 3; i++) {
        o->P[i] = P[i] + b.c[i];
        o->Q[i] = Q[i] + b.c[i];
        o->n[i] = n[i];
    }
}

int
polytope_contact_closest(struct rt *r, uint32_t contact,
                         struct nearest_features *out, bool loud)
{
    const imp_contact *k = rt_contact(r, contact);
    struct polytope_contact_memo *m = polytope_contact_memo(r, contact);
    double state[2 * IMP_STATE_SPACE];
    if (polytope_contact_is_smooth(r, k))
        return smooth_polytope_closest(r, contact, out, loud);
    size_t size = question(r, k, state);
    if (m->warm && m->time == rt_time(r) && !memcmp(state, m->state, size)) {
        *out = m->last;
        return IMP_OK;
    }
    struct polytope_scene s;
    polytope_scene_get(r, contact, false, &s);
    nearest_features_find(&s, m->warm ? &m->last.pair : NULL, out);
    to_world(r, k, out);
    m->warm = isfinite(out->gap);
    if (!m->warm)
        return IMP_DIVERGED;
    m->last = *out;
    m->time = rt_time(r);
    memcpy(m->state, state, size);
    return IMP_OK;
}

int
polytope_contact_series(struct rt *r, uint32_t contact, int order, double *gap,
                        double *valid)
{
    struct nearest_features at;
    double never;
    if (polytope_contact_is_smooth(r, rt_contact(r, contact)))
        return smooth_polytope_series(r, contact, order, gap,
                                      valid ? valid : &never);
    int st = polytope_contact_closest(r, contact, &at, false);
    if (st)
        return st;
    return polytope_pair_series(r, contact, order, &at.pair, gap, valid);
}

void
polytope_contact_predict(struct rt *r, uint32_t contact, int order, double dt)
{
    if (polytope_contact_is_smooth(r, rt_contact(r, contact)))
        smooth_polytope_predict(r, contact, order, dt);
}

int
polytope_contact_manifold(struct rt *r, uint32_t contact, double tol,
                          struct contact_manifold *out)
{
    return polytope_contact_is_smooth(r, rt_contact(r, contact))
               ? smooth_polytope_manifold(r, contact, tol, out)
               : polytope_pair_manifold(r, contact, tol, out);
}
