/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands: arguments and options against the command table, recorded
 * columns, what can be plotted and saved. Commands are checked in order, so
 * that each knows the records of those before it. */
#include <assert.h>
#include <string.h>

#include "check/commands/commands_priv.h"

/* Returns the rules that a command has beyond the table, or NULL. */
static const struct command_rules *
rules_of(enum imp_command_id id)
{
    static const struct command_rules *const rules[] = {
#define RULES_PLAIN(name) NULL
#define RULES_OWN(name) &command_rules_##name
#define COMMAND(name, args, avail, rules, traits, doc) RULES_##rules(name),
#include "abi/commands.def"
#undef RULES_PLAIN
#undef RULES_OWN
    };
    assert((unsigned)id < IMP_CMD_COUNT);
    return rules[id];
}

/* `compare` is asked of an impact. No other command is asked of a command. */
static bool
question(struct check *ck, enum imp_command_id id, const struct ast_item *it)
{
    const char *inner = it->name2.text;
    if (!imp_command_has(id, IMP_TRAIT_ASKED_OF_IMPACT) ||
        (inner && !strcmp(inner, "impact")))
        return true;
    struct diag *diag =
        inner
            ? check_error(ck, DIAG_E0416, it->name2.range,
                          "`compare` compares laws of impact, not `%s`", inner)
            : check_error(ck, DIAG_E0416, it->name.range,
                          "`compare` is asked of an impact");
    CHECK_HELP(ck, diag, "write compare impact %s",
               it->n_args ? expr_label(ck, it->args[0]) : "a, b");
    return false;
}

uint32_t
command_add(struct check *ck, const struct ast_item *it, struct decl *decl)
{
    assert(ck && it);
    const char *word = it->name.text;
    unsigned id = 0;
    while (id < IMP_CMD_COUNT &&
           strcmp(command_row((enum imp_command_id)id)->name, word))
        id++;
    const struct command_row *row = command_row((enum imp_command_id)id);
    if (!row) {
        check_error(ck, DIAG_E0403, it->name.range, "there is no command `%s`",
                    word);
    } else if (!row->available) {
        check_unavailable(ck, it->name.range,
                          arena_printf(ck->arena, "`%s`", word),
                          "`imp doc` lists what is");
    }
    if (!row || !row->available) {
        if (decl)
            decl->broken = true;
        return UINT32_MAX;
    }
    uint32_t count = (uint32_t)ck->lists.commands.n;
    APUSH(ck, &ck->lists.commands,
          (struct tm_command){.id = (enum imp_command_id)id,
                              .bound = decl ? decl->name : "",
                              .range = it->range});
    APUSH(ck, &ck->notes.records, (struct record){0});
    ck->progress.command = count;
    record_schema(ck, count);
    const struct command_rules *rules = rules_of((enum imp_command_id)id);
    if (!command_options(ck, count, rules, it) ||
        (rules && rules->options && !rules->options(ck, count, it)))
        ck->notes.records.v[count].broken = true;
    if (!question(ck, (enum imp_command_id)id, it) ||
        !command_arguments(ck, count, rules, it) ||
        (rules && rules->arguments && !rules->arguments(ck, count, it)))
        ck->notes.records.v[count].broken = true;
    record_sizes(ck, count, it->n_args);
    if (decl) {
        decl->index = count;
        if (!ck->lists.commands.v[count].n_fields && !decl->broken) {
            struct diag *diag =
                check_error(ck, DIAG_E0415, it->name.range,
                            "`%s` gives no result to bind", row->name);
            CHECK_HELP(ck, diag, "leave out `let %s =`", decl->name);
            decl->broken = true;
        }
    }
    ck->progress.command = (uint32_t)ck->lists.commands.n;
    return count;
}

void
check_commands(struct check *ck)
{
    assert(ck);
    for (size_t i = 0; i < ck->in->n_priors; i++) {
        struct tm_command c = *ck->in->priors[i].command;
        c.bound = ck->in->priors[i].bound;
        c.done = true;
        c.opts = NULL; /* of its arguments there is the text alone */
        c.n_opts = 0;
        APUSH(ck, &ck->lists.commands, c);
        APUSH(ck, &ck->notes.records, (struct record){0});
        if (*c.bound)
            scope_prior(ck, c.bound, (uint32_t)i);
    }
    ck->progress.command = (uint32_t)ck->lists.commands.n;
    for (size_t i = 0; i < ck->modules.main->others.n; i++) {
        const struct ast_item *it = ck->modules.main->others.v[i];
        if (it->kind == AST_COMMAND) {
            command_add(ck, it, NULL);
        } else if (it->kind == AST_LET) {
            struct decl *decl = scope_own(ck->modules.main, it->name.text);
            if (decl && decl->kind == DECL_RESULT &&
                (decl->item == it || ck->in->redefine))
                command_add(ck, it->command, decl);
        }
    }
}

void
commands_late(struct check *ck)
{
    assert(ck);
    for (unsigned id = 0; id < IMP_CMD_COUNT; id++) {
        const struct command_rules *rules = rules_of((enum imp_command_id)id);
        for (size_t i = 0; rules && rules->late && i < ck->lists.commands.n;
             i++)
            if (ck->lists.commands.v[i].id == id &&
                !ck->lists.commands.v[i].done)
                rules->late(ck, &ck->lists.commands.v[i]);
    }
}

/* Does a command that is still to be computed state this option? */
static bool
option_stated(const struct check *ck, enum imp_option_id id, const char *word)
{
    for (size_t i = 0; i < ck->lists.commands.n; i++) {
        const struct tm_command *of = &ck->lists.commands.v[i];
        for (size_t k = 0; k < of->n_opts; k++)
            if (of->opts[k].id == id &&
                (!word || (of->opts[k].val.kind == IMP_VAL_WORD &&
                           !strcmp(of->opts[k].val.text, word))))
                return true;
    }
    return false;
}

/* The first command of this kind that is still to be computed, or NULL. */
static const struct tm_command *
first_command(const struct check *ck, enum imp_command_id id)
{
    for (size_t i = 0; i < ck->lists.commands.n; i++)
        if (ck->lists.commands.v[i].id == id && !ck->lists.commands.v[i].done)
            return &ck->lists.commands.v[i];
    return NULL;
}

static bool
compliance_asked_for(const struct check *ck)
{
    const char *world = paradox_words[ck->m->world.paradox];
    return !strcmp(world, "compliant") || !strcmp(world, "branch") ||
           option_stated(ck, IMP_OPT_simulate_compliant, NULL) ||
           option_stated(ck, IMP_OPT_simulate_paradox, "compliant") ||
           option_stated(ck, IMP_OPT_simulate_paradox, "branch") ||
           first_command(ck, IMP_CMD_portrait) ||
           first_command(ck, IMP_CMD_resolvable) ||
           first_command(ck, IMP_CMD_painleve);
}

static bool
bonds_asked_for(const struct check *ck)
{
    return ck->m->world.impact_law == IMP_IMPACT_LZB ||
           option_stated(ck, IMP_OPT_impact_law, "lzb") ||
           first_command(ck, IMP_CMD_compare);
}

/* W0307: a run of nothing that moves, where a pattern of systems is declared,
 * but no system of it. */
static void
pattern_without_system(struct check *ck, const struct tm_command *run)
{
    bool moves = ck->lists.systems.n > 0;
    for (size_t i = 0; i < ck->lists.bodies.n; i++)
        moves |= !ck->lists.bodies.v[i].fixed;
    for (const struct decl *decl = ck->modules.main->first;
         decl && run && !moves; decl = decl->next) {
        if (decl->kind != DECL_SYSTEM || !decl->item->has_formals)
            continue;
        struct diag *diag =
            diag_add(ck->ds, DIAG_W0307, run->range,
                     "nothing moves in this run: `%s` is a pattern of systems, "
                     "and no system is made of it",
                     decl->name);
        CHECK_NOTE(ck, diag, decl->range, "declared here");
        CHECK_HELP(ck, diag,
                   "add one, with values of its parameters in the brackets: "
                   "system one : %s(...)",
                   decl->name);
        return;
    }
}

/* Are all entries the number 0, or is nothing stated? */
static bool
is_zero(const struct tm_vec *vector)
{
    for (uint32_t i = 0; i < vector->n; i++)
        if (!ex_is_num(vector->e[i], 0.0))
            return false;
    return true;
}

static bool
reads_time(struct check *ck, const struct tm_vec *vector)
{
    for (uint32_t i = 0; i < vector->n; i++)
        if (ex_depends(ck->g, vector->e[i], SYM_TIME, UINT32_MAX, UINT32_MAX))
            return true;
    return false;
}

/* May this body ever move of itself, or push another one? */
static bool
may_move(struct check *ck, const struct tm_body *body)
{
    const struct tm_start *start = &body->start;
    const expr *surface = body->shape.level_set;
    return !is_zero(&start->velocity) || !is_zero(&start->spin) ||
           !is_zero(&body->force) || !is_zero(&body->torque) ||
           reads_time(ck, &start->position) || reads_time(ck, &start->orient) ||
           (surface &&
            ex_depends(ck->g, surface, SYM_TIME, UINT32_MAX, UINT32_MAX));
}

/* W0309: bodies that have no speed at the start, no force and no weight. */
static void
nothing_moves(struct check *ck, const struct tm_command *run)
{
    bool moves = ck->lists.systems.n > 0 || ck->lists.rotors.n > 0 ||
                 !is_zero(&ck->m->world.gravity),
         free = false;
    for (size_t i = 0; i < ck->lists.bodies.n && !moves; i++) {
        moves = may_move(ck, &ck->lists.bodies.v[i]);
        free |= !ck->lists.bodies.v[i].fixed;
    }
    for (size_t i = 0; i < ck->lists.joints.n && !moves; i++)
        moves = !is_zero(&ck->lists.joints.v[i].rate);
    for (size_t i = 0; i < ck->lists.contacts.n && !moves; i++)
        moves = ck->lists.contacts.v[i].yields; /* may begin pressed in */
    if (!run || moves || !free || ck->ds->errors)
        return;
    struct diag *diag =
        diag_add(ck->ds, DIAG_W0309, run->range,
                 "nothing moves in this run: no body has a velocity, a spin, "
                 "a force or a torque, and the world states no gravity");
    CHECK_HELP(ck, diag, "bodies have weight where the world says so: %s",
               ck->m->dim == 2 ? "world { gravity = (0, -9.81) }"
                               : "world { gravity = (0, 0, -9.81) }");
}

void
commands_unread_keys(struct check *ck)
{
    assert(ck);
    pattern_without_system(ck, first_command(ck, IMP_CMD_simulate));
    nothing_moves(ck, first_command(ck, IMP_CMD_simulate));
    const struct tm_command *run = first_command(ck, IMP_CMD_simulate);
    const struct tm_command *hit =
        run ? run : first_command(ck, IMP_CMD_impact);
    bool yields = !run || compliance_asked_for(ck),
         bonds = !hit || bonds_asked_for(ck);
    for (size_t i = 0; i < ck->lists.contacts.n && !(yields && bonds); i++) {
        const struct tm_contact *c = &ck->lists.contacts.v[i];
        /* files that are used may be made for other questions */
        if (!hit || c->range.file != hit->range.file)
            continue;
        if (!yields && c->compliance.e) {
            struct diag *diag = diag_add(
                ck->ds, DIAG_W0302, c->compliance.range,
                "nothing asks for the compliance of `%s`: its impacts are "
                "rigid",
                c->name);
            CHECK_HELP(ck, diag,
                       "simulate { compliant = true } has it throughout, "
                       "paradox = compliant where rigid contacts leave the "
                       "motion open");
            yields = true;
        }
        const struct tm_num *bond =
            c->stiffness.e ? &c->stiffness : &c->exponent;
        if (!bonds && bond->e) {
            struct diag *diag =
                diag_add(ck->ds, DIAG_W0302, bond->range,
                         "nothing reads the %s of `%s`: its impacts are rigid",
                         c->stiffness.e ? "stiffness" : "exponent", c->name);
            CHECK_HELP(ck, diag,
                       "only world { law = lzb } and `compare` read it, beside "
                       "those of other contacts; a contact that yields has a "
                       "law: compliance = (1000 [N/m])*depth");
            bonds = true;
        }
    }
}
