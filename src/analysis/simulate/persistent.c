/* SPDX-License-Identifier: MIT */
/* Persistent contact: which of the contacts that touch without rate carry a
 * force from now on (runtime/motion/persistent.h), and what ends it: a force
 * that falls to zero, another vertex that comes down, the end of a face, the
 * end of slip or stick. A contact that cannot be followed ends the run with a
 * diagnostic. Where several motions obey Coulomb's law, or none does, the run
 * stops with their list (I4). */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/simulate/simulate_priv.h"
#include "base/num.h"
#include "runtime/friction/paradox.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/tolerance.h"
#include "runtime/modes/friction_rows.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent.h"
#include "runtime/rubbing/rubbing.h"

/* An acceleration of a slip below so many times its rounding is none: normals
 * and places of corners are right to 1e-13 (FORCE_NONE of mode_select.c). */
#define CORNERS_SLIP 2e3
/* Stick and slip that take turns so often at one time, per point and without an
 * impact, come to no end. */
#define MODES_REPEAT 6
/* Before that, what forces at edges of their cones do next is looked at, */
#define MODES_NEXT 1
/* and forces that points share are no longer the least ones, which lie at edges
 * of cones: each point that keeps off its own brings another one to its. */
#define MODES_INNER 2

/* Appends the points of the contact. False: the touch cannot be followed by
 * points. */
static bool
gather(struct simulation *sim, uint32_t contact, struct point_list *list)
{
    int room = contact_set_room(sim->run, contact);
    struct contact_point *spot =
        NEW_N(sim->run->brief, struct contact_point, (size_t)room);
    double tol, rate;
    gap_tolerances(sim->run, contact, &tol, &rate);
    int k = contact_set_points(
        sim->run, contact, contact_set_closed(sim->run, contact), spot, room);
    /* Near a change of features the normal may be set-valued to two tolerances,
     * and unique to the one that the verdict on the touch has used. */
    if (k < 0)
        k = contact_set_points(sim->run, contact, tol, spot, room);
    if (k < 0 && simulate_corners_rest(sim, contact, spot))
        k = 2;
    for (int i = 0; i < k; i++)
        point_list_add(sim, list, &spot[i]);
    return k >= 0;
}

/* Corners on corners part where they slip. */
static bool
corners_part(struct rt *run, const struct contact_point *spot, double none)
{
    double slip[3];
    return spot->kind == POINT_CORNERS &&
           (contact_set_series(run, spot->contact) ||
            !contact_set_corners_slip(run, spot, 1, slip) ||
            fabs(slip[1]) > none);
}

/* Keeps the points that have no rate. */
static int
still(struct simulation *sim, struct contact_point *spot, int *n_points)
{
    struct rt *run = sim->run;
    struct contact_point_state *p =
        NEW_N(run->brief, struct contact_point_state, *n_points + 1);
    int m = 0, st = *n_points
                        ? contact_point_states(run, spot, *n_points, p, NULL)
                        : IMP_OK;
    for (int i = 0; i < *n_points && !st; i++) {
        /* what the verdict on a touch has taken for no rate is none here, too:
         * else it would come again and again; what has not pushed may be up */
        uint32_t of = spot[i].contact;
        double none = mode_still_rate(run, of, p[i].free);
        none =
            fmax(fmax(none, MODE_STILL * p[i].speed), sim->contacts[of].still);
        if (fabs(p[i].rate) > none)
            simulate_yield_shaken(sim, of, p[i].rate);
        if (simulate_yields(sim, of) ||
            (p[i].gap <= contact_set_closed(run, of) &&
             fabs(p[i].rate) <= none && !corners_part(run, &spot[i], none)))
            spot[m++] = spot[i];
    }
    *n_points = m;
    return st;
}

bool
simulate_corners_rest(struct simulation *sim, uint32_t contact,
                      struct contact_point out[2])
{
    assert(sim != NULL && contact < sim->n_contacts && out != NULL);
    int n = contact_set_corner(sim->run, contact,
                               contact_set_closed(sim->run, contact), out);
    return n == 2 && friction_modes_any(sim->run, out, n) &&
           still(sim, out, &n) == IMP_OK && n == 2;
}

bool
simulate_may_push(struct simulation *sim, uint32_t contact)
{
    assert(sim != NULL && contact < sim->n_contacts);
    struct point_list list = {0};
    bool may = false;
    if (sim->run->im->dim != 2 || !friction_modes_contact(sim->run, contact) ||
        !gather(sim, contact, &list) || list.n == 0)
        return false;
    struct friction_rows in = {.run = sim->run, .n = list.n, .spot = list.spot};
    if (friction_rows_read(&in))
        return false;
    for (int i = 0; i < in.n; i++) {
        size_t rows = 2 * (size_t)in.n, N = 2 * (size_t)i;
        may |= in.W[N * rows + N] <
               in.point[i].mu_static * fabs(in.W[N * rows + N + 1]);
    }
    return may;
}

static int
jammed(struct simulation *sim, uint32_t contact)
{
    char t[NUM_TEXT];
    struct diag *diag = diag_add(
        sim->analysis->ds, DIAG_E0731, rt_contact(sim->run, contact)->range,
        "no forces >= 0 keep the bodies of `%s` apart at t = %s s",
        simulate_contact_name(sim, contact), rt_told(t, rt_time(sim->run), 9));
    diag_help(sim->analysis->ds, diag,
              "the body is squeezed between others that give no way; look at "
              "what moves them");
    return IMP_FAILED;
}

/* -- stick and slip -------------------------------------------------------- */

/* The run ends the slip at point `which` by an impact without collision. */
static int
jump(struct simulation *sim, const struct contact_point *spot, int n, int which,
     bool plastic)
{
    double impulse;
    uint32_t contact = spot[which].contact;
    int st = simulate_row(sim);
    if (st ||
        (st = friction_modes_jump(sim->run, spot, n, which, plastic, &impulse)))
        return st;
    simulate_log_event(sim, contact, "impact without collision", "", impulse);
    simulate_watch(sim, contact, WATCH_LEAVE);
    sim->rows.fresh = false;
    return IMP_OK;
}

/* A vertex at the end of its face that begins to slip over that end is left by
 * its face at once: it slips along the next face and corner, and these come
 * into its place, if they are not there already. True: there is such a vertex.
 */
static bool
slips_over_ends(struct simulation *sim, struct contact_point *spot, int *n,
                const struct friction_modes *modes)
{
    bool any = false;
    int count = *n;
    for (int i = count - 1; i >= 0 && modes->choice.taken >= 0; i--) {
        struct contact_point next;
        bool forward = modes->mode[i] == CONTACT_SLIP_POSITIVE, listed = false;
        if (!(forward || modes->mode[i] == CONTACT_SLIP_NEGATIVE) ||
            modes->slip[i] != 0.0)
            continue;
        if (!contact_set_slips_over(
                sim->run, &spot[i],
                contact_set_closed(sim->run, spot[i].contact),
                forward ? 1.0 : -1.0, &next))
            continue;
        for (int k = 0; k < *n; k++)
            listed |= contact_point_same(&spot[k], &next);
        if (!listed)
            spot[i] = next;
        else
            memmove(spot + i, spot + i + 1, sizeof *spot * (size_t)(--*n - i));
        any = true;
    }
    return any;
}

/* Corners on corners whose slip is accelerated do not stay together: they slip
 * onto the side that lies that way. True: there are such among the points that
 * have just been chosen; the sides have taken their places. */
static bool
slip_off_corners(struct simulation *sim, struct contact_point *spot, int n)
{
    struct rt *run = sim->run;
    bool any = false;
    double step, slip[3];
    for (int i = 0; i < n; i++) {
        const uint32_t *body = rt_contact(run, spot[i].contact)->body;
        if (spot[i].kind != POINT_CORNERS ||
            motion_series_two(run, body, 2, &step) ||
            !contact_set_corners_slip(run, &spot[i], 2, slip) ||
            fabs(slip[2]) <=
                CORNERS_SLIP * mode_still_acceleration(run, spot[i].contact))
            continue;
        struct contact_point next;
        if (!contact_set_corners_leave(run, &spot[i], slip[2],
                                       contact_set_closed(run, spot[i].contact),
                                       &next))
            continue;
        spot[i] = next;
        any = true;
    }
    return any;
}

/* Have modes changed at this one time, without an impact, so many times per
 * point that is held? */
static bool
takes_turns(const struct simulation *sim, int times)
{
    return sim->modes_time == rt_time(sim->run) &&
           sim->modes_impacts == sim->impacts &&
           sim->modes_changed > times * (persistent_count(sim->run) + 1);
}

/* Chooses the modes of the closed points of one group that has friction. gone:
 * a point whose mode has just ended by `cause`, or NULL. spot, *count: those
 * that go on. shared: per contact, its forces are not determined. *jumped: an
 * impact without collision has been made, and the modes are still to be chosen.
 */
static int
choose_modes(struct simulation *sim, struct contact_point *spot, int *count,
             const struct contact_point *gone, enum choice_cause cause,
             bool *shared, bool *jumped)
{
    assert(sim != NULL && spot != NULL && *count > 0 && shared != NULL);
    int n = *count;
    bool inner = sim->modes_inner && takes_turns(sim, 0);
    bool next = takes_turns(sim, MODES_NEXT);
    struct friction_modes modes = {
        .cause = cause, .which = -1, .inner = inner, .next = next};
    for (int i = 0; i < n && gone; i++)
        if (!memcmp(&spot[i], gone, sizeof *gone))
            modes.which = i;
    int st = simulate_capture_slips(sim, spot, n, &modes);
    if (!st && (slips_over_ends(sim, spot, count, &modes) ||
                (modes.choice.taken >= 0 && !modes.jumps && !modes.yields &&
                 slip_off_corners(sim, spot, n)))) {
        n = *count;
        modes = (struct friction_modes){
            .cause = CHOICE_OTHER, .which = -1, .inner = inner, .next = next};
        st = simulate_capture_slips(sim, spot, n, &modes);
    }
    if (st)
        return st;
    for (int i = 0; modes.changed && i < n; i++)
        if (i == 0 || spot[i].contact != spot[i - 1].contact)
            simulate_verdict(sim, spot[i].contact, &modes.found[i]);
    if (modes.by_policy || modes.stays)
        simulate_paradox_policy(sim, spot[0].contact, &modes);
    *jumped = modes.jumps || modes.yields;
    if (modes.yields)
        return simulate_yield_soften(sim, spot, n);
    if (modes.jumps)
        return jump(sim, spot, n, modes.jump, false);
    if (modes.choice.taken < 0)
        return simulate_paradox_undecided(sim, spot, n, &modes);
    for (int i = 0; i < n && modes.shared; i++)
        shared[spot[i].contact] = true;
    simulate_paradox_ranges(sim, spot, n, modes.range);
    simulate_paradox_choice(sim, spot[0].contact, &modes.choice);
    return IMP_OK;
}

/* Logs a new mode of a contact with friction; without a force it has none. */
static void
tell_mode(struct simulation *sim, uint32_t contact, enum contact_mode before)
{
    enum contact_mode now = friction_modes_of(sim->run, contact);
    if (now == before || simulate_yields_slack(sim, contact) ||
        (now == CONTACT_FREE && sim->contacts[contact].yields))
        return;
    sim->contacts[contact].gone = now == CONTACT_FREE ? rt_time(sim->run) : 0.0;
    bool slips = now == CONTACT_SLIP_POSITIVE || now == CONTACT_SLIP_NEGATIVE,
         slipped =
             before == CONTACT_SLIP_POSITIVE || before == CONTACT_SLIP_NEGATIVE;
    simulate_log_event(sim, contact,
                       now == CONTACT_FREE ? "liftoff"
                       : !slips            ? "stick"
                       : slipped           ? "reverse"
                                           : "slip",
                       "", 0.0);
    simulate_watch(sim, contact, WATCH_LEAVE);
}

/* -- the choice ------------------------------------------------------------ */

/* Logs the contacts that are held now and were not before, and those that were
 * held and are not. shared: per contact, its forces are not determined. */
static void
tell(struct simulation *sim, const bool *before, const enum contact_mode *mode,
     const bool *shared)
{
    struct rt *run = sim->run;
    const char *list = NULL;
    for (uint32_t contact = 0; contact < sim->n_contacts; contact++) {
        struct simulated_contact *its = &sim->contacts[contact];
        bool now = persistent_holds(run, contact);
        if (before[contact] && !now)
            its->flights.released = rt_time(run);
        if (before[contact] || now)
            its->flights.gap = 0.0; /* to which what is held has been brought */
        if (sim->struck && sim->struck[contact])
            continue;
        if (friction_modes_contact(run, contact)) {
            tell_mode(sim, contact, mode[contact]);
        } else if (now != before[contact] && (now || !its->yields)) {
            simulate_log_event(sim, contact, now ? "slide" : "leave", "", 0.0);
            simulate_watch(sim, contact, WATCH_LEAVE);
        }
        if (now)
            resting_polytopes_enter(sim, contact);
        if (now && shared[contact])
            list = list ? arena_printf(run->brief, "%s, %s", list,
                                       simulate_contact_name(sim, contact))
                        : simulate_contact_name(sim, contact);
    }
    if (list && !sim->reported.shared_forces) {
        char t[NUM_TEXT];
        sim->reported.shared_forces = true;
        simulate_remark(sim,
                        arena_printf(run->brief,
                                     "t = %s s: the forces at the points of %s "
                                     "are not determined, the motion is",
                                     rt_told(t, rt_time(run), 9), list));
    }
}

/* A vertex on a face as another contact of the same two bodies states it.
 * False: the contact is of others. */
static bool
as_seen_by(const struct rt *run, uint32_t contact,
           const struct contact_point *point, struct contact_point *out)
{
    const uint32_t *of = rt_contact(run, point->contact)->body,
                   *other = rt_contact(run, contact)->body;
    bool turned = of[0] == other[1] && of[1] == other[0];
    *out = *point;
    out->contact = contact;
    if (turned && point->kind == POINT_VERTEX)
        out->face_of = 1 - point->face_of;
    return turned || (of[0] == other[0] && of[1] == other[1]);
}

/* Takes a contact that opens now, though it has no rate yet, out of a list,
 * with others of the same two bodies, and those that have just opened so. */
static int
without(struct simulation *sim, struct contact_point *spot, int n,
        const struct contact_point *gone)
{
    int kept = 0;
    double now = rt_time(sim->run);
    struct contact_point same;
    for (uint32_t k = 0; k < sim->n_contacts; k++)
        if (as_seen_by(sim->run, k, gone, &same)) {
            sim->contacts[k].has_left = true;
            sim->contacts[k].left_time = now;
        }
    for (int i = 0; i < n; i++) {
        const struct simulated_contact *its = &sim->contacts[spot[i].contact];
        if (its->has_left && its->left_time == now)
            resting_polytopes_release(sim, &spot[i], true);
        else
            spot[kept++] = spot[i];
    }
    return kept;
}

/* Chooses which points of one group carry a force. */
static int
choose_group(struct simulation *sim, struct contact_point *spot, int n_still,
             const struct contact_point *gone, enum choice_cause cause,
             bool *shared)
{
    struct rt *run = sim->run;
    struct contact_point *all =
        NEW_N(run->brief, struct contact_point, (size_t)n_still + 1);
    enum mode_choice choice;
    int st, at = -1, n_all = n_still;
    memcpy(all, spot, sizeof *all * (size_t)n_still);
    if (sim->captures.now && (st = simulate_capture(sim, spot, n_still)))
        return st;
    if ((st = still(sim, spot, &n_still)))
        return st;
    if (cause == CHOICE_LEFT)
        n_still = without(sim, spot, n_still, gone);
    if (friction_modes_any(run, spot, n_still)) {
        bool jumped;
        st = choose_modes(sim, spot, &n_still, gone, cause, shared, &jumped);
        bool apart = !st && !jumped && simulate_capture_apart(sim, all, n_all);
        if (!st && (jumped || apart))
            return choose_group(sim, apart ? all : spot,
                                apart ? n_all : n_still, NULL, CHOICE_OTHER,
                                shared);
        if (!st && !sim->stopped)
            resting_polytopes_let_go(sim, all, n_all, spot, n_still);
        return st;
    }
    for (int i = 0; i < n_still && gone; i++)
        if (!memcmp(&spot[i], gone, sizeof *gone))
            at = i;
    st = mode_select(run, spot, n_still, at, &choice);
    if (!st && choice != MODE_JAMMED && slip_off_corners(sim, spot, n_still))
        st = mode_select(run, spot, n_still, -1, &choice);
    if (st)
        return st;
    if (choice == MODE_JAMMED)
        return jammed(sim, n_still ? spot[0].contact : 0);
    resting_polytopes_let_go(sim, all, n_all, spot, n_still);
    for (int i = 0; i < n_still && choice == MODE_SHARED; i++)
        shared[spot[i].contact] = true;
    return IMP_OK;
}

/* A contact whose point has just got past the end of its face, or slid to
 * another feature: if nothing holds it there, it has left at the end itself,
 * and the motion has been free since. Sets the run back to that end, but not to
 * before what has been recorded. The second engine stands at the end itself, to
 * rounding, and keeps no such state. */
static int
leave_at_end(struct simulation *sim, const struct contact_point *past,
             bool *left)
{
    *left =
        past && sim->face_end.v && !persistent_holds(sim->run, past->contact);
    if (!*left)
        return IMP_OK;
    saved_state_restore(sim->run, &sim->face_end);
    return rt_time(sim->run) < sim->face_from
               ? motion_to(sim->run, sim->face_from)
               : IMP_OK;
}

/* Goes on to the time `now` from the end of a face at which a contact has left
 * it; or less far, where its gap has closed again before: the search has to
 * begin while the gap is open. */
static int
leave_until(struct simulation *sim, uint32_t contact, double now)
{
    struct rt *run = sim->run;
    struct saved_state end = saved_state_take(run);
    double from = rt_time(run), to = now, tol, rate;
    gap_tolerances(run, contact, &tol, &rate);
    for (;;) {
        struct closest_points closest;
        double less = from + 0.5 * (to - from);
        int st = motion_to(run, to);
        if (st || closest_points_find(run, contact, &closest, false) ||
            closest.gap >= -tol || !(from < less && less < to))
            return st;
        saved_state_restore(run, &end);
        to = less;
    }
}

/* Chooses which points carry a force from now on: of those held on marked
 * blocks, except on contacts `out` (per contact; NULL: none), of the points
 * `more`, and of those that are closed to rounding. Points that are held
 * elsewhere stay as they are. gone: a point whose force has just fallen to
 * zero, or NULL. past: one that is past the end of its feature, or NULL. */
static int
choose(struct simulation *sim, bool *block, const bool *out,
       const struct point_list *more, const struct contact_point *gone,
       enum choice_cause cause, const struct contact_point *past)
{
    struct rt *run = sim->run;
    struct point_list list = {0}, closed = {0};
    bool *before = NEW_N(run->brief, bool, sim->n_contacts + 1), on;
    bool *shared = NEW_N(run->brief, bool, sim->n_contacts + 1);
    enum contact_mode *mode =
        NEW_N(run->brief, enum contact_mode, sim->n_contacts + 1);
    struct contact_point was = gone ? *gone : (struct contact_point){0};
    for (int i = 0; i < more->n; i++)
        persistent_mark(run, more->spot[i].contact, block);
    int st = resting_polytopes_points(sim, block, true, &closed);
    for (int i = 0; i < persistent_count(run); i++) {
        const struct contact_point *p = persistent_point(run, i, &on, NULL);
        if (persistent_marked(run, p->contact, block) &&
            !(out && out[p->contact]))
            point_list_add(sim, &list, p);
    }
    for (int i = 0; i < more->n; i++)
        point_list_add(sim, &list, &more->spot[i]);
    for (int i = 0; i < closed.n; i++)
        point_list_add(sim, &list, &closed.spot[i]);
    for (uint32_t contact = 0; contact < sim->n_contacts; contact++) {
        before[contact] = persistent_holds(run, contact);
        mode[contact] = friction_modes_of(run, contact);
    }
    st = st ? st : friction_modes_remember(run, cause);
    int *joint = simulate_joint_modes(sim);
    gone = gone ? &was : NULL;
    persistent_release(run, block);
    resting_polytopes_ask_again(sim, block);
    int *end = NEW_N(run->brief, int, (size_t)list.n + 1), first = 0;
    int groups = persistent_split(run, list.spot, list.n, end);
    for (int i = 0; i < groups && !st; first = end[i++])
        st = choose_group(sim, list.spot + first, end[i] - first, gone, cause,
                          shared);
    if (st || (st = rubbing_let_alone(run, block)))
        return st;
    double now = rt_time(run);
    bool left;
    if ((st = leave_at_end(sim, past, &left)))
        return st;
    simulate_motion_changes(sim, block);
    tell(sim, before, mode, shared);
    if (!sim->stopped)
        simulate_log_joint_modes(sim, joint);
    sim->rows.fresh = false;
    if ((st = simulate_row(sim)) || !left)
        return st;
    sim->rows.fresh = false;
    return leave_until(sim, past->contact, now);
}

int
simulate_persistent_settle(struct simulation *sim, const uint32_t *more,
                           uint32_t n_more, uint32_t *unknown)
{
    assert(sim != NULL && unknown != NULL && (more != NULL || n_more == 0));
    struct rt *run = sim->run;
    struct point_list list = {0};
    bool *in = NEW_N(run->brief, bool, sim->n_contacts + 1);
    bool *block = NEW_N(run->brief, bool, run->im->blocks.n + 1);
    *unknown = UINT32_MAX;
    for (uint32_t i = 0; i < n_more; i++) {
        in[more[i]] = true;
        persistent_mark(run, more[i], block);
    }
    for (uint32_t contact = 0; contact < sim->n_contacts; contact++)
        /* a touch without points matters where the bodies are pressed */
        if (in[contact] && !gather(sim, contact, &list) &&
            sim->contacts[contact].pressed)
            *unknown = contact;
    return *unknown != UINT32_MAX
               ? IMP_OK
               : choose(sim, block, in, &list, NULL, CHOICE_OTHER, NULL);
}

int
simulate_persistent_choose(struct simulation *sim, uint32_t contact,
                           const struct contact_point *point, int n,
                           const bool *out)
{
    assert(sim != NULL && contact < sim->n_contacts);
    assert(n >= 0 && (point != NULL || n == 0));
    struct rt *run = sim->run;
    struct point_list list = {0};
    bool *block = NEW_N(run->brief, bool, run->im->blocks.n + 1);
    persistent_mark(run, contact, block);
    /* what these contacts hold elsewhere is chosen anew, too */
    for (uint32_t i = 0; out && i < sim->n_contacts; i++)
        if (out[i])
            persistent_mark(run, i, block);
    for (int i = 0; i < n; i++)
        point_list_add(sim, &list, &point[i]);
    return choose(sim, block, out, &list, NULL, CHOICE_OTHER, NULL);
}

/* Is another point of the contact held? */
static bool
holds_another(const struct rt *run, const struct contact_point *point)
{
    bool on;
    for (int i = 0; i < persistent_count(run); i++) {
        const struct contact_point *held = persistent_point(run, i, &on, NULL);
        if (held->contact == point->contact && !contact_point_same(held, point))
            return true;
    }
    return false;
}

/* A vertex has come to the end of its face without a speed over that end: there
 * a corner meets a corner, and the next face beside them takes over
 * (contact_set_next_corner) as long as it is pressed. Sets the run back to that
 * end and chooses there, with the vertex on its face too if the same corners
 * have just changed over. *over: it has been done. */
static int
at_corner(struct simulation *sim, const struct contact_point *gone, bool *block,
          bool *out, bool *over)
{
    struct rt *run = sim->run;
    struct contact_point next;
    struct point_list list = {0};
    int n = 1;
    *over = false;
    if (!sim->face_end.v || run->im->systems.n || holds_another(run, gone))
        return IMP_OK;
    struct saved_state here = saved_state_take(run);
    saved_state_restore(run, &sim->face_end);
    bool there = rt_time(run) >= sim->face_from &&
                 contact_set_next_corner(run, gone, &next);
    int st = there ? still(sim, &next, &n) : IMP_OK;
    if (there && !st && n == 1) {
        struct contact_point_state state;
        st = contact_point_states(run, &next, 1, &state, NULL);
        there = fabs(state.gap) <= contact_set_closed(run, gone->contact);
    }
    if (st || !there || n == 0) {
        saved_state_restore(run, &here);
        return st;
    }
    *over = true;
    point_list_add(sim, &list, &next);
    if (sim->corner.time == rt_time(run) &&
        sim->corner.contact == gone->contact + 1)
        point_list_add(sim, &list, gone);
    sim->corner.time = rt_time(run);
    sim->corner.contact = gone->contact + 1;
    return choose(sim, block, out, &list, NULL, CHOICE_OTHER, NULL);
}

/* What touches there now is looked for anew, at all contacts of the two bodies
 * and of those that stand beside them as one wall. A corner that is alone
 * leaves, and so does one whose normal is not unique there: the search will
 * find what comes next. */
int
simulate_persistent_past_end(struct simulation *sim, uint32_t contact,
                             int which)
{
    assert(sim != NULL && contact < sim->n_contacts && which >= 0);
    (void)contact;
    struct rt *run = sim->run;
    struct point_list all = {0}, list = {0};
    bool *out = NEW_N(run->brief, bool, sim->n_contacts + 1), on;
    bool *block = NEW_N(run->brief, bool, run->im->blocks.n + 1);
    struct contact_point gone = *persistent_point(run, which, &on, NULL), same;
    for (uint32_t k = 0; k < sim->n_contacts; k++) {
        if (!as_seen_by(run, k, &gone, &same))
            continue;
        resting_polytopes_drop(sim, k);
        out[k] = true;
        persistent_mark(run, k, block);
    }
    bool over;
    int st = at_corner(sim, &gone, block, out, &over);
    if (st || over)
        return st;
    for (uint32_t k = 0; k < sim->n_contacts; k++) {
        all.n = 0;
        if (!out[k] || !gather(sim, k, &all))
            continue;
        (void)as_seen_by(run, k, &gone, &same);
        for (int i = 0; i < all.n; i++)
            if (!contact_point_same(&all.spot[i], &same))
                point_list_add(sim, &list, &all.spot[i]);
    }
    uint32_t *beside = NEW_N(run->brief, uint32_t, sim->n_contacts + 1),
             n_beside = resting_polytopes_beside(sim, gone.contact, beside);
    for (uint32_t i = 0; i < n_beside; i++)
        gather(sim, beside[i], &list);
    return choose(sim, block, out, &list, NULL, CHOICE_OTHER, &gone);
}

/* Chooses anew which points of a marked block carry a force. */
static int
choose_held(struct simulation *sim, bool *block,
            const struct contact_point *gone, enum choice_cause cause)
{
    struct point_list none = {0};
    struct contact_point slid;
    return choose(sim, block, NULL, &none, gone, cause,
                  simulate_slid_point(sim, block, &slid) ? &slid : NULL);
}

int
simulate_persistent_unloaded(struct simulation *sim, int which, bool opens)
{
    assert(sim != NULL && which >= 0);
    struct rt *run = sim->run;
    bool *block = NEW_N(run->brief, bool, run->im->blocks.n + 1), on;
    const struct contact_point *gone = persistent_point(run, which, &on, NULL);
    persistent_mark(run, gone->contact, block);
    return choose_held(sim, block, gone, opens ? CHOICE_LEFT : CHOICE_UNLOADED);
}

/* Do stick and slip take turns at this one time without end? Then says so, and
 * stops the run. */
static bool
endless(struct simulation *sim, uint32_t contact)
{
    struct rt *run = sim->run;
    char t[NUM_TEXT];
    if (sim->modes_time != rt_time(run) || sim->modes_impacts != sim->impacts)
        sim->modes_changed = 0;
    sim->modes_time = rt_time(run);
    sim->modes_impacts = sim->impacts;
    sim->modes_changed++;
    sim->modes_inner = takes_turns(sim, MODES_INNER);
    if (!takes_turns(sim, MODES_REPEAT))
        return false;
    struct diag *diag =
        diag_add(sim->analysis->ds, DIAG_W0727, rt_contact(run, contact)->range,
                 "no motion leads on at t = %s s: whichever modes of friction "
                 "are chosen end at the same time; the run stops",
                 rt_told(t, rt_time(run), 9));
    diag_help(sim->analysis->ds, diag,
              "use an `until` before that time, or slightly other coefficients "
              "of friction%s",
              simulate_steps_remedy(sim));
    sim->stopped = true;
    return true;
}

int
simulate_persistent_friction(struct simulation *sim, int which, bool stops)
{
    assert(sim != NULL && which >= 0);
    struct rt *run = sim->run;
    bool *block = NEW_N(run->brief, bool, run->im->blocks.n + 1), on;
    const struct contact_point *at = persistent_point(run, which, &on, NULL);
    if (endless(sim, at->contact))
        return IMP_OK;
    persistent_mark(run, at->contact, block);
    return choose_held(sim, block, at, stops ? CHOICE_STOPPED : CHOICE_CONE);
}

int
simulate_persistent_joint(struct simulation *sim, uint32_t joint)
{
    assert(sim != NULL && joint < sim->run->im->joints.n);
    struct rt *run = sim->run;
    bool *block = NEW_N(run->brief, bool, run->im->blocks.n + 1), on;
    uint32_t moved =
        IMP_ARRAY(run->im, run->im->joints, imp_joint)[joint].block;
    for (int i = 0; i < persistent_count(run) && !block[moved]; i++) {
        uint32_t contact = persistent_point(run, i, &on, NULL)->contact;
        memset(block, 0, run->im->blocks.n * sizeof *block);
        persistent_mark(run, contact, block);
        if (block[moved] && endless(sim, contact))
            return IMP_OK;
    }
    assert(block[moved]);
    return choose_held(sim, block, NULL, CHOICE_OTHER);
}

/* -- jam ------------------------------------------------------------------- */

int
simulate_persistent_jam(struct simulation *sim, int which)
{
    assert(sim != NULL && which >= 0);
    struct rt *run = sim->run;
    struct point_list none = {0};
    struct friction_jam jam;
    bool *block = NEW_N(run->brief, bool, run->im->blocks.n + 1),
         *out = NEW_N(run->brief, bool, sim->n_contacts + 1);
    int st = friction_modes_jam(run, which, &jam);
    if (st)
        return st;
    sim->rows.fresh = false;
    if (!jam.stops && (st = simulate_row(sim)))
        return st;
    uint32_t policy = run->paradox, contact = jam.spot.contact;
    if (jam.stops) {
        persistent_mark(run, contact, block);
        return choose_held(sim, block, &jam.spot, CHOICE_STOPPED);
    }
    if (policy == PARADOX_BRANCH && run->forks && jam.limit)
        policy = paradox_after_jam(run->forks, jam.opens);
    bool lifts = policy == PARADOX_LIFTOFF && jam.opens && jam.limit;
    bool jumps =
        (policy == PARADOX_JUMP || policy == PARADOX_STICK) && jam.limit;
    simulate_paradox_jam(sim, &jam, !lifts && !jumps);
    if (sim->stopped)
        return IMP_OK;
    if (jumps && (st = jump(sim, &jam.spot, 1, 0, policy == PARADOX_STICK)))
        return st;
    persistent_mark(run, contact, block);
    out[contact] = lifts;
    if (lifts)
        resting_polytopes_drop(sim, contact);
    simulate_watch(sim, contact, WATCH_LEAVE);
    return choose(sim, block, lifts ? out : NULL, &none, NULL, CHOICE_OTHER,
                  NULL);
}
