/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Systems in generalised coordinates:
 *
 *   system rod(m, l) { coordinate X, theta  kinetic = ...  contact tip {..} }
 *   system box { coordinate X, Y  point P = (X, Y)  contact c : P | floor }
 *   system fall { coordinate h  let speed = h'  kinetic = speed^2/2 }
 *   system one : rod(1 [kg], 2 [m]) { start { theta = 1 } }
 *
 * A system with arguments is a pattern that is expanded by each instance, as
 * functions are; one without arguments is its own instance. Coordinates have
 * the dimensions that the formulas give them; energies and forces of one system
 * need only agree with one another. Families of contacts are written out here,
 * one contact per index. What depends on values (a singular mass matrix) is
 * found at set-up and on the way. */
#include <assert.h>
#include <string.h>

#include "check/model/system_priv.h"

const struct keydef system_keys[] = {
    {"kinetic", "kinetic energy in the coordinates and their rates"},
    {"potential", "potential energy in the coordinates (0)"},
    {"dissipation", "Rayleigh's function: half the power lost (0)"},
    {"force", "generalised forces, one per coordinate (0)"},
    {"mass", "mass matrix; with `force`, instead of the energies"},
    {"stiffness", "matrix K that adds q.K q/2 to the potential (0)"},
};
const size_t n_system_keys = sizeof system_keys / sizeof system_keys[0];

static const struct ast_item *
block_of(const struct system_work *work)
{
    return work->pattern->item;
}

/* -- declaring ------------------------------------------------------------ */

/* Finds the system that stands behind the colon of the declaration. NULL: an
 * error has been reported. */
static struct decl *
named(struct check *ck, struct decl *decl)
{
    const struct ast_expr *head = decl->item->head1;
    const struct ast_expr *callee = head->kind == AST_CALL ? head->a : head;
    struct decl *param = NULL;
    bool reported = false;
    if (callee->kind == AST_NAME) {
        const char *name = callee->name.text;
        param = scope_find(ck, decl->module, name, WANT_SYSTEM, callee->range,
                           &reported);
        if (!param && !reported)
            param = scope_find(ck, decl->module, name, WANT_ANY, callee->range,
                               &reported);
        if (!param && !reported) {
            struct env env = {.module = decl->module};
            scope_unknown(ck, &env, name, callee->range, WANT_SYSTEM);
        }
    } else if (callee->kind == AST_FIELD && callee->a->kind == AST_NAME) {
        param = scope_member(ck, decl->module, callee, WANT_SYSTEM);
    } else {
        check_error(ck, DIAG_E0360, head->range,
                    "what follows the colon is a pattern, as in system %s : "
                    "feet(4, 0.3, 0.1)",
                    decl->name);
    }
    if (param && param->kind == DECL_OTHER)
        return NULL;
    if (param && param->kind != DECL_SYSTEM) {
        struct diag *diag =
            check_error(ck, DIAG_E0360, head->range,
                        "`%s` is a %s, not a pattern of a system", param->name,
                        decl_kind_name(param->kind));
        CHECK_NOTE(ck, diag, param->range, "declared here");
        CHECK_HELP(ck, diag, "as in system %s : rod(1, 2) { start { ... } }",
                   decl->name);
        return NULL;
    }
    return param;
}

static void add_start(struct check *ck, struct system_work *work,
                      const struct decl *decl, struct env *args);

/* Finds the pattern whose block is meant, and puts its arguments into w->args.
 * `head` may name a system that stands for another one; the starts of all of
 * them are collected, the innermost first. False: an error has been reported.
 */
static bool
resolve(struct check *ck, struct system_work *work, struct decl *decl,
        struct env *caller)
{
    if (!decl->item->head1) {
        work->pattern = decl;
        work->args = caller;
        decl->state = DECL_DONE;
        return true;
    }
    if (decl->state == DECL_BUSY) {
        struct diag *diag =
            check_error(ck, DIAG_E0360, decl->item->head1->range,
                        "the system `%s` stands for itself", decl->name);
        CHECK_HELP(ck, diag,
                   "one of them has a block of its own: coordinates, kinetic, "
                   "contacts");
        decl->broken = true;
        return false;
    }
    struct decl *param = named(ck, decl);
    if (!param)
        return false;
    const struct ast_item *it = param->item;
    struct env *args = NEW(ck->arena, struct env);
    if (!call_bind(ck, param, it->formals, it->n_formals, decl->item->head1,
                   caller, args))
        return false;
    decl->state = DECL_BUSY;
    bool ok = resolve(ck, work, param, args);
    decl->state = DECL_DONE;
    if (ok && param->item->head1)
        add_start(ck, work, param, args);
    return ok;
}

static void
not_in_system(struct check *ck, const struct ast_item *it)
{
    if (it->kind == AST_PARAM) {
        struct diag *param =
            check_error(ck, DIAG_E0361, it->head.file ? it->head : it->range,
                        "a param stands outside the block of a system");
        CHECK_HELP(ck, param,
                   "write `param %s = ...` above the system, whose formulas "
                   "know it there; a value that stays is `let %s = ...` here",
                   it->name.text, it->name.text);
        return;
    }
    struct diag *diag =
        check_error(ck, DIAG_E0361, it->head.file ? it->head : it->range,
                    "this cannot stand in the block of a system");
    CHECK_HELP(
        ck, diag,
        "a system has coordinates, points, lets, energies or forces, contacts "
        "with a `gap`, observer { ... }, draw { ... } and start { ... }");
}

/* Declares coordinates, or the variables of an observer. */
static void
add_coordinates(struct check *ck, struct system_work *work,
                struct tm_system *system, const struct ast_item *it,
                bool observer)
{
    for (size_t i = 0; i < it->n_names; i++) {
        const struct ast_name *name = &it->names[i];
        bool twice = false;
        for (uint32_t k = system->first;
             k < system->first + system->n + system->n_observer; k++)
            if (!strcmp(ck->lists.coordinates.v[k].name, name->text)) {
                struct diag *diag =
                    check_error(ck, DIAG_E0362, name->range,
                                "the coordinate `%s` is declared "
                                "twice",
                                name->text);
                CHECK_NOTE(ck, diag, ck->lists.coordinates.v[k].range,
                           "first here");
                twice = true;
            }
        for (size_t k = 0; k < work->args->n; k++)
            if (!strcmp(work->args->names[k], name->text)) {
                struct diag *diag =
                    check_error(ck, DIAG_E0103, name->range,
                                "the coordinate `%s` has the name of "
                                "an argument",
                                name->text);
                CHECK_HELP(ck, diag, "give one of them another name");
                twice = true;
            }
        if (name_is_reserved(name->text)) {
            check_error(ck, DIAG_E0105, name->range,
                        "`%s` cannot be declared: it is %s", name->text,
                        !strcmp(name->text, "t") ? "time, everywhere"
                                                 : "a constant");
            twice = true;
        }
        work->broken |= twice;
        if (twice)
            continue;
        struct tm_coordinate c = {.name = name->text,
                                  .unit = "",
                                  .rate_unit = "",
                                  .range = name->range};
        c.start.e = c.start_rate.e = ex_num(ck->g, 0);
        c.start.range = c.start_rate.range = name->range;
        APUSH(ck, &ck->lists.coordinates, c);
        APUSH(ck, &ck->notes.coordinate_dims, dim_fresh(ck->dims, name->range));
        system->n += !observer;
        system->n_observer += observer;
    }
}

static void
add_observer(struct check *ck, struct system_work *work,
             struct tm_system *system, const struct ast_item *it)
{
    system->range_observer = it->name.range;
    APUSH(ck, &work->observers, it);
    for (size_t i = 0; i < it->n_block; i++)
        if (it->block[i]->kind == AST_COORDINATE)
            add_coordinates(ck, work, system, it->block[i], true);
}

/* Brings the coordinates into the scope of the system's formulas. */
static void
open_scope(struct check *ck, struct system_work *work,
           const struct tm_system *system)
{
    uint32_t count = system->n + system->n_observer;
    work->env = (struct env){
        .up = work->args,
        .module = work->pattern->module,
        .names = NEW_N(ck->arena, const char *, count + work->named.n + 1),
        .vals = NEW_N(ck->arena, struct value, count + work->named.n + 1),
        .n = count,
        .system = true};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = system->first + i;
        work->env.names[i] = ck->lists.coordinates.v[k].name;
        work->env.vals[i] = value_num(ck, ex_sym(ck->g, SYM_COORD, k, 0),
                                      ck->notes.coordinate_dims.v[k],
                                      ck->lists.coordinates.v[k].range);
    }
}

static void
add_contacts(struct check *ck, struct system_work *work, uint32_t system,
             const struct ast_item *it)
{
    struct member member = {.item = it,
                            .first = (uint32_t)ck->lists.contacts.n,
                            .count = 1,
                            .family = it->index.text != NULL};
    for (size_t i = 0; i < work->members.n; i++)
        if (!strcmp(work->members.v[i].item->name.text, it->name.text)) {
            struct diag *diag =
                check_error(ck, DIAG_E0103, it->name.range,
                            "`%s` is declared twice", it->name.text);
            CHECK_NOTE(ck, diag, work->members.v[i].item->name.range,
                       "first declared here, as a contact");
            work->broken = true;
            return;
        }
    if (!system_names(ck, work, &ck->lists.systems.v[system], it)) {
        work->broken = true;
        return;
    }
    if (member.family && !family_range(ck, work->args, it, &member.lo,
                                       &member.count, &member.open)) {
        work->broken = true;
        return;
    }
    const char *owner = ck->lists.systems.v[system].name;
    for (uint32_t i = 0; i < member.count; i++) {
        struct tm_contact c = {.doc = it->doc ? it->doc : "",
                               .range = it->name.range,
                               .body = {IMP_WORLD, IMP_WORLD},
                               .gap_unit = "",
                               .system = 1 + system};
        c.name = member.family
                     ? arena_printf(ck->arena, "%s.%s[%d]", owner,
                                    it->name.text, member.lo + (int)i)
                     : arena_printf(ck->arena, "%s.%s", owner, it->name.text);
        APUSH(ck, &ck->lists.contacts, c);
    }
    APUSH(ck, &work->members, member);
}

/* Collects the keys of the pattern's block alone. */
static void
collect_keys(struct check *ck, struct system_work *work)
{
    struct ast_item only = *block_of(work);
    only.block = NEW_N(ck->arena, struct ast_item *, only.n_block + 1);
    only.n_block = 0;
    only.n_names = 0;
    for (size_t i = 0; i < block_of(work)->n_block; i++) {
        struct ast_item *item = block_of(work)->block[i];
        if (item->kind == AST_KEY)
            only.block[only.n_block++] = item;
        else if (item->kind == AST_COORDINATE)
            only.n_names += item->n_names;
    }
    /* for messages: keys that are coordinates */
    only.names = NEW_N(ck->arena, struct ast_name, only.n_names + 1);
    only.n_names = 0;
    for (size_t i = 0; i < block_of(work)->n_block; i++) {
        const struct ast_item *item = block_of(work)->block[i];
        for (size_t k = 0; item->kind == AST_COORDINATE && k < item->n_names;
             k++)
            only.names[only.n_names++] = item->names[k];
    }
    work->misnamed = !block_keys(ck, &only, system_keys, n_system_keys,
                                 "system", work->keys);
}

/* Reads start { ... } in a block that has nothing else. Its values may use
 * `args`. */
static void
add_start(struct check *ck, struct system_work *work, const struct decl *decl,
          struct env *args)
{
    for (size_t i = 0; i < decl->item->n_block; i++) {
        const struct ast_item *item = decl->item->block[i];
        if (item->kind == AST_BLOCK && !strcmp(item->name.text, "start")) {
            APUSH(ck, &work->starts, (struct start_block){item, args});
            continue;
        }
        struct diag *e = check_error(ck, DIAG_E0361,
                                     item->head.file ? item->head : item->range,
                                     "an instance has start { ... } only");
        CHECK_NOTE(ck, e, work->pattern->range,
                   "everything else is in the pattern");
    }
}

static void
declare_items(struct check *ck, struct system_work *work, uint32_t system)
{
    const struct ast_item *block = block_of(work);
    struct tm_system *typed_system = &ck->lists.systems.v[system];
    for (size_t i = 0; i < block->n_block; i++)
        if (block->block[i]->kind == AST_COORDINATE)
            add_coordinates(ck, work, typed_system, block->block[i], false);
    for (size_t i = 0; i < block->n_block; i++)
        if (block->block[i]->kind == AST_BLOCK &&
            !strcmp(block->block[i]->name.text, "observer"))
            add_observer(ck, work, typed_system, block->block[i]);
    typed_system->contact = (uint32_t)ck->lists.contacts.n;
    for (size_t i = 0; i < block->n_block; i++) {
        const struct ast_item *item = block->block[i];
        if (item->kind == AST_BLOCK && !strcmp(item->name.text, "start"))
            APUSH(ck, &work->own_starts,
                  (struct start_block){item, work->args});
        else if (item->kind == AST_BLOCK &&
                 !strcmp(item->name.text, "observer"))
            continue;
        else if (item->kind == AST_BLOCK && !strcmp(item->name.text, "draw") &&
                 !work->draw)
            work->draw = item;
        else if (item->kind == AST_CONTACT)
            add_contacts(ck, work, system, item);
        else if ((item->kind == AST_POINT && !item->name2.text) ||
                 (item->kind == AST_LET && !item->command))
            system_name_declare(ck, work, typed_system, item);
        else if (item->kind != AST_KEY && item->kind != AST_COORDINATE) {
            not_in_system(ck, item);
            if (item->kind == AST_PARAM) /* its name is no second mistake */
                system_name_declare(ck, work, typed_system, item);
        }
    }
    ck->lists.systems.v[system].n_contact =
        (uint32_t)ck->lists.contacts.n - ck->lists.systems.v[system].contact;
    collect_keys(ck, work);
}

static void
declare_one(struct check *ck, struct decl *decl, bool open)
{
    struct system_work work = {.decl = decl, .pattern = decl, .open = open};
    struct env *caller = NEW(ck->arena, struct env);
    struct frame frame;
    *caller = (struct env){.module = decl->module};
    if (open)
        call_open(ck, decl, decl->item->formals, decl->item->n_formals, caller);
    if (!resolve(ck, &work, decl, caller)) {
        decl->broken = true;
        return;
    }
    if (decl != work.pattern && !open) {
        struct env *own = NEW(ck->arena, struct env);
        *own = (struct env){.module = decl->module};
        add_start(ck, &work, decl, own);
    }
    uint32_t index = (uint32_t)ck->lists.systems.n;
    struct tm_system s = {.name = decl->name,
                          .doc = decl->item->doc ? decl->item->doc : "",
                          .range = decl->range,
                          .first = (uint32_t)ck->lists.coordinates.n,
                          .energy_unit = ""};
    APUSH(ck, &ck->lists.systems, s);
    work.energy = dim_fresh(ck->dims, decl->range);
    if (!call_enter(ck, work.pattern,
                    decl->item->head1 ? decl->item->head1->range : IMP_NOWHERE,
                    &frame))
        work.broken = true;
    else {
        declare_items(ck, &work, index);
        call_leave(ck, &frame);
    }
    if (ck->lists.systems.v[index].n == 0 && !work.broken) {
        struct diag *diag = check_error(ck, DIAG_E0362, work.pattern->range,
                                        "the system `%s` has no coordinate",
                                        work.pattern->name);
        CHECK_HELP(ck, diag, "name them: coordinate X, theta");
        work.broken = true;
    }
    decl->index = index;
    decl->broken |= work.broken;
    APUSH(ck, &ck->notes.systems, work);
}

void
systems_declare(struct check *ck)
{
    assert(ck);
    for (struct module *module = ck->modules.first; module;
         module = module->next)
        for (struct decl *decl = module->first; decl; decl = decl->next)
            if (decl->kind == DECL_SYSTEM && !decl->item->has_formals)
                declare_one(ck, decl, false);
    for (size_t i = 0; i < ck->notes.systems.n; i++)
        open_scope(ck, &ck->notes.systems.v[i], &ck->lists.systems.v[i]);
}

/* -- checking ------------------------------------------------------------- */

static void
system_one(struct check *ck, uint32_t i)
{
    struct system_work *work = &ck->notes.systems.v[i];
    uint32_t index = work->decl->index;
    struct tm_system system = ck->lists.systems.v[index];
    struct frame frame;
    if (work->broken ||
        !call_enter(ck, work->pattern,
                    work->decl->item->head1 ? work->decl->item->head1->range
                                            : IMP_NOWHERE,
                    &frame))
        return;
    ck->notes.formulas = &work->env;
    system_named_values(ck, work, &system);
    system_formulas(ck, work, &system);
    system_observers(ck, work, &system);
    system_drawings(ck, work, &system);
    call_leave(ck, &frame);
    ck->notes.formulas = NULL;
    system_starts(ck, work, &system);
    ck->lists.systems.v[index] = system;
}

void
check_systems(struct check *ck)
{
    assert(ck);
    for (uint32_t i = 0; i < ck->notes.systems.n; i++)
        system_one(ck, i);
    ck->progress.gaps = true;
    for (uint32_t i = 0; i < ck->lists.coordinates.n; i++) {
        struct tm_coordinate *c = &ck->lists.coordinates.v[i];
        const struct dim *dim = ck->notes.coordinate_dims.v[i];
        APUSH(ck, &ck->notes.units,
              (struct pending){.unit = &c->unit, .dim = dim});
        APUSH(ck, &ck->notes.units,
              (struct pending){
                  .unit = &c->rate_unit,
                  .dim = dim_mul(ck->dims, dim, dim_mks(ck->dims, 0, 0, -1))});
    }
    for (size_t i = 0; i < ck->notes.systems.n; i++)
        APUSH(
            ck, &ck->notes.units,
            (struct pending){
                .unit = &ck->lists.systems.v[ck->notes.systems.v[i].decl->index]
                             .energy_unit,
                .dim = ck->notes.systems.v[i].energy});
}

/* Checks a pattern by itself: its arguments have no values yet, and nothing of
 * it stays in the model. */
static void
pattern_alone(struct check *ck, struct decl *decl)
{
    size_t coordinates = ck->lists.coordinates.n,
           dims = ck->notes.coordinate_dims.n;
    size_t systems = ck->lists.systems.n, works = ck->notes.systems.n;
    size_t contacts = ck->lists.contacts.n, pending = ck->notes.units.n;
    size_t draws = ck->lists.draws.n;
    declare_one(ck, decl, true);
    if (ck->notes.systems.n > works) {
        open_scope(ck, &ck->notes.systems.v[works],
                   &ck->lists.systems.v[systems]);
        system_one(ck, (uint32_t)works);
    }
    decl->index = UINT32_MAX;
    ck->lists.coordinates.n = coordinates;
    ck->notes.coordinate_dims.n = dims;
    ck->lists.systems.n = systems;
    ck->notes.systems.n = works;
    ck->lists.contacts.n = contacts;
    ck->lists.draws.n = draws;
    ck->notes.units.n = pending;
}

void
systems_done(struct check *ck)
{
    assert(ck);
    for (struct module *module = ck->modules.first; module;
         module = module->next)
        for (struct decl *decl = module->first; decl && !module->library;
             decl = decl->next)
            if (decl->kind == DECL_SYSTEM && decl->item->has_formals &&
                decl->state == DECL_NEW)
                pattern_alone(ck, decl);
    /* A coordinate whose dimension nothing has determined is a pure number. */
    for (size_t i = 0; i < ck->notes.coordinate_dims.n; i++)
        if (!dim_known(ck->dims, ck->notes.coordinate_dims.v[i]))
            dim_unify(ck->dims, ck->notes.coordinate_dims.v[i],
                      dim_pure(ck->dims), ck->lists.coordinates.v[i].range);
}
