/* SPDX-License-Identifier: MIT */
/* Time derivatives of expressions (series_along.h). The motion of all blocks
 * and the series of the contacts give the rows that a series tape reads. Its
 * own coefficients go to env and, shifted, to derived rows that later series
 * read.
 *
 * Invariant: meanwhile run->rows.block and run->rows.contact are exchanged for
 * arrays of this file, so that a dense output that is in use is not lost. */
#include "runtime/derivatives/series_along.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/polytope_contact.h"
#include "runtime/instance/system.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent.h"
#include "runtime/motion/switching.h"
#include "runtime/numerics/vec3.h"

/* The series of a system that somebody else has made. */
struct given {
    double *rows; /* 2n, about the present state; NULL: there are none yet */
    bool now;     /* they are those of the present state */
    double switches; /* when that system changes its branch next */
    bool left;    /* rows of the block hold some: its own tape does not write
                     what is always 0 */
};

/* What contacts and joints tell has no tape: what was told last gives the
 * values, the series of the motion that was made last the other coefficients,
 * which need this many more orders of the places. */
#define FORCE_ORDERS 2
/* A force that the motion gives and the one that is told differ by less than
 * this share, unless the contact shares it with others and is told another
 * share: that one has no series. */
#define FORCE_SAME 1e-9

/* What a series reads, by itself. */
struct reads {
    bool all;    /* gaps, or blocks of bodies: everything that moves */
    bool force;  /* what contacts and joints tell */
    bool *block; /* per block: of systems, of observers */
};

struct series_along {
    double **motion, **event; /* as run->rows.block, run->rows.contact */
    double **work, **derived; /* per series */
    double **corner;     /* per contact of a polytope: its entries of env */
    const double **rows; /* sources, as imp_series says */
    bool same;           /* the state stays as it is for a while */
    bool values;         /* series_along_values */
    /* per contact IMP_CONTACT_ROWS, per joint IMP_JOINT_ROWS rows that it
     * tells; NULL: nobody reads them */
    double **told, **joint;
    bool *pushed;        /* per system: they are read of a contact of it */
    bool bodies_pushed;  /* they are read of contacts or joints of bodies */
    double contact_switch; /* as of struct rt, of these series */
    int order;           /* to which bodies were moved since; 0: not yet */
    int *block_order;    /* the same of blocks of systems and observers */
    struct reads *reads; /* per series */
    struct given *given; /* per system */
};

static double *
rows_of(struct rt *run, size_t n)
{
    return NEW_N(run->own, double, (n + 1) * IMP_ROW_STRIDE);
}

static double *
work_of(struct rt *run, uint32_t tape)
{
    return rows_of(
        run, tape == IMP_NO_TAPE
                 ? 0
                 : IMP_ARRAY(run->im, run->im->tapes, imp_tape)[tape].n_rows);
}

/* What a contact tells is read, or, beyond all contacts, a joint. `source`: the
 * number of its rows among what series read. */
static void
note_told(struct rt *run, struct series_along *along, uint32_t contact,
          uint32_t source, struct reads *reads)
{
    bool joint = contact >= run->im->contacts.n;
    uint32_t system = joint ? IMP_NO_SYSTEM : rt_contact(run, contact)->system;
    double **rows = joint ? along->joint + (contact - run->im->contacts.n)
                          : along->told + contact;
    reads->force = true;
    if (!*rows)
        *rows = rows_of(run, joint ? IMP_JOINT_ROWS : IMP_CONTACT_ROWS);
    along->rows[source] = *rows;
    if (system == IMP_NO_SYSTEM) {
        along->bodies_pushed = true;
    } else {
        along->pushed[system] = true;
        reads->block[rt_system(run, system)->block] = true;
    }
}

/* Does the tape of a series read this block, or what may depend on all of them?
 */
static void
note_read(struct rt *run, struct series_along *along, const imp_instr *in,
          struct reads *reads)
{
    const imp_image *im = run->im;
    uint32_t contacts = im->blocks.n, series = contacts + im->contacts.n,
             told = series + im->series.n;
    if (in->op == IMP_OP_ROW && in->a >= told)
        note_told(run, along, in->a - told, in->a, reads);
    if (in->op != IMP_OP_ROW || in->a >= series)
        return; /* series of derivatives stand in the same list */
    if (in->a < contacts && system_of_block(run, in->a) != IMP_NO_SYSTEM)
        reads->block[in->a] = true;
    else
        reads->all = true;
}

static void
note_reads(struct rt *run, struct series_along *along, uint32_t series)
{
    struct reads *reads = along->reads + series;
    const imp_series *of = IMP_ARRAY(run->im, run->im->series, imp_series);
    const imp_ref code = rt_tape(run, of[series].tape)->code;
    const imp_instr *in = IMP_ARRAY(run->im, code, imp_instr);
    reads->block = NEW_N(run->own, bool, run->im->blocks.n + 1);
    for (uint32_t i = 0; i < code.n; i++)
        note_read(run, along, in + i, reads);
    /* observers feel the motion of their system */
    for (uint32_t i = 0; i < run->im->systems.n; i++) {
        const imp_system *sys = rt_system(run, i);
        if (sys->observer != IMP_NO_BLOCK && reads->block[sys->observer] &&
            system_n_felt(run, i) > 0)
            reads->block[sys->block] = true;
    }
}

struct series_along *
series_along_new(struct rt *run)
{
    assert(run);
    const imp_image *im = run->im;
    uint32_t nb = im->blocks.n, nc = im->contacts.n, ns = im->series.n;
    if (!ns)
        return NULL;
    struct series_along *along = NEW(run->own, struct series_along);
    along->motion = NEW_N(run->own, double *, nb + 1);
    along->event = NEW_N(run->own, double *, nc + 1);
    along->work = NEW_N(run->own, double *, ns);
    along->derived = NEW_N(run->own, double *, ns);
    along->rows =
        NEW_N(run->own, const double *, nb + 2 * nc + ns + im->joints.n);
    along->told = NEW_N(run->own, double *, nc + 1);
    along->joint = NEW_N(run->own, double *, im->joints.n + 1);
    along->pushed = NEW_N(run->own, bool, im->systems.n + 1);
    along->block_order = NEW_N(run->own, int, nb + 1);
    along->reads = NEW_N(run->own, struct reads, ns);
    along->given = NEW_N(run->own, struct given, im->systems.n + 1);
    for (uint32_t i = 0; i < nb; i++)
        along->rows[i] = along->motion[i] =
            work_of(run, IMP_ARRAY(im, im->blocks, imp_block)[i].motion);
    for (uint32_t i = 0; i < nc; i++)
        along->rows[nb + i] = along->event[i] =
            work_of(run, rt_gap_tape(run, i));
    along->corner = NEW_N(run->own, double *, nc + 1);
    for (uint32_t i = 0; i < nc; i++)
        if (rt_contact(run, i)->flags & IMP_CONTACTF_CORNERS)
            along->rows[nb + i] = along->corner[i] =
                rows_of(run, IMP_CONTACT_E);
    for (uint32_t i = 0; i < ns; i++) {
        const imp_series *s = IMP_ARRAY(im, im->series, imp_series) + i;
        along->work[i] = work_of(run, s->tape);
        note_reads(run, along, i);
        along->rows[nb + nc + i] = along->derived[i] =
            rows_of(run, s->order + 1);
    }
    return along;
}

/* Makes row m: coefficient m as a function of time, d_k = (k + m)! / (k! m!)
 * c_{k+m}. */
static void
derive(double *d, const double *c, int order)
{
    for (int m = 1; m <= order; m++) {
        double *row = d + m * IMP_ROW_STRIDE + IMP_ROW_PAD;
        double binomial = 1.0;
        for (int k = 0; k <= order - m; k++) {
            row[k] = binomial * c[k + m];
            /* exact, because it is below 2^53 */
            binomial = binomial * (k + m + 1) / (k + 1);
        }
    }
}

void
series_along_same(struct rt *run, bool same)
{
    assert(run);
    if (!run->series_along)
        return;
    run->series_along->same = same;
    run->series_along->order = 0;
    memset(run->series_along->block_order, 0,
           run->im->blocks.n * sizeof *run->series_along->block_order);
    for (uint32_t system = 0; system < run->im->systems.n; system++)
        run->series_along->given[system].now = false;
}

void
series_along_values(struct rt *run, bool only)
{
    assert(run);
    if (run->series_along)
        run->series_along->values = only;
}

double *
series_along_room(struct rt *run, uint32_t system)
{
    assert(run && system < run->im->systems.n);
    struct series_along *along = run->series_along;
    if (!along)
        return NULL;
    if (!along->given[system].rows)
        along->given[system].rows =
            rows_of(run, 2 * (size_t)rt_system(run, system)->n);
    return along->given[system].rows;
}

void
series_along_given(struct rt *run, uint32_t system, double switches)
{
    assert(run && run->series_along && run->series_along->same);
    run->series_along->given[system].now = true;
    run->series_along->given[system].switches = switches;
}

/* -- what contacts and joints tell ------------------------------------------
 */

bool
series_along_forces(const struct rt *run)
{
    assert(run);
    return run->series_along && run->series_along->bodies_pushed;
}

double
series_along_greatest_force(const struct rt *run)
{
    assert(run && run->series_along);
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    double most = 0.0;
    for (uint32_t i = 0; i < run->im->contacts.n; i++)
        if (run->series_along->told[i])
            most = fmax(most, fabs(run->env[rt_contact(run, i)->env_contact +
                                            IMP_CONTACT_NORMAL_FORCE]));
    for (uint32_t i = 0; i < run->im->joints.n; i++)
        if (run->series_along->joint[i]) {
            const double *force =
                run->env + joint[i].env_joint + IMP_JOINT_FORCE;
            most = fmax(most, run->im->dim == 3 ? vec3_norm(force)
                                                : hypot(force[0], force[1]));
        }
    return most;
}

bool
series_along_reads_force(const struct rt *run, const imp_val *val)
{
    assert(run && val);
    const imp_want *wants = IMP_ARRAY(run->im, val->series, imp_want);
    bool any = false;
    for (uint32_t i = 0; i < val->series.n && !any; i++)
        any = run->series_along->reads[wants[i].series].force;
    return any;
}

/* The row of an entry of env among those that a contact tells. */
static double *
told_row(const struct rt *run, uint32_t contact, uint32_t entry)
{
    return run->series_along->told[contact] +
           (entry - IMP_CONTACT_NORMAL_FORCE) * IMP_ROW_STRIDE + IMP_ROW_PAD;
}

/* What is told and read begins with its values, without further coefficients.
 */
static void
begin_told(struct rt *run, uint32_t contact)
{
    const double *told = run->env + rt_contact(run, contact)->env_contact;
    memset(run->series_along->told[contact], 0,
           IMP_CONTACT_ROWS * IMP_ROW_STRIDE * sizeof(double));
    for (uint32_t i = IMP_CONTACT_NORMAL_FORCE; i <= IMP_CONTACT_MODE; i++)
        *told_row(run, contact, i) = told[i];
}

/* The forces have no series, nor has what they do. */
static void
told_blunt(struct rt *run, uint32_t contact)
{
    static const uint32_t entry[] = {
        IMP_CONTACT_NORMAL_FORCE, IMP_CONTACT_FRICTION_FORCE, IMP_CONTACT_WORK};
    for (size_t i = 0; i < sizeof entry / sizeof *entry; i++)
        told_row(run, contact, entry[i])[1] = NAN;
}

/* What contacts of bodies tell, after the series of their motion. The slip of
 * those that no friction holds is that of their closest points. */
static void
told_of_bodies(struct rt *run, int most)
{
    double *const *told = run->series_along->told;
    for (uint32_t i = 0; i < run->im->contacts.n; i++) {
        if (!told[i] || rt_contact(run, i)->system != IMP_NO_SYSTEM)
            continue;
        begin_told(run, i);
        *told_row(run, i, IMP_CONTACT_SLIP) = 0.0;
        told[i][IMP_CONTACTROW_OPEN * IMP_ROW_STRIDE + IMP_ROW_PAD] = 1.0;
    }
    for (int i = 0; !run->series_along->values && i < persistent_count(run);
         i++) {
        uint32_t contact = persistent_point(run, i, NULL, NULL)->contact;
        if (contact < run->im->contacts.n && told[contact] &&
            !persistent_told_series(
                run, i, most, told_row(run, contact, IMP_CONTACT_NORMAL_FORCE)))
            told_blunt(run, contact);
    }
}

/* One force of a contact of a system that is closed, of its series. */
static void
force_of_system(struct rt *run, uint32_t contact, uint32_t entry,
                const double *series, int most)
{
    double *row = told_row(run, contact, entry),
           normal = *told_row(run, contact, IMP_CONTACT_NORMAL_FORCE);
    if (!(fabs(series[0] - row[0]) <=
          FORCE_SAME * (fabs(series[0]) + fabs(normal))))
        told_blunt(run, contact);
    else
        memcpy(row + 1, series + 1, (size_t)most * sizeof *row);
}

/* The coefficients of work from order 1 on: its rate is the power. */
static void
add_power(double *work, const double *force, const double *rate, int most)
{
    struct taylor power;
    for (int k = 0; k < most; k++) {
        power.c[k] = 0.0;
        for (int i = 0; i <= k; i++)
            power.c[k] += force[i] * rate[k - i];
        work[k + 1] += power.c[k] / (k + 1);
    }
}

/* Friction of contact i of a system and its work; rub: its number among those
 * with friction. */
static void
rub_of_system(struct rt *run, uint32_t system, uint32_t contact, uint32_t rub,
              int most)
{
    const double *env = run->env + rt_contact(run, contact)->env_contact,
                 *friction = system_rub(run, system, rub, SYSTEM_RUB_FRICTION);
    force_of_system(run, contact, IMP_CONTACT_FRICTION_FORCE, friction, most);
    if (env[IMP_CONTACT_MODE] != CONTACT_TOLD_STICK)
        add_power(told_row(run, contact, IMP_CONTACT_WORK), friction,
                  system_rub(run, system, rub, SYSTEM_RUB_SLIP), most);
}

/* What contacts of a system tell, after the series of its motion by its own
 * tapes. That of a ballistic system does not change in a flight. */
static void
told_of_system(struct rt *run, uint32_t system, int most)
{
    const imp_system *sys = rt_system(run, system);
    bool changes = !run->series_along->values &&
                   !(sys->flags & IMP_SYSTEMF_LINE) &&
                   system_slides(run, system);
    for (uint32_t i = 0, rub = 0; i < sys->n_contact; i++) {
        uint32_t contact = sys->contact + i;
        bool rubs = rt_contact(run, contact)->flags & IMP_CONTACTF_FRICTION;
        uint32_t at = rub;
        rub += rubs;
        if (!run->series_along->told[contact])
            continue;
        begin_told(run, contact);
        if (!changes || !system_holds(run, system, i))
            continue;
        force_of_system(run, contact, IMP_CONTACT_NORMAL_FORCE,
                        system_force(run, system, i), most);
        if (rubs)
            rub_of_system(run, system, contact, at, most);
    }
}

/* The row of an entry of env among those that a joint tells. */
static double *
joint_row(const struct rt *run, uint32_t joint, uint32_t entry)
{
    return run->series_along->joint[joint] +
           (entry - IMP_JOINT_FORCE) * IMP_ROW_STRIDE + IMP_ROW_PAD;
}

/* What an entry of a joint is measured by: its forces, or their moments. */
static double
size_of_joint(const imp_joint *joint, const double *env, uint32_t entry)
{
    double width = env[IMP_JOINT_WIDTH], across = env[IMP_JOINT_FORCE],
           other = env[IMP_JOINT_FORCE + 1];
    bool hinge = joint->kind == IMP_JOINT_HINGE,
         moment = entry == (hinge ? IMP_JOINT_FRICTION : IMP_JOINT_FORCE + 1);
    double size =
        hinge ? hypot(across, other) : fabs(across) + fabs(other) / width;
    return moment ? size * width : size;
}

/* What a joint without friction tells: as told_of_joint. Forces are measured by
 * the force, moments by the moment and by the force at the arm of the joint. */
static void
told_of_smooth(struct rt *run, uint32_t number, int most)
{
    const imp_joint *joint =
        IMP_ARRAY(run->im, run->im->joints, imp_joint) + number;
    const double *env = run->env + joint->env_joint;
    bool plane = run->im->dim == 2;
    uint32_t first = plane ? IMP_JOINT_MOMENT_PLANE : IMP_JOINT_MOMENT;
    double size[2], arm = 0.0;
    for (int side = 0; side < 2; side++)
        if (joint->body[side] != IMP_WORLD)
            arm = fmax(arm, vec3_norm(env + IMP_JOINT_ARM + 3 * side));
    size[0] = plane ? hypot(env[IMP_JOINT_FORCE], env[IMP_JOINT_FORCE + 1])
                    : vec3_norm(env + IMP_JOINT_FORCE);
    size[1] =
        (plane ? fabs(env[first]) : vec3_norm(env + first)) + arm * size[0];
    for (uint32_t k = 0; k < IMP_JOINT_ROWS; k++) {
        uint32_t entry = IMP_JOINT_FORCE + k;
        bool moment = plane ? entry == first : entry >= first;
        double *to = joint_row(run, number, entry);
        const double *row = run->rows.block[joint->block] + IMP_ROW_PAD +
                            (size_t)joint->rows[k] * IMP_ROW_STRIDE;
        if (fabs(row[0] - *to) > FORCE_SAME * size[moment])
            to[1] = NAN;
        else
            memcpy(to + 1, row + 1, (size_t)most * sizeof *row);
    }
}

/* What a joint tells, after the series of the motion of its block. Where it
 * shares its load with others, and what is told is not what the motion counts
 * with, it has no series. */
static void
told_of_joint(struct rt *run, uint32_t number, int most)
{
    static const struct {
        uint32_t entry, row;
    } same[] = {{IMP_JOINT_FORCE, IMP_RUBROW_FORCE},
                {IMP_JOINT_FORCE + 1, IMP_RUBROW_FORCE + 1},
                {IMP_JOINT_FRICTION, IMP_RUBROW_FRICTION},
                {IMP_JOINT_SLIP, IMP_RUBROW_RATE}};
    const imp_joint *joint =
        IMP_ARRAY(run->im, run->im->joints, imp_joint) + number;
    const double *env = run->env + joint->env_joint;
    memset(run->series_along->joint[number], 0,
           IMP_JOINT_ROWS * IMP_ROW_STRIDE * sizeof(double));
    for (uint32_t i = IMP_JOINT_FORCE; i <= IMP_JOINT_MODE; i++)
        *joint_row(run, number, i) = env[i];
    if (joint->block == IMP_NO_BLOCK || !most)
        return;
    if (joint->flags & IMP_JOINTF_TELLS) {
        told_of_smooth(run, number, most);
        return;
    }
    bool sticks = env[IMP_JOINT_MODE] == CONTACT_TOLD_STICK;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        uint32_t entry = same[i].entry;
        double *to = joint_row(run, number, entry);
        const double *row = run->rows.block[joint->block] + IMP_ROW_PAD +
                            (size_t)joint->rows[same[i].row] * IMP_ROW_STRIDE;
        if (entry != IMP_JOINT_SLIP &&
            fabs(row[0] - *to) > FORCE_SAME * size_of_joint(joint, env, entry))
            to[1] = NAN;
        else if (entry != IMP_JOINT_SLIP || !sticks)
            memcpy(to + 1, row + 1, (size_t)most * sizeof *row);
    }
    if (!sticks)
        add_power(joint_row(run, number, IMP_JOINT_WORK),
                  joint_row(run, number, IMP_JOINT_FRICTION),
                  joint_row(run, number, IMP_JOINT_SLIP), most);
}

/* All that bodies tell, after the series of their motion. */
static void
tell_bodies(struct rt *run, int most)
{
    told_of_bodies(run, most);
    for (uint32_t i = 0; i < run->im->joints.n; i++)
        if (run->series_along->joint[i])
            told_of_joint(run, i, run->series_along->values ? 0 : most);
}

/* -- the motion ------------------------------------------------------------ */

/* The series of the motion of a system, as they were given or by its tapes. */
static int
move_system(struct rt *run, uint32_t system, int most)
{
    const imp_system *sys = rt_system(run, system);
    struct given *given = run->series_along->given + system;
    const uint32_t *to = IMP_ARRAY(
        run->im,
        IMP_ARRAY(run->im, run->im->blocks, imp_block)[sys->block].rows,
        uint32_t);
    double *rows = run->rows.block[sys->block], h;
    given->now = given->now && !run->series_along->pushed[system];
    for (uint32_t i = 0; i < 2 * sys->n && (given->now || given->left); i++) {
        double *row = rows + (size_t)to[i] * IMP_ROW_STRIDE;
        if (given->now) {
            memcpy(row, given->rows + (size_t)i * IMP_ROW_STRIDE,
                   IMP_ROW_STRIDE * sizeof *row);
            row[IMP_ROW_PAD] = run->env[sys->env_state + i];
        } else {
            memset(row, 0, IMP_ROW_STRIDE * sizeof *row);
        }
    }
    given->left = given->now;
    int st = given->now ? IMP_OK : motion_series(run, sys->block, most, &h);
    if (!st && run->series_along->pushed[system])
        told_of_system(run, system, most - FORCE_ORDERS);
    return st;
}

/* A tape does not write what is always 0, and machine code not what nobody
 * reads: rows that another way of motion has left would stay. */
static void
clear_rows(struct rt *run, uint32_t block)
{
    const imp_block *of =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
    if (of->motion != IMP_NO_TAPE)
        memset(run->series_along->motion[block], 0,
               rt_tape(run, of->motion)->n_rows * IMP_ROW_STRIDE *
                   sizeof(double));
}

/* The series of the motion of all bodies. */
static int
move_bodies(struct rt *run, int most)
{
    struct series_along *along = run->series_along;
    double h;
    if (along->same && along->order >= most)
        return IMP_OK;
    for (uint32_t i = 0; i < run->im->blocks.n; i++)
        if (system_of_block(run, i) == IMP_NO_SYSTEM)
            clear_rows(run, i);
    run->contact_switch = INFINITY;
    int st = motion_series_all(run, most, &h);
    along->contact_switch = run->contact_switch;
    if (!st && along->bodies_pushed)
        tell_bodies(run, most - FORCE_ORDERS);
    along->order = st ? 0 : most;
    return st;
}

/* Does a value that is made of these series read a block? */
static bool
reads(const struct rt *run, const imp_val *val, const imp_want *wants,
      uint32_t block)
{
    const struct series_along *along = run->series_along;
    bool any = val->contacts.n > 0;
    for (uint32_t i = 0; i < val->series.n && !any; i++) {
        const struct reads *of = along->reads + wants[i].series;
        any = of->all || of->block[block];
    }
    return any;
}

/* A block of a system, or of its observers, where the value reads it and it is
 * not there yet. */
static bool
due(struct rt *run, const imp_val *val, const imp_want *wants, uint32_t block,
    int most)
{
    const struct series_along *along = run->series_along;
    return block != IMP_NO_BLOCK &&
           !(along->same && along->block_order[block] >= most) &&
           reads(run, val, wants, block);
}

/* The series of the motion of what a value reads. */
static int
move(struct rt *run, const imp_val *val, const imp_want *wants, int most)
{
    struct series_along *along = run->series_along;
    double h;
    int st = move_bodies(run, most + (along->bodies_pushed ? FORCE_ORDERS : 0));
    for (uint32_t system = 0; system < run->im->systems.n && !st; system++) {
        const imp_system *sys = rt_system(run, system);
        if (due(run, val, wants, sys->block, most)) {
            clear_rows(run, sys->block);
            st = move_system(run, system,
                             most + (along->pushed[system] ? FORCE_ORDERS : 0));
            along->block_order[sys->block] = st ? 0 : most;
        }
        if (st || !due(run, val, wants, sys->observer, most))
            continue;
        system_feel(run, system, most);
        st = motion_series(run, sys->observer, most, &h);
        along->block_order[sys->observer] = st ? 0 : most;
    }
    return st;
}

/* By how many orders less than `wants` says is the value asked for? */
static int
spared(const struct rt *run, const imp_val *val, const imp_want *wants)
{
    bool values = run->series_along->values && val->kind == IMP_VAL_ALONG;
    return values ? (int)wants[val->series.n - 1].order : 0;
}

/* Writes the coefficients c[0] .. c[order] of a series to env, and 0 up to
 * order `most`. */
static void
coefficients_to_env(struct rt *run, const imp_series *series, const double *c,
                    int order, int most)
{
    for (int k = 0; k <= most; k++)
        run->env[series->env + (uint32_t)k] = k <= order ? c[k] : 0.0;
}

static int
fill(struct rt *run, const imp_val *val, const imp_want *wants, int most)
{
    const imp_image *im = run->im;
    struct series_along *along = run->series_along;
    double jet[IMP_ORDER_MAX + 1];
    int less = spared(run, val, wants);
    most = most - less > 1 ? most - less : 1;
    int st = move(run, val, wants, most);
    const uint32_t *contact = IMP_ARRAY(im, val->contacts, uint32_t);
    for (uint32_t index = 0; index < val->contacts.n && !st; index++)
        st = along->corner[contact[index]]
                 ? polytope_contact_rows(run, contact[index], most,
                                         along->corner[contact[index]])
                 : contact_gap_series(run, contact[index], most, jet);
    for (uint32_t index = 0; index < val->series.n && !st; index++) {
        const imp_series *series =
            IMP_ARRAY(im, im->series, imp_series) + wants[index].series;
        int asked = (int)wants[index].order;
        int order = asked > less ? asked - less : 0;
        double *work = along->work[wants[index].series];
        st = rt_series(run, series->tape, NULL, along->rows, work, order);
        if (st == IMP_NONFINITE && val->kind == IMP_VAL_ALONG) {
            double *blunt =
                work + (size_t)series->row * IMP_ROW_STRIDE + IMP_ROW_PAD;
            for (int k = 0; k <= order; k++)
                blunt[k] = k < order ? 0.0 : IMP_ALONG_BLUNT;
            st = IMP_OK;
        }
        if (st == IMP_NONFINITE) {
            struct diag *diag = diag_add(
                run->ds, DIAG_E0602, series->range,
                "this has no finite time derivative%s at the present state",
                order > 1 ? " of the orders asked for" : "");
            diag_help(run->ds, diag,
                      "a formula is not smooth there, such as a root of zero, "
                      "or too large");
            return IMP_FAILED;
        }
        const double *c =
            work + (size_t)series->row * IMP_ROW_STRIDE + IMP_ROW_PAD;
        if (!st)
            coefficients_to_env(run, series, c, order, asked);
        if (index + 1 < val->series.n) /* for the series behind it */
            derive(along->derived[wants[index].series], c, order);
    }
    return st;
}

int
series_along_fill(struct rt *run, const imp_val *val)
{
    assert(run != NULL && val != NULL);
    const imp_want *wants = IMP_ARRAY(run->im, val->series, imp_want);
    uint32_t most = 1;
    for (uint32_t i = 0; i < val->series.n; i++)
        most = wants[i].order > most ? wants[i].order : most;
    double **motion = run->rows.block, **event = run->rows.contact;
    if (!val->series.n)
        return IMP_OK;
    run->rows.block = run->series_along->motion;
    run->rows.contact = run->series_along->event;
    int st = fill(run, val, wants, (int)most);
    run->rows.block = motion;
    run->rows.contact = event;
    return st;
}

double
series_along_switch(struct rt *run, double span)
{
    assert(run != NULL && run->series_along);
    struct series_along *along = run->series_along;
    double now = rt_time(run), first = INFINITY, **motion = run->rows.block;
    if (!run->switching)
        return INFINITY;
    run->rows.block = along->motion;
    for (uint32_t i = 0; i < run->im->blocks.n; i++) {
        uint32_t system = system_of_block(run, i);
        bool bodies = system == IMP_NO_SYSTEM;
        int order = bodies ? along->order : along->block_order[i];
        if (!bodies && along->given[system].now &&
            rt_system(run, system)->block == i)
            first = fmin(first, along->given[system].switches);
        else if (order > 0)
            first = fmin(first, now + switching_next(run, i, order, span));
    }
    run->rows.block = motion;
    return along->order > 0 && along->contact_switch <= now + span
               ? fmin(first, along->contact_switch)
               : first;
}
