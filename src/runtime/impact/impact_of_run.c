/* SPDX-License-Identifier: MIT */
/* From the environment of a run to the plain structs of an impact problem. */
#include "runtime/impact/impact_of_run.h"
#include "runtime/instance/contact_restitution.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/features/nearest_features.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/contact_bodies.h"
#include "runtime/gap/tolerance.h"
#include "runtime/geometry/pose.h"
#include "runtime/geometry/support.h"
#include "runtime/motion/motion.h"
#include "runtime/numerics/vec3.h"

static const imp_joint *
joint_at(const struct rt *run, uint32_t j)
{
    return IMP_ARRAY(run->im, run->im->joints, imp_joint) + j;
}

/* Makes the full matrix from xx yy zz xy xz yz. */
static void
full(const double s[6], double a[9])
{
    const double m[9] = {s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2]};
    memcpy(a, m, sizeof m);
}

/* Makes the lower L with L L^T = a. */
static void
root3(const double a[9], double L[9])
{
    memset(L, 0, 9 * sizeof *L);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double s = a[3 * i + j];
            for (int k = 0; k < j; k++)
                s -= L[3 * i + k] * L[3 * j + k];
            if (i == j)
                L[4 * i] = s > 0 ? sqrt(s) : 0;
            else
                L[3 * i + j] = L[4 * j] > 0 ? s / L[4 * j] : 0;
        }
}

static void
read_body(const struct rt *run, uint32_t body, struct impact_body *problem_body)
{
    const imp_body *image_body = rt_body(run, body);
    const double *constants = run->env + image_body->env_body,
                 *state = run->env + image_body->env_state;
    bool plane = run->im->dim == 2;
    double attitude[9], lower[9];
    memset(problem_body, 0, sizeof *problem_body);
    pose_rotation(run, body, attitude);
    if (plane) {
        memcpy(problem_body->centre, state, 2 * sizeof *state);
        memcpy(problem_body->vel, state + 3, 2 * sizeof *state);
        problem_body->spin[2] = state[5];
    } else {
        memcpy(problem_body->centre, state, 3 * sizeof *state);
        memcpy(problem_body->vel, state + 7, 3 * sizeof *state);
        mat3_apply(attitude, state + 10, problem_body->spin);
    }
    if (!(constants[IMP_BODY_INVMASS] > 0))
        return;
    problem_body->mass = constants[IMP_BODY_MASS];
    problem_body->invmass = constants[IMP_BODY_INVMASS];
    if (plane) {
        problem_body->inroot[8] = sqrt(constants[IMP_BODY_INERTIA]);
        problem_body->root[8] = sqrt(constants[IMP_BODY_INVINERTIA]);
        return;
    }
    double a[9];
    full(constants + IMP_BODY_INVINERTIA, a);
    root3(a, lower);
    mat3_product(attitude, lower, problem_body->root);
    full(constants + IMP_BODY_INERTIA, a);
    root3(a, lower);
    mat3_product(attitude, lower, problem_body->inroot);
}

/* Turns a point of the world into one counted from the origin of the problem.
 */
static void
from_origin(const struct impact_of_run *problem, double x[3])
{
    for (int i = 0; i < 3; i++)
        x[i] -= problem->origin[i];
}

/* The place, counted from the origin, of a point that is fixed to a body: `arm`
 * from its mass centre, in body axes. */
static void
place_on_body(const struct rt *run, uint32_t body,
              const struct impact_of_run *problem, const double arm[3],
              double out[3])
{
    const double *state = run->env + rt_body(run, body)->env_state;
    double attitude[9], centre[3] = {0, 0, 0};
    memcpy(centre, state, run->im->dim * sizeof *centre);
    from_origin(problem, centre);
    pose_rotation(run, body, attitude);
    mat3_apply(attitude, arm, out);
    for (int i = 0; i < 3; i++)
        out[i] += centre[i];
}

static void
read_joint(const struct rt *run, const imp_joint *image_joint,
           const struct impact_of_run *problem,
           struct impact_joint *problem_joint)
{
    const double *values = run->env + image_joint->env_joint;
    double axis[3], axis2[3], user[36];
    uint32_t carrier = image_joint->carrier;
    if (problem->p.n_contact > 0 && carrier != IMP_WORLD) {
        place_on_body(run, carrier, problem, values + IMP_JOINT_CARRIER_ARM,
                      problem_joint->at);
    } else {
        pose_carry(run, carrier, false, values + IMP_JOINT_AT,
                   problem_joint->at);
        from_origin(problem, problem_joint->at);
    }
    pose_carry(run, carrier, true, values + IMP_JOINT_AXIS, axis);
    pose_carry(run, image_joint->body[1], true, values + IMP_JOINT_AXIS2,
               axis2);
    for (uint32_t i = 0; i < 2 * image_joint->n_user && i < 12; i++)
        pose_carry(run, carrier, true, values + IMP_JOINT_USER + 3 * i,
                   user + 3 * i);
    impact_joint_rows(problem_joint, (enum imp_joint_kind)image_joint->kind,
                      axis, axis2, user, (int)image_joint->n_user,
                      run->im->dim == 2);
}

/* For shapes whose level set contains t: the rate of the gap beyond the rate
 * that the material points give. */
static int
read_recede(struct rt *run, uint32_t contact, double *recede)
{
    const imp_contact *k = rt_contact(run, contact);
    struct closest_points cl;
    double h, gap[2];
    *recede = 0;
    if (!((rt_body(run, k->body[0])->flags | rt_body(run, k->body[1])->flags) &
          IMP_BODYF_GTIME))
        return IMP_OK;
    int st = closest_points_find(run, contact, &cl, true);
    if (!st)
        st = motion_series_of(run, contact, 1, &h);
    if (!st)
        st = contact_gap_series(run, contact, 1, gap);
    if (!st)
        *recede = gap[1] - gap_rate(run, contact, &cl);
    return st;
}

/* Polytopes: each touching point becomes a contact of the problem, and
 * *n_point grows. Where the normal is not unique it is that with the number
 * *pick; NULL: the contact is left out, as number `which` of those asked for.
 */
static int
read_corners(struct rt *run, uint32_t contact,
             struct impact_contact *problem_contact, uint32_t *n_point,
             uint32_t which, const uint32_t *pick, struct impact_of_run *out)
{
    struct contact_manifold *manifold =
        NEW(run->brief, struct contact_manifold);
    struct impact_contact one = *problem_contact;
    int st = polytope_contact_manifold(run, contact, gap_hit(run, contact),
                                       manifold);
    if (st)
        return st;
    bool open = manifold->kind == MANIFOLD_OPEN && !manifold->stated;
    if (open && !pick) {
        if (out->open == IMP_WORLD) {
            out->open = contact;
            out->choice = manifold;
        }
        out->which[out->n_open] = which;
        out->choices[out->n_open++] = (uint32_t)manifold->n_choice;
        return IMP_OK;
    }
    /* only smooth bodies have surfaces that move: one point */
    if ((st = read_recede(run, contact, &one.recede)))
        return st;
    assert(!open || *pick < (uint32_t)manifold->n_choice);
    memcpy(one.dir, open ? manifold->choice[*pick].n : manifold->n,
           sizeof one.dir);
    for (int i = 0; i < manifold->n_point; i++) {
        memcpy(one.p, manifold->P[i], sizeof one.p);
        memcpy(one.q, manifold->Q[i], sizeof one.q);
        from_origin(out, one.p);
        from_origin(out, one.q);
        out->contact[*n_point] = contact;
        *problem_contact++ = one;
        (*n_point)++;
    }
    out->p.tolerance = IMPACT_SHAPE_TOLERANCE;
    return IMP_OK;
}

static int
read_contact(struct rt *run, uint32_t contact,
             struct impact_contact *problem_contact, uint32_t *n_contact,
             uint32_t which, const uint32_t *pick, struct impact_of_run *out)
{
    const imp_contact *image_contact = rt_contact(run, contact);
    const double *env = run->env + image_contact->env_contact;
    problem_contact->e = env[IMP_CONTACT_E];
    problem_contact->priority = image_contact->flags & IMP_CONTACTF_PRIORITY
                                    ? env[IMP_CONTACT_PRIORITY]
                                    : (double)INFINITY;
    problem_contact->stiffness = env[IMP_CONTACT_STIFFNESS];
    problem_contact->exponent = env[IMP_CONTACT_EXPONENT];
    if (image_contact->flags & IMP_CONTACTF_CORNERS)
        return read_corners(run, contact, problem_contact, n_contact, which,
                            pick, out);
    out->contact[(*n_contact)++] = contact;
    if (image_contact->flags & IMP_CONTACTF_STATED) {
        uint32_t carrier = image_contact->body[0];
        if (carrier != IMP_WORLD && image_contact->body[1] != IMP_WORLD &&
            rt_body(run, carrier)->flags & IMP_BODYF_FIXED)
            carrier = image_contact->body[1];
        pose_carry(run, carrier, false, env + IMP_CONTACT_AT,
                   problem_contact->p);
        from_origin(out, problem_contact->p);
        memcpy(problem_contact->q, problem_contact->p,
               sizeof problem_contact->q);
        pose_carry(run, carrier, true, env + IMP_CONTACT_DIRECTION,
                   problem_contact->dir);
        return IMP_OK;
    }
    struct closest_points cl;
    int st = closest_points_find(run, contact, &cl, true);
    if (st)
        return st;
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t body = image_contact->body[side], dim = run->im->dim;
        const double *centre =
            run->env + rt_body(run, body)->env_body + IMP_BODY_CENTRE;
        double arm[3] = {0, 0, 0};
        for (uint32_t i = 0; i < dim; i++)
            arm[i] = cl.u[side * dim + i] - centre[i];
        place_on_body(run, body, out, arm,
                      side ? problem_contact->q : problem_contact->p);
    }
    memcpy(problem_contact->dir, cl.n, sizeof problem_contact->dir);
    out->p.tolerance = IMPACT_SHAPE_TOLERANCE;
    return read_recede(run, contact, &problem_contact->recede);
}

/* The two bodies of a contact as what they are welded to, or rest with. */
struct walls {
    uint32_t low, high;
    double sign; /* of the normal, as one away from `low` */
};

static struct walls
walls_of(const struct rt *run, const uint32_t *group, uint32_t contact)
{
    const imp_contact *k = rt_contact(run, contact);
    uint32_t of[2];
    for (int i = 0; i < 2; i++)
        of[i] = k->body[i] == IMP_WORLD ? IMP_WORLD : group[k->body[i]];
    bool first = of[0] <= of[1];
    return (struct walls){of[!first], of[first], first ? 1.0 : -1.0};
}

/* Does what these contacts say of impacts and friction agree? */
static bool
say_alike(const struct rt *run, uint32_t one, uint32_t two)
{
    static const uint8_t numbers[] = {IMP_CONTACT_E, IMP_CONTACT_MU,
                                      IMP_CONTACT_MU_STATIC,
                                      IMP_CONTACT_MU_IMPACT};
    const uint32_t decides = IMP_CONTACTF_FRICTION | IMP_CONTACTF_LAW |
                             IMP_CONTACTF_STICKS | IMP_CONTACTF_PRIORITY |
                             IMP_CONTACTF_BOND;
    const imp_contact *a = rt_contact(run, one), *b = rt_contact(run, two);
    if ((a->flags & decides) != (b->flags & decides) ||
        a->flags & (IMP_CONTACTF_PRIORITY | IMP_CONTACTF_BOND) ||
        a->law != b->law || a->compliance != IMP_NO_TAPE ||
        b->compliance != IMP_NO_TAPE || a->rub_now != b->rub_now ||
        a->bounce != b->bounce || a->own != IMP_NO_TAPE ||
        b->own != IMP_NO_TAPE)
        return false;
    for (size_t i = 0; i < sizeof numbers; i++)
        if (run->env[a->env_contact + numbers[i]] !=
            run->env[b->env_contact + numbers[i]])
            return false;
    return true;
}

/* Do two points lie in one plane in which the same two things touch? */
static bool
on_one_wall(const struct rt *run, const uint32_t *group,
            const struct impact_of_run *o, const struct impact_contact *point,
            uint32_t i, uint32_t j, double tol)
{
    struct walls one = walls_of(run, group, o->contact[i]),
                 two = walls_of(run, group, o->contact[j]);
    double off = 0.0, apart[3];
    if (one.low != two.low || one.high != two.high ||
        (o->contact[i] != o->contact[j] &&
         !say_alike(run, o->contact[i], o->contact[j])))
        return false;
    for (int k = 0; k < 3; k++) {
        apart[k] = one.sign * point[i].dir[k] - two.sign * point[j].dir[k];
        off += point[i].dir[k] * (point[i].p[k] - point[j].p[k]);
    }
    return vec3_norm(apart) <= TOUCH_SAME && fabs(off) <= tol;
}

static int
by_angle(const void *a, const void *b)
{
    double one = *(const double *)a, two = *(const double *)b;
    return (one > two) - (one < two);
}

/* Is this point a corner of the hull of all points of its wall? A point in the
 * place of an earlier one is none. */
static bool
is_corner_of_wall(const struct rt *run, const uint32_t *group,
                  const struct impact_of_run *o,
                  const struct impact_contact *point, uint32_t rows,
                  uint32_t which, double tol, double *angle)
{
    double T[2][3], least = INFINITY;
    uint32_t count = 0;
    support_tangents((int)run->im->dim, point[which].dir, T);
    for (uint32_t j = 0; j < rows; j++) {
        double away[3];
        if (j == which || !on_one_wall(run, group, o, point, which, j, tol))
            continue;
        for (int k = 0; k < 3; k++)
            away[k] = point[j].p[k] - point[which].p[k];
        double u = vec3_dot(T[0], away),
               w = run->im->dim == 2 ? 0.0 : vec3_dot(T[1], away);
        if (hypot(u, w) <= tol) {
            if (j < which)
                return false;
            continue;
        }
        least = fmin(least, hypot(u, w));
        angle[count++] = atan2(w, u);
    }
    if (count < 2)
        return true;
    qsort(angle, count, sizeof *angle, by_angle);
    double widest = angle[0] + 2.0 * M_PI - angle[count - 1];
    for (uint32_t i = 1; i < count; i++)
        widest = fmax(widest, angle[i] - angle[i - 1]);
    return widest > M_PI + fmax(TOUCH_SAME, 2.0 * tol / least);
}

/* Is a point a corner of a piece alone, which others of its wall stand beside?
 * Its ends are hit first, though the tolerance of a gap may leave one out. */
static bool
is_at_seam(struct rt *run, const uint32_t *group, const struct impact_of_run *o,
           const struct impact_contact *point, uint32_t rows, uint32_t which,
           double tol)
{
    double place[3];
    bool others = false;
    for (uint32_t j = 0; j < rows && !others; j++) {
        double apart = 0.0;
        for (int k = 0; k < 3; k++)
            apart = fmax(apart, fabs(point[j].p[k] - point[which].p[k]));
        others =
            apart > tol && on_one_wall(run, group, o, point, which, j, tol);
    }
    for (int k = 0; k < 3; k++)
        place[k] = point[which].p[k] + o->origin[k];
    return others && polytope_at_seam(run, o->contact[which], place, tol);
}

/* Bodies that rest beside each other are one wall, and those that are welded
 * together one body: of the points in which two such things touch in one plane
 * only the corners of their hull take part, as those of one polytope do. What
 * the others would do these do. */
static uint32_t
corners_of_walls(struct rt *run, struct impact_of_run *o,
                 struct impact_contact *point, uint32_t rows)
{
    bool several = false;
    for (uint32_t i = 1; i < rows; i++)
        several = several || o->contact[i] != o->contact[0];
    if (!several)
        return rows;
    bool *stays = NEW_N(run->brief, bool, rows);
    double *angle = NEW_N(run->brief, double, rows);
    const uint32_t *group = rigid_groups(run);
    for (uint32_t i = 0; i < rows; i++) {
        double tol, rate;
        stays[i] = true;
        if (!(rt_contact(run, o->contact[i])->flags & IMP_CONTACTF_CORNERS))
            continue;
        gap_tolerances(run, o->contact[i], &tol, &rate);
        stays[i] = is_corner_of_wall(run, group, o, point, rows, i, 4.0 * tol,
                                     angle) &&
                   !is_at_seam(run, group, o, point, rows, i, 4.0 * tol);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < rows; i++)
        kept += stays[i];
    if (kept == 0)
        return rows;
    kept = 0;
    for (uint32_t i = 0; i < rows; i++)
        if (stays[i]) {
            o->contact[kept] = o->contact[i];
            point[kept++] = point[i];
        }
    return kept;
}

/* Returns a body's number in the problem, or IMP_WORLD. A problem has few
 * bodies: a table over all of the model would cost more than their contacts. */
static uint32_t
number_of(const struct impact_of_run *o, uint32_t body)
{
    if (body < o->p.n_body && o->body[body] == body)
        return body;
    for (uint32_t i = 0; i < o->p.n_body; i++)
        if (o->body[i] == body)
            return i;
    return IMP_WORLD;
}

/* Returns a body's number in the problem, entered when it is new. */
static uint32_t
enter(struct impact_of_run *o, uint32_t body)
{
    uint32_t number = body == IMP_WORLD ? IMP_WORLD : number_of(o, body);
    if (body == IMP_WORLD || number != IMP_WORLD)
        return number;
    o->body[o->p.n_body] = body;
    return o->p.n_body++;
}

static bool
moves(const struct rt *run, const struct impact_of_run *o, uint32_t body)
{
    return body != IMP_WORLD &&
           !(rt_body(run, body)->flags & IMP_BODYF_FIXED) &&
           number_of(o, body) != IMP_WORLD;
}

double
impact_restitution_of_run(void *context, uint32_t contact, double approach)
{
    return contact_restitution_of(context, contact, approach);
}

void
impact_of_run_restitution(struct rt *run, struct impact_of_run *out)
{
    assert(run != NULL && out != NULL);
    bool varies = false;
    for (uint32_t i = 0; i < out->p.n_contact; i++)
        varies |= contact_restitution_varies(run, out->contact[i]);
    out->varies = (struct impact_restitution){impact_restitution_of_run, run};
    out->p.varies = varies ? &out->varies : NULL;
    out->p.number = out->contact;
}

int
impact_of_run_read(struct rt *run, const uint32_t *contact, uint32_t n_contact,
                   struct impact_of_run *out)
{
    return impact_of_run_read_picked(run, contact, n_contact, NULL, out);
}

int
impact_of_run_read_picked(struct rt *run, const uint32_t *contact,
                          uint32_t n_contact, const uint32_t *pick,
                          struct impact_of_run *out)
{
    assert(n_contact == 0 || contact != NULL);
    assert(out != NULL);
    const imp_image *im = run->im;
    uint32_t nb = im->bodies.n, nj = im->joints.n;
    bool *in = NEW_N(run->brief, bool, nj + 1);
    uint32_t room = n_contact + 1, rows = 0;
    for (uint32_t i = 0; i < n_contact; i++)
        if (rt_contact(run, contact[i])->flags & IMP_CONTACTF_CORNERS)
            room += MANIFOLD_POINTS;
    struct impact_contact *contacts =
        NEW_N(run->brief, struct impact_contact, room);
    memset(out, 0, sizeof *out);
    out->open = IMP_WORLD;
    out->contact = NEW_N(run->brief, uint32_t, room);
    out->which = NEW_N(run->brief, uint32_t, 2 * n_contact + 1);
    out->choices = out->which + n_contact;
    if (n_contact > 0 && 2 * ((size_t)n_contact + nj) < nb)
        nb = 2 * (n_contact + nj);
    out->body = NEW_N(run->brief, uint32_t, nb + 1);
    out->joint = NEW_N(run->brief, uint32_t, nj + 1);
    for (int s = 0; s < 2 && n_contact > 0; s++) {
        uint32_t body = rt_contact(run, contact[0])->body[s];
        if (body != IMP_WORLD && !(rt_body(run, body)->flags & IMP_BODYF_FIXED))
            memcpy(out->origin, run->env + rt_body(run, body)->env_state,
                   im->dim * sizeof *out->origin);
    }
    for (uint32_t i = 0; i < n_contact; i++) {
        const imp_contact *k = rt_contact(run, contact[i]);
        for (int s = 0; s < 2; s++)
            contacts[rows].body[s] = enter(out, k->body[s]);
        int st = read_contact(run, contact[i], &contacts[rows], &rows, i,
                              pick ? &pick[i] : NULL, out);
        if (st)
            return st;
    }
    rows = corners_of_walls(run, out, contacts, rows);
    for (uint32_t b = 0; b < nb && n_contact == 0; b++)
        out->body[out->p.n_body++] = b;
    /* Adds the bodies that joints connect to those of the problem. */
    for (bool more = true; more;) {
        more = false;
        for (uint32_t j = 0; j < nj; j++) {
            const imp_joint *k = joint_at(run, j);
            if (in[j] ||
                (!moves(run, out, k->body[0]) && !moves(run, out, k->body[1])))
                continue;
            in[j] = more = true;
            for (int s = 0; s < 2; s++)
                enter(out, k->body[s]);
        }
    }
    struct impact_body *bodies = NEW_N(run->brief, struct impact_body, nb + 1);
    struct impact_joint *joints =
        NEW_N(run->brief, struct impact_joint, nj + 1);
    out->p.n_contact = rows;
    for (uint32_t i = 0; i < out->p.n_body; i++) {
        read_body(run, out->body[i], &bodies[i]);
        from_origin(out, bodies[i].centre);
    }
    for (uint32_t j = 0; j < nj; j++)
        if (in[j]) {
            const imp_joint *k = joint_at(run, j);
            struct impact_joint *o = &joints[out->p.n_joint];
            read_joint(run, k, out, o);
            for (int s = 0; s < 2; s++)
                o->body[s] = enter(out, k->body[s]);
            out->joint[out->p.n_joint++] = j;
        }
    impact_of_run_restitution(run, out);
    out->p.body = bodies;
    out->p.joint = joints;
    out->p.contact = contacts;
    return IMP_OK;
}

void
impact_of_run_write(struct rt *run, const struct impact_of_run *in,
                    const double *twist)
{
    assert(in != NULL && twist != NULL);
    bool plane = run->im->dim == 2;
    for (uint32_t body = 0; body < in->p.n_body; body++) {
        const imp_body *image_body = rt_body(run, in->body[body]);
        const double *twist_after = twist + 6 * body;
        double *state = run->env + image_body->env_state, attitude[9];
        if (!(in->p.body[body].invmass > 0))
            continue;
        double *low = run->state_lo ? run->state_lo + (image_body->env_state -
                                                       run->im->layout.state)
                                    : NULL;
        uint32_t first = plane ? 3 : 7, velocities = plane ? 3 : 6;
        if (plane) {
            memcpy(state + 3, twist_after + 3, 2 * sizeof *state);
            state[5] = twist_after[2];
        } else {
            memcpy(state + 7, twist_after + 3, 3 * sizeof *state);
            pose_rotation(run, in->body[body], attitude);
            mat3_apply_transposed(attitude, twist_after, state + 10);
        }
        if (low)
            memset(low + first, 0, velocities * sizeof *low);
    }
}
