/* SPDX-License-Identifier: MIT */
/* `simulate { paradox = branch }`: where friction leaves the motion open,
 * the run goes on in every way that is possible. Each way is a run of its
 * own from the start, which takes the same ways as the one before it and then
 * this one, so that all of them have the bits of single runs; what they have in
 * common is recorded once. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/engines/branches.h"
#include "base/arena.h"
#include "runtime/friction/paradox.h"
#include "runtime/setup/new_run.h"

/* Branches are followed up to this many, and through so many forks. */
#define BRANCHES_MOST 64
#define FORKS_MOST 16

struct branch {
    struct simulation *sim;
    const char *name;
    int take[FORKS_MOST], forks, parent;
    size_t row, event, verdict; /* the first ones of its own */
    double begins, ends;
};
struct tree {
    struct branch branch[BRANCHES_MOST];
    int n;
    bool cut;  /* there were more */
    int st;    /* of the first run that failed */
    bool open; /* a branch stopped although nothing branched there */
};

/* One run, which takes the ways of the branch. */
static int
follow(struct tree *tree, struct branch *branch, struct paradox_forks *forks)
{
    struct rt *run = branch->sim->run;
    *forks = (struct paradox_forks){.take = branch->take, .n = branch->forks};
    run->forks = forks;
    int st = branch->parent >= 0 ? simulation_prepare(branch->sim) : IMP_OK;
    if (!st)
        st = simulation_by_series(branch->sim);
    run->forks = NULL;
    simulate_repeat_rows(branch->sim);
    branch->ends = rt_time(run);
    branch->sim->reached = branch->ends;
    tree->open |= branch->sim->stopped && forks->ways == 0;
    return st;
}

/* How many rows, events and verdicts two runs have in common. */
static void
common(struct branch *branch, const struct branch *parent)
{
    const struct simulation *a = branch->sim, *b = parent->sim;
    size_t width = a->rows.width, rows = 0, events = 0;
    while (rows < a->rows.time.n && rows < b->rows.time.n &&
           a->rows.time.v[rows] == b->rows.time.v[rows] &&
           (width == 0 ||
            !memcmp(a->rows.values.v + rows * width,
                    b->rows.values.v + rows * width, width * sizeof(double))))
        rows++;
    while (events < a->log.time.n && events < b->log.time.n &&
           a->log.time.v[events] == b->log.time.v[events] &&
           a->log.number.v[events] == b->log.number.v[events] &&
           !strcmp(a->log.kind.v[events], b->log.kind.v[events]))
        events++;
    while (branch->verdict < a->verdicts.time.n &&
           branch->verdict < b->verdicts.time.n &&
           a->verdicts.time.v[branch->verdict] ==
               b->verdicts.time.v[branch->verdict])
        branch->verdict++;
    branch->row = rows ? rows - 1 : 0; /* it begins where they part */
    branch->event = events;
}

/* Follows branch number i, and adds the branches that it ends in. */
static int
grow(struct tree *tree, int i, struct analysis *analysis,
     const imp_command *command)
{
    struct branch *branch = &tree->branch[i];
    struct arena *arena = record_arena(analysis);
    struct paradox_forks forks;
    if (i > 0)
        rt_reset(analysis->rt);
    int st = follow(tree, branch, &forks);
    if (branch->parent >= 0 && branch->sim->begun)
        common(branch, &tree->branch[branch->parent]);
    if (st)
        return st;
    tree->cut |= forks.ways > 0 && branch->forks == FORKS_MOST;
    for (int k = 0; k < forks.ways && branch->forks < FORKS_MOST; k++) {
        if (tree->n == BRANCHES_MOST) {
            tree->cut = true;
            break;
        }
        struct branch *next = &tree->branch[tree->n++];
        *next = *branch;
        next->sim = simulation_new(analysis, command);
        next->sim->next = tree->branch[0].sim->next;
        tree->branch[0].sim->next = next->sim; /* so that it is given back */
        next->take[next->forks++] = k;
        next->parent = i;
        next->verdict = 0;
        next->begins = branch->ends;
        next->name =
            i ? arena_printf(arena, "%s/%s", branch->name, forks.name[k])
              : forks.name[k];
    }
    return IMP_OK;
}

/* Appends what the branches have of their own to the run of the root. */
static void
gather(struct tree *tree)
{
    struct simulation *root = tree->branch[0].sim;
    root->log.tallies = NULL; /* the summary is of what is listed */
    for (int i = 1; i < tree->n; i++) {
        struct branch *branch = &tree->branch[i];
        const struct simulation *sim = branch->sim;
        size_t row = root->rows.time.n, event = root->log.time.n;
        for (size_t r = branch->row; r < sim->rows.time.n; r++) {
            VEC_PUSH(&root->rows.time, sim->rows.time.v[r]);
            for (size_t k = 0; k < sim->rows.width; k++)
                VEC_PUSH(&root->rows.values,
                         sim->rows.values.v[r * sim->rows.width + k]);
        }
        for (size_t e = branch->event; e < sim->log.time.n; e++) {
            VEC_PUSH(&root->log.time, sim->log.time.v[e]);
            VEC_PUSH(&root->log.kind, sim->log.kind.v[e]);
            VEC_PUSH(&root->log.class, sim->log.class.v[e]);
            VEC_PUSH(&root->log.contact, sim->log.contact.v[e]);
            VEC_PUSH(&root->log.number, sim->log.number.v[e]);
            VEC_PUSH(&root->log.impulse, sim->log.impulse.v[e]);
        }
        for (size_t w = 0; w < sim->log.remarks.n; w++) {
            bool told = false;
            for (size_t v = 0; v < root->log.remarks.n && !told; v++)
                told = !strcmp(root->log.remarks.v[v], sim->log.remarks.v[w]);
            if (!told)
                VEC_PUSH(&root->log.remarks, sim->log.remarks.v[w]);
        }
        simulate_add_verdicts(root, sim, branch->verdict);
        branch->row = row;
        branch->event = event;
    }
}

static void
put_tree(struct analysis *analysis, const struct tree *tree, struct record *out)
{
    struct arena *arena = record_arena(analysis);
    size_t n = (size_t)tree->n;
    const char **name = NEW_N(arena, const char *, n + 1);
    double *begins = NEW_N(arena, double, 5 * n + 1), *ends = begins + n,
           *parent = ends + n, *row = parent + n, *event = row + n;
    for (size_t i = 0; i < n; i++) {
        const struct branch *branch = &tree->branch[i];
        name[i] = branch->name;
        begins[i] = branch->begins;
        ends[i] = branch->ends;
        parent[i] = branch->parent;
        row[i] = (double)branch->row;
        event[i] = (double)branch->event;
    }
    SET_TEXTS("branches", name, n);
    SET_LIST("branch_times", begins, n);
    SET_LIST("branch_ends", ends, n);
    SET_LIST("branch_parents", parent, n);
    SET_LIST("branch_rows", row, n);
    SET_LIST("branch_events", event, n);
}

int
simulate_branches(struct simulation *sim, struct record *out)
{
    assert(sim != NULL && out != NULL);
    struct analysis *analysis = sim->analysis;
    struct tree *tree = NEW(analysis->rt->arena, struct tree);
    tree->branch[0] = (struct branch){.sim = sim, .name = "root", .parent = -1};
    tree->n = 1;
    int st = IMP_OK;
    double reached = 0.0;
    for (int i = 0; i < tree->n && !st; i++) {
        st = grow(tree, i, analysis, sim->command);
        reached = fmax(reached, tree->branch[i].ends);
    }
    if (!st) {
        sim->stopped = tree->open;
        if (tree->cut)
            simulate_remark(sim, "there are more branches than are followed "
                                 "(64, through 16 forks)");
        gather(tree);
        put_tree(analysis, tree, out);
    }
    st = simulation_put(sim, out, st);
    if (!st)
        SET_NUM("time", reached);
    return st;
}

void
branches_put_none(struct record *out)
{
    static const char *const lists[] = {"branch_times", "branch_ends",
                                        "branch_parents", "branch_rows",
                                        "branch_events"};
    SET_TEXTS("branches", NULL, 0);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        SET_LIST(lists[i], NULL, 0);
}
