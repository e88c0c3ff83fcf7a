/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts between two bodies with shapes, and the world: gravity, policy,
 * tolerance, seed. */
#include <string.h>

#include "check/check_priv.h"

enum {
    K_RESTITUTION,
    K_FRICTION,
    K_AT,
    K_NORMAL,
    K_DIRECTION,
    K_PRIORITY,
    K_GAP,
    K_SLIDE,
    N_KEYS
};
const struct keydef contact_keys[] = {
    {"restitution", "coefficient of restitution (1), or newton(e), "
                    "poisson(e), energetic(e)"},
    {"friction", "coefficient of friction (0)"},
    {"at", "the point, in world axes at the start"},
    {"normal", "from the first to the second body"},
    {"direction", "as normal, but keeps its length"},
    {"priority", "order among simultaneous contacts"},
    {"gap", "in a system: the gap as a formula"},
    {"slide", "in a system: the tangential coordinate"},
};
const size_t n_contact_keys = sizeof contact_keys / sizeof contact_keys[0];

enum { W_GRAVITY, W_POLICY, W_LAW, W_TOLERANCE, W_SEED, W_GAIN, N_WORLD };
const struct keydef world_keys[] = {
    {"gravity", "acceleration of free bodies (0)"},
    {"policy", "at C00: stop, through or enforce"},
    {"law", "for simultaneous contacts"},
    {"tolerance", "relative tolerance of verdicts"},
    {"seed", "of random numbers"},
    {"gain", "allowed or forbidden: may an impact raise the energy?"},
};
const size_t n_world_keys = sizeof world_keys / sizeof world_keys[0];

static bool
head_body(struct check *ck, const struct env *env, const struct ast_expr *e,
          uint32_t *body)
{
    if (!e)
        return false;
    bool reported = false;
    if (e->kind == AST_NAME && !scope_find(ck, env->module, e->name.text,
                                           WANT_ANY, e->range, &reported)) {
        const char *name = e->name.text;
        if (reported)
            return false;
        const char **names = NEW_N(ck->arena, const char *, ck->bodies.n + 1);
        for (size_t i = 0; i < ck->bodies.n; i++)
            names[i] = ck->bodies.v[i].name;
        struct diag *d =
            ck_error(ck, DIAG_E0101, e->range, "there is no body `%s`", name);
        if (!ck_suggest(ck, d, e->range, name, names, ck->bodies.n))
            CK_HELP(ck, d,
                    "declare it, for example: body %s : %s { fixed = "
                    "true }",
                    name, ck->m->dim == 3 ? "half_space" : "half_plane");
        return false;
    }
    struct value v = ck_expr(ck, env, e);
    if (v.kind == V_POISON)
        return false;
    if (v.kind != V_BODY) {
        struct diag *d = ck_error(
            ck, DIAG_E0324, e->range,
            "a contact is between two bodies, but this is %s", v_kind(ck, &v));
        CK_HELP(ck, d, "contact touch : one | two");
        return false;
    }
    *body = v.ref;
    return true;
}

static void
law_of(struct check *ck, const struct env *env, const struct ast_item *k,
       struct tm_contact *c)
{
    static const char *const laws[] = {"newton", "poisson", "energetic"};
    const struct ast_expr *e = k->value;
    const struct ast_expr *p = ast_unwrap(e);
    if (p->kind == AST_CALL && p->a->kind == AST_NAME) {
        const char *name = p->a->name.text;
        bool reported;
        for (int i = 0; i < 3; i++)
            if (!strcmp(name, laws[i])) {
                c->law = (enum imp_law)i;
                if (p->n_args != 1 || p->args[0].name.text) {
                    ck_error(ck, DIAG_E0214, p->range,
                             "%s takes one number, the coefficient of "
                             "restitution",
                             name);
                    return;
                }
                e = p->args[0].value;
            }
        if (e == k->value &&
            !scope_find(ck, env->module, name, WANT_CALL, p->range,
                        &reported) &&
            !reported && !builtin_find(name)) {
            struct diag *d = ck_error(ck, DIAG_E0325, p->a->range,
                                      "there is no law of impact `%s`", name);
            if (!ck_suggest(ck, d, p->a->range, name, laws, 3))
                CK_HELP(ck, d,
                        "laws are newton(e), poisson(e), "
                        "energetic(e); a bare number is Newton's");
            return;
        }
    }
    double x;
    struct value v = ck_expr(ck, env, e);
    if (!v_need_scalar(ck, &v, e, dim_pure(ck->dims),
                       "a coefficient of restitution") ||
        !check_leaves(ck, v.e, 1, MAY_PARAMS, e, "the restitution"))
        return;
    if (v_const(&v, &x) && (x < 0 || (x > 1 && !ck->m->world.gain_allowed))) {
        struct diag *d = ck_error(
            ck, DIAG_E0323, e->range,
            "a coefficient of restitution is between 0 and 1, but this is %g",
            x);
        if (x > 1)
            CK_HELP(ck, d,
                    "to let impacts add energy, say world { gain = "
                    "\"allowed\" }");
        return;
    }
    take_num(&c->e, &v, e);
}

static void
contact(struct check *ck, struct decl *d)
{
    const struct ast_item *k[N_KEYS], *it = d->item;
    struct tm_contact *c = &ck->contacts.v[d->index];
    struct env env = {.module = d->module};
    block_keys(ck, it, contact_keys, n_contact_keys, "contact", k);
    if (!it->head1 || !it->head2) {
        struct diag *x = ck_error(ck, DIAG_E0324, d->range,
                                  "the contact `%s` names no bodies", d->name);
        CK_HELP(ck, x, "contact %s : one | two", d->name);
        return;
    }
    bool ok = head_body(ck, &env, it->head1, &c->body[0]);
    ok &= head_body(ck, &env, it->head2, &c->body[1]);
    bool stated = k[K_AT] || k[K_NORMAL] || k[K_DIRECTION] || k[K_GAP];
    if (ok && c->body[0] == c->body[1]) {
        imp_range r = it->head1->range;
        r.hi = it->head2->range.hi;
        struct diag *x =
            ck_error(ck, DIAG_E0320, r, "a body has no contact with itself");
        CK_HELP(ck, x, "name two different bodies");
        ok = false;
    }
    for (int i = 0; ok && !stated && i < 2; i++) {
        struct decl *b = ck->body_decls.v[c->body[i]];
        if (b->item->head1)
            continue;
        struct diag *x = ck_error(
            ck, DIAG_E0322, (i ? it->head2 : it->head1)->range,
            "the body `%s` has no shape, so it cannot touch anything", b->name);
        CK_NOTE(ck, x, b->range, "declared here");
        CK_HELP(ck, x, "give it one, as in body %s : circle(1)", b->name);
        ok = false;
    }
    if (ok && ck->bodies.v[c->body[0]].fixed &&
        ck->bodies.v[c->body[1]].fixed) {
        struct diag *x = ck_error(ck, DIAG_E0321, d->range,
                                  "both bodies of this contact are fixed");
        CK_HELP(ck, x, "an impact needs a body that can move");
    }
    for (int i = K_AT; i < N_KEYS; i++)
        if (k[i])
            ck_unavailable(ck, k[i]->name.range,
                           arena_printf(ck->arena, "the key `%s` of a contact",
                                        contact_keys[i].name));
    c->e.e = ex_num(ck->g, 1);
    c->mu.e = ex_num(ck->g, 0);
    c->e.range = c->mu.range = d->range;
    if (k[K_RESTITUTION])
        law_of(ck, &env, k[K_RESTITUTION], c);
    if (k[K_FRICTION]) {
        const struct ast_expr *e = k[K_FRICTION]->value;
        struct value v = ck_expr(ck, &env, e);
        if (v_need_scalar(ck, &v, e, dim_pure(ck->dims),
                          "a coefficient of friction")) {
            if (!ex_is_num(v.e[0], 0))
                ck_unavailable(ck, k[K_FRICTION]->name.range, "friction");
            take_num(&c->mu, &v, e);
        }
    }
}

void
contacts_declare(struct check *ck)
{
    for (struct module *m = ck->modules; m; m = m->next)
        for (struct decl *d = m->first; d; d = d->next)
            if (d->kind == D_CONTACT) {
                struct tm_contact c = {.name = d->name,
                                       .doc = d->item->doc ? d->item->doc : "",
                                       .range = d->range};
                d->index = (uint32_t)ck->contacts.n;
                APUSH(ck, &ck->contacts, c);
            }
}

void
check_contacts(struct check *ck)
{
    for (struct module *m = ck->modules; m; m = m->next)
        for (struct decl *d = m->first; d; d = d->next)
            if (d->kind == D_CONTACT)
                contact(ck, d);
}

/* -- the world ------------------------------------------------------------ */

static void
world(struct check *ck, struct module *m, const struct ast_item *it)
{
    static const char *const policies[] = {"through", "stop", "enforce"};
    static const char *const gains[] = {"forbidden", "allowed"};
    const struct ast_item *k[N_WORLD];
    struct env env = {.module = m};
    struct tm_model *tm = ck->m;
    block_keys(ck, it, world_keys, n_world_keys, "world", k);
    uint32_t d = tm->dim;
    if (k[W_GRAVITY]) {
        const struct ast_expr *e = k[W_GRAVITY]->value;
        struct value v = ck_expr(ck, &env, e);
        const struct dim *acc = dim_mks(ck->dims, 1, 0, -2);
        if (v.kind == V_NUM && v_is_scalar(&v)) {
            struct diag *x = ck_error(ck, DIAG_E0314, e->range,
                                      "gravity is a vector, but this is one "
                                      "number");
            CK_HELP(ck, x,
                    d == 3 ? "write (0, 0, -9.81) [m/s^2]"
                           : "write (0, -9.81) [m/s^2]");
        } else if (d == 0 && v.kind == V_NUM && v.cols == 1) {
            v_need_dim(ck, &v, e, acc, "gravity"); /* no bodies: no use */
        } else if (v_need_vector(ck, &v, e, d, acc, "gravity") &&
                   check_leaves(ck, v.e, d, MAY_PARAMS, e, "gravity")) {
            take_vec(&tm->world.gravity, &v, e);
        }
    }
    for (int i = W_TOLERANCE; i <= W_SEED; i++) {
        double x;
        if (!k[i])
            continue;
        const struct ast_expr *e = k[i]->value;
        struct value v = ck_expr(ck, &env, e);
        if (!v_need_scalar(ck, &v, e, dim_pure(ck->dims),
                           i == W_SEED ? "a seed" : "a tolerance") ||
            !check_leaves(ck, v.e, 1, MAY_PARAMS, e, world_keys[i].name))
            continue;
        if (i == W_TOLERANCE && v_const(&v, &x) && !(x > 0 && x < 1)) {
            struct diag *y = ck_error(ck, DIAG_E0317, e->range,
                                      "a relative tolerance is above 0 and "
                                      "below 1, but this is %g",
                                      x);
            CK_HELP(ck, y, "1e-9 is a usual one");
            continue;
        }
        take_num(i == W_SEED ? &tm->world.seed : &tm->world.tolerance, &v, e);
    }
    if (k[W_POLICY]) {
        int p = key_word(ck, k[W_POLICY], policies, 3);
        if (p >= 0) {
            tm->world.policy = (enum imp_policy)p;
            tm->world.has_policy = true;
        }
    }
    if (k[W_GAIN])
        tm->world.gain_allowed = key_word(ck, k[W_GAIN], gains, 2) == 1;
    if (k[W_LAW])
        ck_unavailable(ck, k[W_LAW]->name.range,
                       "a law for simultaneous contacts");
}

void
check_world(struct check *ck)
{
    const struct ast_item *seen = NULL;
    struct module *home = NULL;
    ck->m->world.policy = IMP_POLICY_STOP;
    for (struct module *m = ck->modules; m; m = m->next)
        for (size_t i = 0; i < m->others.n; i++) {
            const struct ast_item *it = m->others.v[i];
            static const char *const words[] = {"world"};
            if (it->kind == AST_KEY) {
                ck_error(ck, DIAG_E0303, it->name.range,
                         "a key stands in the block of a declaration");
                continue;
            }
            if (it->kind != AST_BLOCK)
                continue;
            if (!strcmp(it->name.text, "start") ||
                !strcmp(it->name.text, "observer")) {
                ck_unavailable(ck, it->name.range,
                               arena_printf(ck->arena, "`%s`", it->name.text));
                continue;
            }
            if (strcmp(it->name.text, "world")) {
                struct diag *d =
                    ck_error(ck, DIAG_E0305, it->name.range,
                             "there is no block `%s`", it->name.text);
                if (!ck_suggest(ck, d, it->name.range, it->name.text, words, 1))
                    CK_HELP(ck, d,
                            "a block without a name of its own is "
                            "world { ... }");
                continue;
            }
            if (seen && !ck->in->redefine) {
                struct diag *d = ck_error(ck, DIAG_E0304, it->name.range,
                                          "the world is described twice");
                CK_NOTE(ck, d, seen->name.range, "first here");
                continue;
            }
            seen = it;
            home = m;
        }
    if (seen)
        world(ck, home, seen);
    struct tm_vec *g = &ck->m->world.gravity;
    if (!g->n && ck->m->dim) {
        g->n = ck->m->dim;
        for (uint32_t i = 0; i < g->n; i++)
            g->e[i] = ex_num(ck->g, 0);
    }
}
