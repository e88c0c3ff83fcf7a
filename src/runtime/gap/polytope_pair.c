/* SPDX-License-Identifier: MIT */
/* Two polytopes at the present state of a run (polytope_contact_priv.h): one
 * of them seen from the other, and their nearest features in world axes. The
 * memory of a contact stands here, too. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/gap/contact_bodies.h"
#include "runtime/gap/polytope_contact_priv.h"
#include "runtime/gap/tolerance.h"
#include "runtime/geometry/support.h"

struct polytope_contact_memo *
polytope_contact_memo(struct rt *run, uint32_t contact)
{
    assert(contact < run->im->contacts.n);
    if (run->polytope_contact == NULL)
        run->polytope_contact =
            NEW_N(run->own, struct polytope_contact_memo, run->im->contacts.n);
    return &run->polytope_contact[contact];
}

void
polytope_contact_forget(struct rt *run)
{
    for (uint32_t c = 0;
         run->polytope_contact != NULL && c < run->im->contacts.n; c++)
        run->polytope_contact[c].warm = false;
}

double
polytope_contact_slack(struct rt *run, uint32_t contact)
{
    struct gap_tolerance tol;
    gap_tolerance_get(run, contact, &tol);
    return 1e-2 * tol.gap;
}

void
polytope_scene_get(struct rt *run, uint32_t contact, bool second,
                   struct polytope_scene *scene)
{
    assert(run != NULL && scene != NULL);
    const imp_contact *image_contact = rt_contact(run, contact);
    struct polytope_contact_memo *m = polytope_contact_memo(run, contact);
    struct support_body b[2];
    double d[3];
    memset(scene, 0, sizeof *scene);
    scene->dim = (int)run->im->dim;
    for (int i = 0; i < 2; i++) {
        scene->p[i] = run->polytope[image_contact->body[i]];
        support_body_get(run, image_contact->body[i], &b[i]);
    }
    uint32_t n = scene->p[1]->n_vertex;
    if (m->room < 2 * n + 1) {
        m->room = 2 * n + 1;
        m->point = arena_alloc(run->own, m->room * sizeof *m->point);
    }
    scene->point = m->point + (second ? n : 0);
    for (int i = 0; i < 3; i++)
        d[i] = b[1].c[i] - b[0].c[i];
    support_rotate_back(&b[0], d, scene->c);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            scene->R[3 * i + j] = b[0].R[0][i] * b[1].R[0][j] +
                                  b[0].R[1][i] * b[1].R[1][j] +
                                  b[0].R[2][i] * b[1].R[2][j];
    polytope_scene_place(scene);
}

/* nearest points and normal from the axes of body 0 into the world */
static void
to_world(struct rt *run, const imp_contact *image_contact,
         struct nearest_features *o)
{
    struct support_body b;
    double P[3], Q[3], n[3];
    support_body_get(run, image_contact->body[0], &b);
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
polytope_pair_closest(struct rt *run, uint32_t contact,
                      struct nearest_features *out)
{
    assert(run != NULL && out != NULL && contact < run->im->contacts.n);
    const imp_contact *image_contact = rt_contact(run, contact);
    assert(!polytope_contact_is_smooth(run, image_contact));
    struct polytope_contact_memo *m = polytope_contact_memo(run, contact);
    double state[2 * IMP_STATE_SPACE];
    size_t size = contact_bodies_state(run, image_contact, state);
    if (m->warm && m->time == rt_time(run) && !memcmp(state, m->state, size)) {
        *out = m->last;
        return IMP_OK;
    }
    struct polytope_scene s;
    polytope_scene_get(run, contact, false, &s);
    nearest_features_find(&s, m->warm ? &m->last.pair : NULL, out);
    to_world(run, image_contact, out);
    m->warm = isfinite(out->gap);
    if (!m->warm)
        return IMP_DIVERGED;
    m->last = *out;
    m->time = rt_time(run);
    memcpy(m->state, state, size);
    return IMP_OK;
}
