/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joints: joint NAME : KIND(BODY, BODY) { at = ..  axis = ..  rate = .. }, the
 * second body possibly `world`. One table says what each kind needs; the
 * entries of `rate` and of a `constraint`'s screws have dimensions of their
 * own, so they are checked one by one. What depends on the values of params is
 * checked at set-up (runtime/setup/setup.c). */
#include <assert.h>
#include <string.h>

#include "check/model/model_priv.h"

enum {
    K_AT,
    K_AXIS,
    K_AXIS2,
    K_RATE,
    K_SCREWS,
    K_ON,
    K_FRICTION,
    K_RADIUS,
    K_LENGTH,
    N_KEYS
};
const struct keydef joint_keys[] = {
    {"at", "the point of the joint, in world axes at the start"},
    {"axis", "its direction (universal: on the first body; gear: of the force "
             "of its teeth), world axes at the start"},
    {"axis2", "universal: the axis on the second body"},
    {"rate", "relative motion of the first body against the second at the "
             "start: hinge spin; slider speed; cylinder (spin, speed); "
             "universal two spins; ball a spin vector; planar (spin, vx, vy, "
             "vz)"},
    {"screws", "constraint: a row per screw the joint can bear, force and then "
               "moment about `at`"},
    {"on", "the body, or `world`, that `at` and the screws go with "
           "(constraint: the first body; gear: the world)"},
    {"friction",
     "hinge and slider of the plane: coefficient of friction (0), "
     "which may read `slip`, or coulomb(static = .., dynamic = ..)"},
    {"radius", "hinge with friction: radius of its pin"},
    {"length", "slider with friction: length of the bush of the first body, "
               "whose ends bear on the second one"},
};
const size_t n_joint_keys = sizeof joint_keys / sizeof joint_keys[0];

#define AT (1u << K_AT)
#define AXIS (1u << K_AXIS)
#define AXIS2 (1u << K_AXIS2)
#define RATE (1u << K_RATE)
#define SCREWS (1u << K_SCREWS)
#define ON (1u << K_ON)
#define FRICTION (1u << K_FRICTION)
#define RADIUS (1u << K_RADIUS)
#define LENGTH (1u << K_LENGTH)

struct kind {
    const char *name;
    unsigned may, must;  /* keys, in space */
    unsigned rates;      /* entries of `rate` in space */
    bool plane;          /* there is such a joint in the plane */
    const char *rate;    /* what these entries are, for messages */
    const char *instead; /* what to take in the plane */
};
/* in the order of enum imp_joint_kind; behind them those that are written with
 * less and become a constraint */
static const struct kind kinds[] = {
    {"ball", AT | RATE, AT, 3, false, "a spin vector", "a hinge"},
    {"hinge", AT | AXIS | RATE | FRICTION | RADIUS, AT | AXIS, 1, true,
     "the spin about the axis", NULL},
    {"slider", AT | AXIS | RATE | FRICTION | LENGTH, AXIS, 1, true,
     "the speed along the axis", NULL},
    {"cylinder", AT | AXIS | RATE, AT | AXIS, 2, false,
     "the spin about the axis and the speed along it", "a hinge or a slider"},
    {"universal", AT | AXIS | AXIS2 | RATE, AT | AXIS | AXIS2, 2, false,
     "the spins about the two axes", "a hinge"},
    {"planar", AT | AXIS | RATE, AXIS, 4, false,
     "the spin about the normal and the velocity vector",
     "nothing: bodies stay in their plane"},
    {"weld", AT, 0, 0, true, "", NULL},
    {"constraint", AT | SCREWS | ON, AT | SCREWS, 0, true,
     "what its screws do not bear", NULL},
    {"gear", AT | AXIS | ON, AT | AXIS, 0, true,
     "all but the velocity of one body against the other at `at` along `axis`",
     NULL},
};
enum {
    GEAR = IMP_JOINT_CONSTRAINT + 1,
    N_KINDS = sizeof kinds / sizeof kinds[0],
    USER_ROWS = 6
};

struct work {
    struct check *ck;
    struct env env;
    struct decl *d;
    const struct ast_item *k[N_KEYS];
    const struct kind *kind;
    struct tm_joint *j;
};

static void
put_keys(struct buf *out, const char *head, unsigned keys)
{
    for (int i = 0; i < N_KEYS; i++)
        if (keys & 1u << i) {
            buf_printf(out, "%s %s", head, joint_keys[i].name);
            head = ",";
        }
}

bool
joint_kind_doc(const char *name, struct buf *out)
{
    assert(name && out);
    for (size_t i = 0; i < N_KINDS; i++) {
        const struct kind *kind = &kinds[i];
        if (strcmp(kind->name, name))
            continue;
        buf_printf(out, "kind of joint\n  %s(body, body or world) {", name);
        put_keys(out, "", kind->must);
        buf_puts(out, " }");
        put_keys(out, "; may have", kind->may & ~kind->must);
        buf_printf(out, "\n  leaves free: %s\n",
                   kind->rate[0] ? kind->rate : "nothing");
        if (!kind->plane)
            buf_printf(out, "  in the plane: %s\n", kind->instead);
        return true;
    }
    return false;
}

const char *
joint_kind_name(size_t i)
{
    return i < N_KINDS ? kinds[i].name : NULL;
}

static const char *
an(const char *word)
{
    return strchr("aeio", word[0]) ? "an" : "a";
}

/* -- the head ------------------------------------------------------------- */

/* A joint of other programs. */
struct foreign_joint {
    const char *word, *ours, *help;
};

/* Returns its row, or NULL. */
static const struct foreign_joint *
foreign_joint(const char *word)
{
#define FORCES                                                                 \
    "springs and dampers are forces of bodies: force = -k*(b.position - p) - " \
    "c*b.velocity, or torque = -k*b.angle; the other body has the opposite"
#define DRIVES                                                                 \
    "what drives a body is its force or torque, a formula of t and of the "    \
    "motion; a fixed body with angle = w*t turns as prescribed"
#define SLACK                                                                  \
    "what pulls only when it is taut is a contact of a system: gap = l - x"
#define RODS "a rod is a body with a hinge at each end"
#define SCREWS_DO                                                              \
    "a nut on a screw is a constraint that couples turn and shift: axis z, "   \
    "pitch p, screws = [0, 0, 1, 0, 0, -p/(2*pi)], beside a cylinder joint"
#define STOPS                                                                  \
    "a stop is a body in the way, and a contact with it: contact stop : door " \
    "| wall { restitution = 0.3 }"
    static const struct foreign_joint row[] = {
#include "check/foreign_joints.def"
    };
#undef FORCES
#undef DRIVES
#undef SLACK
#undef RODS
#undef SCREWS_DO
#undef STOPS
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        if (!strcmp(word, row[i].word))
            return &row[i];
    return NULL;
}

static int
kind_of(struct check *ck, const struct ast_expr *head)
{
    const struct ast_expr *callee = head->kind == AST_CALL ? head->a : head;
    const char *names[N_KINDS];
    const char *word = callee->kind == AST_NAME ? callee->name.text : NULL;
    for (int i = 0; i < N_KINDS; i++) {
        names[i] = kinds[i].name;
        if (word && !strcmp(word, names[i]))
            return i;
    }
    struct diag *diag =
        word ? check_error(ck, DIAG_E0334, callee->range,
                           "there is no joint `%s`", word)
             : check_error(ck, DIAG_E0334, callee->range,
                           "what follows the colon is a kind of joint");
    const struct foreign_joint *other = word ? foreign_joint(word) : NULL;
    if (other && other->ours) {
        CHECK_HELP(ck, diag, "here it is called `%s`", other->ours);
        diag_fix(ck->ds, diag, callee->range, other->ours);
    } else if (other)
        CHECK_HELP(ck, diag, "%s", other->help);
    else if (!word ||
             !check_suggest(ck, diag, callee->range, word, names, N_KINDS))
        CHECK_HELP(ck, diag, "joints are %s",
                   check_join(ck, names, N_KINDS, "and"));
    return -1;
}

static bool
is_world(const struct ast_expr *node)
{
    node = ast_unwrap(node);
    return node->kind == AST_NAME && !strcmp(node->name.text, "world");
}

/* The name is not declared at all. Only bodies and `world` could stand here. */
static bool
unknown_body(struct work *work, const struct ast_expr *node)
{
    struct check *ck = work->ck;
    bool reported = false;
    if (node->kind != AST_NAME || is_body(ck, node->name.text) ||
        scope_find(ck, work->env.module, node->name.text, WANT_ANY, node->range,
                   &reported) ||
        reported)
        return reported;
    const char **names = NEW_N(ck->arena, const char *, ck->lists.bodies.n + 1);
    for (size_t i = 0; i < ck->lists.bodies.n; i++)
        names[i] = ck->lists.bodies.v[i].name;
    names[ck->lists.bodies.n] = "world";
    struct diag *diag = check_error(ck, DIAG_E0101, node->range,
                                    "there is no body `%s`", node->name.text);
    if (!check_suggest(ck, diag, node->range, node->name.text, names,
                       ck->lists.bodies.n + 1))
        CHECK_HELP(ck, diag, "declare it, or say `world` for what never moves");
    return true;
}

/* A body or the world. Where it is neither, `what` says what stands there, and
 * `like` how it is written. False: an error has been reported. */
static bool
body_named(struct work *work, const struct ast_expr *node, const char *what,
           const char *like, uint32_t *body)
{
    struct check *ck = work->ck;
    if (is_world(node)) {
        *body = IMP_WORLD;
        return true;
    }
    if (unknown_body(work, node))
        return false;
    struct value value = check_expr(ck, &work->env, node);
    if (value.kind == VALUE_POISON)
        return false;
    if (value.kind != VALUE_BODY) {
        struct diag *diag =
            check_error(ck, DIAG_E0335, node->range, "%s, but this is %s", what,
                        value_kind_text(ck, &value));
        CHECK_HELP(ck, diag, "%s", like);
        return false;
    }
    *body = value.ref;
    return true;
}

static bool
end_body(struct work *work, const struct ast_arg *arg, uint32_t *body)
{
    struct check *ck = work->ck;
    if (arg->name.text) {
        check_error(
            ck, DIAG_E0335, arg->name.range,
            "the two bodies of a joint are given by place: %s(one, two)",
            work->kind->name);
        return false;
    }
    return body_named(work, arg->value,
                      "a joint is between two bodies, or a body and the world",
                      arena_printf(ck->arena,
                                   "joint %s : %s(one, world) { ... }",
                                   work->d->name, work->kind->name),
                      body);
}

static bool
ends(struct work *work, const struct ast_expr *head)
{
    struct check *ck = work->ck;
    uint32_t *body = work->j->body;
    if (head->kind != AST_CALL || head->n_args != 2) {
        struct diag *diag = check_error(
            ck, DIAG_E0335, head->range,
            "%s %s joins two bodies, or a body and the world, but %s here",
            an(work->kind->name), work->kind->name,
            head->kind != AST_CALL || !head->n_args ? "none is named"
            : head->n_args == 1                     ? "one is named"
                                : "more than two are named");
        CHECK_HELP(ck, diag, "joint %s : %s(one, two), or %s(one, world)",
                   work->d->name, work->kind->name, work->kind->name);
        return false;
    }
    bool ok = end_body(work, &head->args[0], &body[0]);
    ok &= end_body(work, &head->args[1], &body[1]);
    if (!ok)
        return false;
    imp_range range = head->args[0].value->range;
    range.hi = head->args[1].value->range.hi;
    if (body[0] == body[1]) {
        struct diag *diag =
            body[0] == IMP_WORLD
                ? check_error(ck, DIAG_E0335, range,
                              "a joint of the world with itself holds nothing")
                : check_error(ck, DIAG_E0335, range,
                              "a body cannot be joined to itself");
        CHECK_HELP(ck, diag, "name two different bodies, or one and `world`");
        return false;
    }
    if (body[0] == IMP_WORLD) {
        struct diag *diag =
            check_error(ck, DIAG_E0335, head->args[0].value->range,
                        "`world` stands in the second place");
        CHECK_HELP(ck, diag,
                   "write %s(%s, world): rates and impulses are those of the "
                   "first body",
                   work->kind->name, ck->lists.bodies.v[body[1]].name);
        return false;
    }
    if (ck->lists.bodies.v[body[0]].fixed &&
        (body[1] == IMP_WORLD || ck->lists.bodies.v[body[1]].fixed)) {
        struct diag *diag =
            check_error(ck, DIAG_E0336, range,
                        "nothing that this joint holds can move: `%s` is fixed",
                        ck->lists.bodies.v[body[0]].name);
        CHECK_NOTE(ck, diag, ck->lists.bodies.v[body[0]].range,
                   "declared here");
        CHECK_HELP(ck, diag, "leave out the joint, or `fixed = true`");
        return false;
    }
    return true;
}

/* -- keys ----------------------------------------------------------------- */

static unsigned
may_keys(const struct work *w)
{
    unsigned may = w->kind->may;
    if (w->ck->m->dim == 2 && w->j->kind == IMP_JOINT_HINGE)
        may &= ~AXIS;
    return may;
}

static bool
keys_fit(struct work *work, bool misspelt)
{
    struct check *ck = work->ck;
    unsigned may = may_keys(work), must = work->kind->must & may;
    bool ok = true;
    const char *names[N_KEYS];
    size_t count = 0;
    for (int key = 0; key < N_KEYS; key++)
        if (may >> key & 1)
            names[count++] = joint_keys[key].name;
    for (int key = 0; key < N_KEYS; key++) {
        if (!work->k[key] || (may >> key & 1))
            continue;
        struct diag *diag;
        if (key == K_AXIS && work->j->kind == IMP_JOINT_HINGE)
            diag =
                check_error(ck, DIAG_E0337, work->k[key]->name.range,
                            "in the plane every hinge turns about z, so it has "
                            "no `axis`");
        else
            diag = check_error(ck, DIAG_E0337, work->k[key]->name.range,
                               "%s %s has no `%s`", an(work->kind->name),
                               work->kind->name, joint_keys[key].name);
        CHECK_HELP(ck, diag, "it has %s", check_join(ck, names, count, "and"));
        ok = false;
    }
    for (int key = 0; key < N_KEYS && !misspelt; key++) {
        if (work->k[key] || !(must >> key & 1))
            continue;
        struct diag *diag =
            check_error(ck, DIAG_E0338, work->d->range, "%s %s needs `%s`: %s",
                        an(work->kind->name), work->kind->name,
                        joint_keys[key].name, joint_keys[key].doc);
        CHECK_HELP(ck, diag,
                   key == K_SCREWS   ? "as in screws = [1, 0, 0, 0, 0, 0; "
                                       "0, 1, 0, 0, 0, 0]"
                   : ck->m->dim == 2 ? "as in %s = (1, 0)"
                                     : "as in %s = (0, 0, 1)",
                   joint_keys[key].name);
        ok = false;
    }
    return ok;
}

static void
point_key(struct work *work)
{
    struct check *ck = work->ck;
    uint32_t count = ck->m->dim;
    struct tm_vec *at = &work->j->at;
    if (!work->k[K_AT]) {
        /* Where nothing depends on the point, it is the mass centre of the
         * first body. */
        *at = ck->lists.bodies.v[work->j->body[0]].start.position;
        return;
    }
    const struct ast_expr *node = work->k[K_AT]->value;
    struct value value = check_expr(ck, &work->env, node);
    if (value_need_vector(ck, &value, node, count, dim_mks(ck->dims, 1, 0, 0),
                          "the point of a joint") &&
        check_leaves(ck, value.e, count, MAY_PARAMS, node,
                     "the point of a joint"))
        take_vec(at, &value, node);
}

/* The body that the point and the screws of a constraint go with. */
static void
carrier_key(struct work *work)
{
    uint32_t *carrier = &work->j->carrier;
    *carrier = work->kind == &kinds[GEAR] ? IMP_WORLD : work->j->body[0];
    if (work->k[K_ON])
        body_named(work, work->k[K_ON]->value,
                   "the point of a joint goes with a body, or stays in the "
                   "world",
                   "as in on = world", carrier);
}

/* Are a and b parallel? Only vectors of literals are compared. */
static bool
along(const struct tm_vec *a, const struct tm_vec *b)
{
    double x[3], y[3];
    for (int i = 0; i < 3; i++) {
        if (!ex_is_const(a->e[i]) || !ex_is_const(b->e[i]))
            return false;
        x[i] = a->e[i]->num;
        y[i] = b->e[i]->num;
    }
    return x[1] * y[2] == x[2] * y[1] && x[2] * y[0] == x[0] * y[2] &&
           x[0] * y[1] == x[1] * y[0];
}

/* A gear is a constraint that bears one screw, a force along its axis. */
static void
gear_axis(struct work *work)
{
    struct check *ck = work->ck;
    struct tm_vec axis = {.n = 0};
    take_direction(ck, &work->env, work->k[K_AXIS]->value,
                   "the direction of a gear's force", NULL, &axis);
    if (!axis.n)
        return;
    const expr **screw = NEW_N(ck->arena, const expr *, 6);
    for (uint32_t i = 0; i < 6; i++)
        screw[i] = i < axis.n ? axis.e[i] : ex_num(ck->g, 0);
    work->j->user = screw;
    work->j->n_user = 1;
}

static void
axis_keys(struct work *work)
{
    struct check *ck = work->ck;
    struct tm_vec *to[] = {&work->j->axis, &work->j->axis2};
    if (work->kind == &kinds[GEAR]) {
        gear_axis(work);
        return;
    }
    for (int i = 0; i < 2; i++)
        if (work->k[K_AXIS + i])
            take_direction(ck, &work->env, work->k[K_AXIS + i]->value,
                           "the axis of a joint", NULL, to[i]);
    if (to[0]->n != 3 || to[1]->n != 3 || !along(to[0], to[1]))
        return;
    struct diag *diag =
        check_error(ck, DIAG_E0340, work->k[K_AXIS2]->value->range,
                    "the two axes of a universal joint cannot be "
                    "parallel");
    CHECK_NOTE(ck, diag, work->k[K_AXIS]->value->range, "the first axis");
    CHECK_HELP(ck, diag, "they are usually at right angles");
}

/* -- entries with dimensions of their own --------------------------------- */

/* Is entry i of `rate` a spin? Otherwise it is a speed. */
static const struct dim *
rate_dim(struct work *work, uint32_t i)
{
    bool speed = false;
    switch (work->j->kind) {
    case IMP_JOINT_SLIDER:
        speed = true;
        break;
    case IMP_JOINT_CYLINDER:
    case IMP_JOINT_PLANAR:
        speed = i > 0;
        break;
    default:
        break;
    }
    return dim_mks(work->ck->dims, speed ? 1 : 0, 0, -1);
}

static void
rate_key(struct work *work)
{
    struct check *ck = work->ck;
    if (!work->k[K_RATE])
        return;
    const struct ast_expr *node = work->k[K_RATE]->value,
                          *inner = ast_unwrap(node);
    uint32_t count = work->kind->rates;
    const char *what =
        arena_printf(ck->arena, "the rate of a %s", work->kind->name);
    if (inner->kind == AST_TUPLE && !inner->unit && inner->n_list == count) {
        const expr **e = NEW_N(ck->arena, const expr *, count);
        struct tm_vec rate = {.e = e, .n = count, .range = node->range};
        bool ok = true;
        for (uint32_t i = 0; i < count; i++) {
            struct value value = check_expr(ck, &work->env, inner->list[i]);
            if (value_need_scalar(
                    ck, &value, inner->list[i], rate_dim(work, i),
                    arena_printf(ck->arena, "entry %u of %s", i, what)) &&
                check_leaves(ck, value.e, 1, MAY_PARAMS, inner->list[i], what))
                e[i] = value.e[0];
            else
                ok = false;
        }
        if (ok)
            work->j->rate = rate;
        return;
    }
    struct value whole = check_expr(ck, &work->env, node);
    if (whole.kind == VALUE_POISON)
        return;
    if (whole.kind != VALUE_NUM || whole.cols != 1 || whole.rows != count) {
        struct diag *diag = check_error(
            ck, DIAG_E0314, node->range,
            "%s is %s: %u number%s, but this is %s", what, work->kind->rate,
            count, count == 1 ? "" : "s", value_kind_text(ck, &whole));
        static const char *const samples[] = {"", "1", "(1, 0)", "(1, 0, 0)",
                                              "(1, 0, 0, 0)"};
        CHECK_HELP(ck, diag, "as in rate = %s", samples[count]);
        return;
    }
    if (count > 1 && !whole.bare &&
        !dim_unify(ck->dims, rate_dim(work, 0), rate_dim(work, count - 1),
                   node->range)) {
        struct diag *diag = check_error(ck, DIAG_E0202, node->range,
                                        "%s has entries of two dimensions: %s",
                                        what, work->kind->rate);
        CHECK_HELP(ck, diag, "write it as a tuple, entry by entry");
        return;
    }
    if ((whole.bare && count > 1) ||
        value_need_dim(ck, &whole, node, rate_dim(work, 0), what))
        if (check_leaves(ck, whole.e, count, MAY_PARAMS, node, what))
            take_vec(&work->j->rate, &whole, node);
}

/* Checks one row of screws: force, then moment about `at`, in units of one
 * scale. */
static bool
screw_row(struct work *work, const struct ast_expr *matrix, uint32_t row,
          uint32_t cols, const expr **out)
{
    struct check *ck = work->ck;
    const struct ast_expr *const *entries =
        (const struct ast_expr *const *)matrix->list + (size_t)row * cols;
    const struct dim *force = dim_fresh(ck->dims, matrix->range);
    const struct dim *moment =
        dim_mul(ck->dims, force, dim_mks(ck->dims, 1, 0, 0));
    uint32_t n_force = cols == 6 ? 3 : 2;
    bool zero = true;
    for (uint32_t i = 0; i < 6; i++)
        out[i] = ex_num(ck->g, 0);
    for (uint32_t i = 0; i < cols; i++) {
        struct value value = check_expr(ck, &work->env, entries[i]);
        if (!value_need_scalar(ck, &value, entries[i],
                               i < n_force ? force : moment,
                               i < n_force ? "the force of a screw"
                                           : "the moment of a screw") ||
            !check_leaves(ck, value.e, 1, MAY_PARAMS, entries[i], "a screw"))
            return false;
        out[cols == 6 || i < 2 ? i : 5] = value.e[0];
        zero &= ex_is_num(value.e[0], 0);
    }
    if (!zero)
        return true;
    imp_range range = entries[0]->range;
    range.hi = entries[cols - 1]->range.hi;
    struct diag *diag =
        check_error(ck, DIAG_E0340, range, "a screw cannot be zero");
    CHECK_HELP(ck, diag, "a zero screw constrains nothing: leave out this row");
    return false;
}

static void
screws_key(struct work *work)
{
    struct check *ck = work->ck;
    if (!work->k[K_SCREWS])
        return;
    const struct ast_expr *node = work->k[K_SCREWS]->value,
                          *inner = ast_unwrap(node);
    uint32_t cols = ck->m->dim == 2 ? 3 : 6;
    bool written = inner->kind == AST_MATRIX && !inner->unit && inner->cols;
    uint32_t rows = written ? (uint32_t)(inner->n_list / inner->cols) : 0;
    if (!written || inner->cols != cols || rows > USER_ROWS) {
        struct diag *diag = check_error(
            ck, DIAG_E0341, node->range,
            rows > USER_ROWS
                ? "a joint bears at most %d screws"
                : "screws are a matrix that is written out, with %u columns",
            rows > USER_ROWS ? USER_ROWS : (int)cols);
        CHECK_HELP(ck, diag,
                   cols == 3
                       ? "a row is (fx, fy, moment), as in [1, 0, 0; 0, 1, 0]"
                       : "a row is force and moment about `at`, as in "
                         "[1, 0, 0, 0, 0, 0; 0, 1, 0, 0, 0, 0]");
        return;
    }
    const expr **u = NEW_N(ck->arena, const expr *, (size_t)rows * 6);
    for (uint32_t i = 0; i < rows; i++)
        if (!screw_row(work, inner, i, cols, u + (size_t)6 * i))
            return;
    work->j->user = u;
    work->j->n_user = rows;
}

/* -- friction ------------------------------------------------------------- */

/* Friction needs the size of what rubs, and that size has no other use. */
static bool
friction_fits(struct work *work)
{
    struct check *ck = work->ck;
    int size = work->j->kind == IMP_JOINT_HINGE ? K_RADIUS : K_LENGTH;
    bool rubs = work->k[K_FRICTION] != NULL, sized = work->k[size] != NULL;
    if (rubs == sized)
        return rubs;
    const struct ast_item *key = work->k[rubs ? K_FRICTION : size];
    struct diag *diag =
        rubs ? check_error(ck, DIAG_E0349, key->name.range,
                           "the friction of a %s needs its `%s`",
                           work->kind->name, joint_keys[size].name)
             : check_error(ck, DIAG_E0349, key->name.range,
                           "this %s has a `%s` and no friction, which alone "
                           "reads it",
                           work->kind->name, joint_keys[size].name);
    CHECK_HELP(ck, diag, "%s",
               size == K_RADIUS
                   ? "the moment of a pin is friction times radius times its "
                     "force: friction = 0.1  radius = 0.01"
                   : "a bush bears at both of its ends: friction = 0.1  length "
                     "= 0.2");
    return false;
}

static void
width_key(struct work *work, int key)
{
    struct check *ck = work->ck;
    const struct ast_expr *node = work->k[key]->value;
    const char *what =
        key == K_RADIUS ? "the radius of a pin" : "the length of a bush";
    struct value value = check_expr(ck, &work->env, node);
    if (!value_need_scalar(ck, &value, node, dim_mks(ck->dims, 1, 0, 0),
                           what) ||
        !check_leaves(ck, value.e, 1, MAY_PARAMS, node, what))
        return;
    if (!ex_is_const(value.e[0]) || value.e[0]->num > 0) {
        take_num(&work->j->width, &value, node);
        return;
    }
    struct diag *diag =
        check_error(ck, DIAG_E0349, node->range,
                    "%s is positive, but this is %g m", what, value.e[0]->num);
    CHECK_HELP(ck, diag, "a joint without friction leaves it out");
}

static void
friction_keys(struct work *work)
{
    struct check *ck = work->ck;
    struct tm_joint *joint = work->j;
    if (!friction_fits(work))
        return;
    if (ck->m->dim != 2) {
        check_unavailable(ck, work->k[K_FRICTION]->name.range,
                          "friction of joints in space",
                          "leave `friction` out, or, if all moves in a plane, "
                          "describe it there, with positions of two numbers");
        return;
    }
    width_key(work, joint->kind == IMP_JOINT_HINGE ? K_RADIUS : K_LENGTH);
    struct tm_contact like = {.name = joint->name,
                              .range = joint->range,
                              .body = {joint->body[0], joint->body[1]}};
    body_friction(ck, &work->env, work->k[K_FRICTION], NULL, &like);
    if (!contact_has_friction(&like) || !joint->width.e)
        return;
    joint->mu = like.mu;
    joint->mu_static = like.mu_static;
}

/* -- all joints ----------------------------------------------------------- */

static bool
joint(struct check *ck, struct decl *decl, uint32_t member)
{
    struct work work = {.ck = ck, .d = decl};
    struct member_env of;
    member_env(ck, decl, member, &of);
    work.env = of.env;
    struct tm_joint made = {.name = member_name(ck, decl, member),
                            .doc = decl->item->doc ? decl->item->doc : "",
                            .range = decl->range};
    work.j = &made;
    int kind = kind_of(ck, decl->item->head1);
    if (kind < 0)
        return false; /* of another joint its keys say nothing */
    bool known =
        block_keys(ck, decl->item, joint_keys, n_joint_keys, "joint", work.k);
    work.kind = &kinds[kind];
    made.kind = kind == GEAR ? IMP_JOINT_CONSTRAINT : (enum imp_joint_kind)kind;
    if (!ends(&work, decl->item->head1))
        return false;
    if (ck->m->dim == 2 && !work.kind->plane) {
        struct diag *diag =
            check_error(ck, DIAG_E0339, decl->item->head1->range,
                        "there is no %s joint in the plane", work.kind->name);
        CHECK_HELP(ck, diag,
                   "in the plane it is %s; plane joints are hinge, slider, "
                   "weld, constraint and gear",
                   work.kind->instead);
        return false;
    }
    if (!keys_fit(&work, !known))
        return false;
    point_key(&work);
    axis_keys(&work);
    rate_key(&work);
    screws_key(&work);
    carrier_key(&work);
    /* a key that is not known may be the one that is missing */
    int before = ck->ds->errors;
    if (known)
        friction_keys(&work);
    work.j->friction_wrong = !known || ck->ds->errors > before;
    APUSH(ck, &ck->lists.joints, made);
    return true;
}

/* Joints that are wrong, and the rest of their family, have no number. */
static void
declare_joints(struct check *ck, struct decl *decl)
{
    family_declare(ck, decl, (uint32_t)ck->lists.joints.n);
    for (uint32_t i = 0; i < decl->count; i++)
        if (!joint(ck, decl, i)) {
            decl->broken = true;
            break;
        }
    if (decl->broken)
        decl->index = UINT32_MAX;
}

void
check_joints(struct check *ck)
{
    assert(ck);
    for (struct module *module = ck->modules.first; module;
         module = module->next)
        for (struct decl *decl = module->first; decl; decl = decl->next)
            if (decl->kind == DECL_JOINT)
                declare_joints(ck, decl);
}
