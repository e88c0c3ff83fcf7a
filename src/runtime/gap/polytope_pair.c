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
    if (run->closest.polytope == NULL)
        run->closest.polytope =
            NEW_N(run->own, struct polytope_contact_memo, rt_contact_room(run));
    return &run->closest.polytope[contact];
}

void
polytope_contact_forget(struct rt *run)
{
    for (uint32_t c = 0;
         run->closest.polytope != NULL && c < run->im->contacts.n; c++)
        run->closest.polytope[c].warm = false;
}

void
polytope_contact_forget_one(struct rt *run, uint32_t contact)
{
    assert(contact < run->im->contacts.n);
    struct polytope_contact_memo *memo = polytope_contact_memo(run, contact);
    memo->warm = false;
    memo->time = NAN;
    if (!run->rows.contact[contact])
        memo->smooth = NULL; /* that of another pattern */
}

void *
polytope_contact_remember(struct rt *run)
{
    assert(run != NULL);
    return run->closest.polytope
               ? arena_copy(run->brief, run->closest.polytope,
                            run->im->contacts.n * sizeof *run->closest.polytope)
               : NULL;
}

/* Room that has been made since then stays. */
static void
recall(struct polytope_contact_memo *memo,
       const struct polytope_contact_memo *from)
{
    memo->warm = from && from->warm;
    if (!from)
        return;
    memo->last = from->last;
    memo->time = from->time;
    memcpy(memo->state, from->state, sizeof memo->state);
}

void
polytope_contact_recall(struct rt *run, const void *memory, uint32_t n)
{
    assert(run != NULL && n <= run->im->contacts.n);
    const struct polytope_contact_memo *from = memory;
    size_t n_now = run->closest.polytope ? run->im->contacts.n : 0;
    for (size_t i = 0; i < n_now; i++)
        recall(&run->closest.polytope[i], from && i < n ? from + i : NULL);
}

void *
polytope_contact_remember_one(struct rt *run, uint32_t contact)
{
    assert(run != NULL && contact < run->im->contacts.n);
    return arena_copy(run->brief, polytope_contact_memo(run, contact),
                      sizeof *run->closest.polytope);
}

void
polytope_contact_recall_one(struct rt *run, uint32_t contact,
                            const void *memory)
{
    assert(run != NULL && contact < run->im->contacts.n && memory != NULL);
    recall(polytope_contact_memo(run, contact), memory);
}

double
polytope_contact_slack(struct rt *run, uint32_t contact)
{
    assert(contact < run->im->contacts.n);
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
    struct polytope_contact_memo *memo = polytope_contact_memo(run, contact);
    struct support_body support[2];
    double apart[3];
    memset(scene, 0, sizeof *scene);
    scene->dim = (int)run->im->dim;
    for (int i = 0; i < 2; i++) {
        scene->p[i] = run->polytope[image_contact->body[i]];
        support_body_get(run, image_contact->body[i], &support[i]);
    }
    uint32_t n = scene->p[1]->n_vertex;
    if (memo->room < 2 * n + 1) {
        memo->room = 2 * n + 1;
        memo->point = arena_alloc(run->own, memo->room * sizeof *memo->point);
    }
    scene->point = memo->point + (second ? n : 0);
    for (int i = 0; i < 3; i++)
        apart[i] = support[1].c[i] - support[0].c[i];
    support_rotate_back(&support[0], apart, scene->c);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            scene->R[3 * i + j] = support[0].R[0][i] * support[1].R[0][j] +
                                  support[0].R[1][i] * support[1].R[1][j] +
                                  support[0].R[2][i] * support[1].R[2][j];
    polytope_scene_place(scene);
}

/* Turns nearest points and normal from the axes of body 0 into the world. */
static void
to_world(struct rt *run, const imp_contact *image_contact,
         struct nearest_features *nearest)
{
    struct support_body support;
    double P[3], Q[3], n[3];
    support_body_get(run, image_contact->body[0], &support);
    support_rotate(&support, nearest->P, P);
    support_rotate(&support, nearest->Q, Q);
    support_rotate(&support, nearest->n, n);
    for (int i = 0; i < 3; i++) {
        nearest->P[i] = P[i] + support.c[i];
        nearest->Q[i] = Q[i] + support.c[i];
        nearest->n[i] = n[i];
    }
}

int
polytope_pair_closest(struct rt *run, uint32_t contact,
                      struct nearest_features *out)
{
    assert(run != NULL && out != NULL && contact < run->im->contacts.n);
    const imp_contact *image_contact = rt_contact(run, contact);
    assert(!polytope_contact_is_smooth(run, image_contact));
    struct polytope_contact_memo *memo = polytope_contact_memo(run, contact);
    double state[2 * IMP_STATE_SPACE];
    size_t size = contact_bodies_state(run, image_contact, state);
    if (memo->warm && memo->time == rt_time(run) &&
        !memcmp(state, memo->state, size)) {
        *out = memo->last;
        return IMP_OK;
    }
    struct polytope_scene scene;
    polytope_scene_get(run, contact, false, &scene);
    nearest_features_find(&scene, memo->warm ? &memo->last.pair : NULL, out);
    to_world(run, image_contact, out);
    memo->warm = isfinite(out->gap);
    if (!memo->warm)
        return IMP_DIVERGED;
    memo->last = *out;
    memo->time = rt_time(run);
    memcpy(memo->state, state, size);
    return IMP_OK;
}
