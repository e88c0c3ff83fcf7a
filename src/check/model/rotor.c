/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rotors: rotor NAME : BODY { axis = ..  inertia = ..  rate = ..  friction = ..
 * motor = .. }, wheels that turn about an axis of a body. Friction is a torque
 * that may depend on the speed, `slip`, against which it acts; a motor is a
 * torque, or holds the rate. What depends on the values of params is checked at
 * set-up (runtime/rotors). */
#include <assert.h>
#include <string.h>

#include "check/model/model_priv.h"

enum { K_AXIS, K_INERTIA, K_RATE, K_FRICTION, K_MOTOR, N_KEYS };
const struct keydef rotor_keys[] = {
    {"axis", "its direction in the axes of the body (in the plane it is z)"},
    {"inertia", "about its axis; the inertia of the body counts it, too"},
    {"rate", "how fast it turns against the body at the start (0)"},
    {"friction",
     "greatest torque of its friction, a formula of `slip`, the "
     "speed of the rate, or (static, dynamic); the rotor sticks where "
     "it can (0)"},
    {"motor", "torque that drives it, or `hold`: the rate stays as it is (0)"},
};
const size_t n_rotor_keys = sizeof rotor_keys / sizeof rotor_keys[0];

struct work {
    struct check *ck;
    struct env env;
    const struct ast_item *k[N_KEYS];
    struct tm_rotor *rotor;
    uint32_t index;
};

static const struct dim *
torque(struct check *ck)
{
    return dim_mks(ck->dims, 2, 1, -2);
}

/* Reports the name of a body that is not declared, the world's among them. */
static bool
unknown_body(struct work *work, const struct ast_expr *head)
{
    struct check *ck = work->ck;
    bool reported = false;
    if (head->kind != AST_NAME ||
        scope_find(ck, work->env.module, head->name.text, WANT_VALUE,
                   head->range, &reported))
        return false;
    if (reported)
        return true;
    struct diag *diag;
    if (!strcmp(head->name.text, "world")) {
        diag = check_error(ck, DIAG_E0347, head->range,
                           "a rotor belongs to a body, and the world is none");
        CHECK_HELP(ck, diag,
                   "what turns beside the world is a body of its own, on a "
                   "hinge: joint axle : hinge(%s, world) { ... }",
                   work->rotor->name);
        return true;
    }
    const char **names = NEW_N(ck->arena, const char *, ck->lists.bodies.n);
    for (size_t i = 0; i < ck->lists.bodies.n; i++)
        names[i] = ck->lists.bodies.v[i].name;
    diag = check_error(ck, DIAG_E0101, head->range, "there is no body `%s`",
                       head->name.text);
    if (!check_suggest(ck, diag, head->range, head->name.text, names,
                       ck->lists.bodies.n))
        CHECK_HELP(ck, diag, "declare it: body %s { mass = 1  inertia = ... }",
                   head->name.text);
    return true;
}

static bool
head_body(struct work *work, const struct ast_expr *head)
{
    struct check *ck = work->ck;
    if (unknown_body(work, head))
        return false;
    struct value value = check_expr(ck, &work->env, head);
    if (value.kind == VALUE_POISON)
        return false;
    struct diag *diag;
    if (value.kind != VALUE_BODY) {
        diag = check_error(ck, DIAG_E0347, head->range,
                           "a rotor belongs to a body, but this is %s",
                           value_kind_text(ck, &value));
        CHECK_HELP(ck, diag, "rotor %s : one { ... } turns within the body one",
                   work->rotor->name);
        return false;
    }
    const struct tm_body *body = &ck->lists.bodies.v[value.ref];
    work->rotor->body = value.ref;
    if (!body->fixed)
        return true;
    diag = check_error(ck, DIAG_E0347, head->range,
                       "the body `%s` of this rotor is fixed", body->name);
    CHECK_NOTE(ck, diag, body->range, "declared here");
    CHECK_HELP(ck, diag,
               "a rotor acts on the body that it turns in; one of a "
               "fixed body moves nothing: leave it out");
    return false;
}

/* What is missing, or cannot be there. */
static bool
keys_fit(struct work *work)
{
    struct check *ck = work->ck;
    struct diag *diag;
    if (ck->m->dim == 2 && work->k[K_AXIS]) {
        diag = check_error(ck, DIAG_E0347, work->k[K_AXIS]->name.range,
                           "in the plane every rotor turns about z, so it has "
                           "no `axis`");
        CHECK_HELP(ck, diag, "leave it out");
        return false;
    }
    if (!work->k[K_INERTIA] || (ck->m->dim == 3 && !work->k[K_AXIS])) {
        int key = work->k[K_INERTIA] ? K_AXIS : K_INERTIA;
        diag = check_error(ck, DIAG_E0347, work->rotor->range,
                           "a rotor needs `%s`: %s", rotor_keys[key].name,
                           rotor_keys[key].doc);
        CHECK_HELP(ck, diag,
                   key == K_AXIS ? "as in axis = (0, 0, 1)"
                                 : "as in inertia = 0.0058 [kg*m^2]");
        return false;
    }
    return true;
}

static void
number_key(struct work *work, int key, const struct dim *dim, const char *what,
           struct tm_num *out)
{
    struct check *ck = work->ck;
    if (!work->k[key])
        return;
    const struct ast_expr *node = work->k[key]->value;
    struct value value = check_expr(ck, &work->env, node);
    if (value_need_scalar(ck, &value, node, dim, what) &&
        check_leaves(ck, value.e, 1, MAY_PARAMS, node, what))
        take_num(out, &value, node);
}

/* -- torques --------------------------------------------------------------- */

struct reads {
    const struct work *work;
    bool other;
};
static void
read_leaf(void *ctx, const expr *leaf)
{
    struct reads *reads = ctx;
    bool may = leaf->sym == SYM_PARAM || leaf->sym == SYM_TIME ||
               leaf->sym == SYM_SLIP || leaf_is_given(reads->work->ck, leaf);
    may |= leaf->sym == SYM_BODY && leaf->i == reads->work->rotor->body;
    may |= leaf->sym == SYM_ROTOR && leaf->i == reads->work->index;
    reads->other |= !may;
}

/* A torque of the rotor; NULL: an error has been reported. */
static const expr *
checked(struct work *work, struct value *value, const expr *e,
        const struct ast_expr *node, bool friction)
{
    struct check *ck = work->ck;
    struct reads reads = {.work = work};
    struct diag *diag;
    ex_leaves(ck->g, &e, 1, read_leaf, &reads);
    if (reads.other && value->kind != VALUE_ANY) {
        diag = check_error(ck, DIAG_E0319, node->range,
                           "%s of a rotor cannot depend on this",
                           friction ? "the friction" : "the motor");
        CHECK_HELP(ck, diag,
                   "it may depend on %st, params, the rate of the rotor, and "
                   "places and velocities of its body",
                   friction ? "`slip`, " : "");
        return NULL;
    }
    if (!friction || !ex_is_const(e) || e->num >= 0)
        return e;
    diag = check_error(ck, DIAG_E0348, node->range,
                       "the friction of a rotor is not negative, but this is "
                       "%g N*m",
                       e->num);
    CHECK_HELP(ck, diag,
               "friction acts against the rate by itself, whatever its sign; a "
               "torque that drives is the `motor`");
    return NULL;
}

static const expr *
no_slip(void *ctx, const expr *leaf)
{
    return leaf->sym == SYM_SLIP ? ex_num(ctx, 0) : NULL;
}

static void
friction_key(struct work *work)
{
    struct check *ck = work->ck;
    if (!work->k[K_FRICTION])
        return;
    const struct ast_expr *node = work->k[K_FRICTION]->value,
                          *inner = ast_unwrap(node);
    const char *name = "slip";
    struct value slip = value_num(ck, ex_sym(ck->g, SYM_SLIP, ARGUMENT_SLIP, 0),
                                  dim_mks(ck->dims, 0, 0, -1), node->range);
    struct env env = {.up = &work->env,
                      .module = work->env.module,
                      .names = &name,
                      .vals = &slip,
                      .n = 1};
    const char *what = "the friction of a rotor";
    struct value value = check_expr(ck, &env, node);
    bool pair =
        value.kind == VALUE_NUM && value.rows * value.cols == 2 && !value.dims;
    if (pair ? !value_need_dim(ck, &value, node, torque(ck), what)
             : !value_need_scalar(ck, &value, node, torque(ck), what))
        return;
    const struct ast_expr *at[2] = {node, node};
    for (size_t i = 0; pair && i < 2 && inner->kind == AST_TUPLE; i++)
        at[i] = inner->list[i];
    const expr *sticks = checked(work, &value, value.e[0], at[0], true);
    const expr *turns =
        pair ? checked(work, &value, value.e[1], at[1], true) : sticks;
    if (!sticks || !turns)
        return;
    if (friction_less_at_rest(ck, sticks, turns) &&
        !(ex_is_const(sticks) && ex_is_const(turns))) {
        struct diag *diag = check_error(
            ck, DIAG_E0348, at[0]->range,
            "friction is less where the rotor sticks than as soon as it turns");
        CHECK_HELP(ck, diag,
                   "`slip` is a speed, and friction acts against the rate by "
                   "itself, without a factor sign(slip)");
        return;
    }
    sticks = ex_subst(ck->g, sticks, no_slip, ck->g);
    if (ex_is_const(sticks) && ex_is_const(turns) && sticks->num < turns->num) {
        struct diag *diag =
            check_error(ck, DIAG_E0348, at[0]->range,
                        "static friction %g N*m is below the dynamic one, %g "
                        "N*m",
                        sticks->num, turns->num);
        CHECK_HELP(ck, diag,
                   "a rotor that sticks bears at least what it bears when it "
                   "turns: exchange the two");
        return;
    }
    if (ex_is_num(turns, 0) && ex_is_num(sticks, 0))
        return;
    work->rotor->friction = (struct tm_num){turns, at[1]->range};
    work->rotor->friction_static = (struct tm_num){sticks, at[0]->range};
}

/* Reports a word that is meant as `hold`: another one for it, or a call. */
static bool
other_hold(struct work *work, const struct ast_expr *node)
{
    static const char *const words[] = {"lock",     "locked", "held",  "keep",
                                        "constant", "fixed",  "holds", "brake"};
    struct check *ck = work->ck;
    bool reported = false, call = node->kind == AST_CALL;
    const struct ast_expr *callee = call ? node->a : node;
    if (callee->kind != AST_NAME)
        return false;
    const char *word = callee->name.text;
    bool meant = call && !strcmp(word, "hold");
    for (size_t i = 0; !call && i < sizeof words / sizeof words[0]; i++)
        meant |= !strcmp(word, words[i]);
    if (!meant || reported ||
        scope_find(ck, work->env.module, word, call ? WANT_CALL : WANT_VALUE,
                   callee->range, &reported))
        return false;
    struct diag *diag = check_error(
        ck, DIAG_E0348, node->range,
        call ? "`hold` is a word and takes no argument: the rate that it keeps "
               "is that of the start"
             : "a motor is a torque, or the word `hold`, but this is `%s`",
        word);
    CHECK_HELP(ck, diag, "motor = hold, and the rate is said by rate = 3");
    diag_fix(ck->ds, diag, node->range, "hold");
    return true;
}

static void
motor_key(struct work *work)
{
    struct check *ck = work->ck;
    bool reported = false;
    if (!work->k[K_MOTOR])
        return;
    const struct ast_expr *node = work->k[K_MOTOR]->value,
                          *inner = ast_unwrap(node);
    if (inner->kind == AST_NAME && !strcmp(inner->name.text, "hold") &&
        !scope_find(ck, work->env.module, "hold", WANT_ANY, inner->range,
                    &reported) &&
        !reported) {
        work->rotor->holds = true;
        if (!work->k[K_FRICTION])
            return;
        struct diag *diag = check_error(
            ck, DIAG_E0348, work->k[K_FRICTION]->name.range,
            "a motor holds the rate of this rotor, so that its friction does "
            "nothing");
        CHECK_HELP(ck, diag, "leave out `friction`, or `motor = hold`");
        return;
    }
    if (other_hold(work, inner))
        return;
    struct value value = check_expr(ck, &work->env, node);
    if (!value_need_scalar(ck, &value, node, torque(ck),
                           "the torque of a motor") ||
        !checked(work, &value, value.e[0], node, false))
        return;
    take_num(&work->rotor->motor, &value, node);
}

/* -- all rotors ------------------------------------------------------------ */

static void
rotor(struct check *ck, struct decl *decl)
{
    struct work work = {.ck = ck,
                        .env = {.module = decl->module},
                        .rotor = &ck->lists.rotors.v[decl->index],
                        .index = decl->index};
    bool known =
        block_keys(ck, decl->item, rotor_keys, n_rotor_keys, "rotor", work.k);
    if (!head_body(&work, decl->item->head1) || !known || !keys_fit(&work))
        return;
    if (work.k[K_AXIS])
        take_direction(ck, &work.env, work.k[K_AXIS]->value,
                       "the axis of a rotor", NULL, &work.rotor->axis);
    number_key(&work, K_INERTIA, dim_mks(ck->dims, 2, 1, 0),
               "the inertia of a rotor", &work.rotor->inertia);
    number_key(&work, K_RATE, dim_mks(ck->dims, 0, 0, -1),
               "the rate of a rotor", &work.rotor->rate);
    friction_key(&work);
    motor_key(&work);
}

void
rotors_declare(struct check *ck)
{
    assert(ck);
    for (struct module *module = ck->modules.first; module;
         module = module->next)
        for (struct decl *decl = module->first; decl; decl = decl->next) {
            if (decl->kind != DECL_ROTOR)
                continue;
            struct tm_rotor made = {.name = decl->name,
                                    .doc =
                                        decl->item->doc ? decl->item->doc : "",
                                    .range = decl->range};
            decl->index = (uint32_t)ck->lists.rotors.n;
            APUSH(ck, &ck->lists.rotors, made);
        }
}

void
check_rotors(struct check *ck)
{
    assert(ck);
    for (struct module *module = ck->modules.first; module;
         module = module->next)
        for (struct decl *decl = module->first; decl; decl = decl->next)
            if (decl->kind == DECL_ROTOR)
                rotor(ck, decl);
}
