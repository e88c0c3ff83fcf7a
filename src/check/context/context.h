/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the checker. One struct check lives for one check_model call.
 *
 *   scope.c   modules (files), their declarations, look-up of names
 *   value.c   kinds of values, agreement of dimensions, their messages
 *   units.c   unit names and unit expressions
 *   expr.c    AST expression -> value (graph nodes with one dimension)
 *   arith.c   sums, quotients, powers, comparisons, choice
 *   func.c    functions that are built in; linalg.c: vectors and matrices
 *   mixed.c   values whose entries have dimensions of their own
 *   screw.c   twists, wrenches, lines; M, Q, S, U, G of bodies and joints
 *   carry.c   what is given in world axes at the start, where it is now
 *   series.c  time derivatives and series along the motion
 *   call.c    user functions: binding of arguments, expansion, recursion
 *   decl.c    params, lets, functions, shapes: each definition by itself
 *   body.c, contact.c, joint.c, world.c   what their names say
 *   system.c, system_formula.c, system_value.c  generalised coordinates
 *   result.c  results of commands, their fields and slots
 *   command.c commands and options
 *   sweep.c   options of `sweep`
 *   model.c   check_model: the order of all this
 *   doc.c     check_doc, check_names
 *
 * A wrong expression yields V_POISON, which every operation passes on without
 * a word, so one mistake gives one diagnostic. */
#ifndef IMP_CHECK_PRIV_H
#define IMP_CHECK_PRIV_H

#include "base/arena.h"
#include "check/context/check_input.h"
#include "check/context/typed_model.h"
#include "check/values/dim.h"

/* growable arrays in the check's arena (an allocation may longjmp) */
#define APUSH(ck, vec, ...)                                                    \
    do {                                                                       \
        if ((vec)->n == (vec)->cap) {                                          \
            size_t cap_ = (vec)->cap ? 2 * (vec)->cap : 8;                     \
            void *v_ = arena_alloc((ck)->arena, cap_ * sizeof *(vec)->v);      \
            if ((vec)->n)                                                      \
                memcpy(v_, (vec)->v, (vec)->n * sizeof *(vec)->v);             \
            (vec)->v = v_;                                                     \
            (vec)->cap = cap_;                                                 \
        }                                                                      \
        (vec)->v[(vec)->n++] = (__VA_ARGS__);                                  \
    } while (0)

/* -- values --------------------------------------------------------------- */

enum vkind {
    V_POISON, /* an error has been reported */
    V_ANY,    /* formal of a definition checked by itself: only dim is known */
    V_NUM,    /* rows x cols numbers of one dimension, or of their own (dims) */
    V_TRUTH,  /* one node, 0 or 1 */
    V_TEXT,
    V_LIST,    /* numbers of one dimension: range, linspace */
    V_BODY,    /* ref */
    V_CONTACT, /* ref */
    V_SYSTEM,  /* ref */
    V_FAMILY,  /* contacts of a system: ref: the first, rows: how many, cols:
                  index of the first */
    V_RESULT,  /* ref: command */
    V_FIELD    /* ref: command, field: of a kind that is no number */
};
struct value {
    enum vkind kind;
    uint32_t rows, cols;
    const expr **e;
    const struct dim *dim;
    bool bare; /* made of bare literals: as a whole of any dimension */
    /* entries with dimensions of their own (mixed.c), else NULL; then `dim`
     * means nothing. An entry NULL: an exact 0, of any dimension */
    const struct dim **dims;
    /* series(): entry k has this dimension over s^k; the whole is pure */
    const struct dim *series;
    uint32_t ref, field;
    const char *text;
    imp_range range;
};

/* -- names ---------------------------------------------------------------- */

enum decl_kind {
    D_PARAM,
    D_LET,
    D_RESULT,
    D_FN,
    D_SHAPE,
    D_BODY,
    D_CONTACT,
    D_JOINT,
    D_SYSTEM, /* index: UINT32_MAX for one with arguments, a pattern */
    D_OTHER   /* not available in this build */
};
struct module;
struct decl {
    enum decl_kind kind;
    const char *name;
    imp_range range; /* of the name */
    const struct ast_item *item;
    struct module *module;
    enum { DECL_NEW, DECL_BUSY, DECL_DONE } state;
    bool broken;               /* an error in it has been reported */
    struct value val;          /* PARAM, LET */
    uint32_t index;            /* PARAM, BODY, CONTACT, RESULT: in the model;
                                  UINT32_MAX: not there (yet) */
    struct decl *next, *chain; /* in order; in the bucket */
};
struct module_use {
    struct module *module;
    const char *name; /* library name or NULL */
    imp_range range;
};
#define SCOPE_BUCKETS 128
struct module {
    const char *name; /* "shapes" for libraries, else the file's name */
    const char *path; /* canonical path; NULL for a library */
    bool library, loading;
    imp_range use_range; /* of the `use` that loads it now */
    struct decl *first, *last;
    struct decl *bucket[SCOPE_BUCKETS];
    struct {
        struct module_use *v;
        size_t n, cap;
    } uses;
    struct {
        const struct ast_item **v;
        size_t n, cap;
    } others; /* world ... */
    struct module *next;
};
/* local names: formals of an expansion */
struct env {
    const struct env *up;
    struct module *module;
    const char **names;
    struct value *vals;
    size_t n;
    bool coords; /* x, y, z are the coordinates of a shape */
    bool system; /* inside a system: `'` is taken on the graph */
    enum env_part {
        PART_NONE,
        PART_EQUATION, /* of an observer: accelerations may stand here */
        PART_JUMP,     /* of an observer: before, after, jump */
        PART_START     /* random */
    } part;
    bool calm;         /* commands: results may be read */
    uint32_t question; /* 1 + a command: fields of its record are names */
};

struct seen {
    enum diag_code code;
    imp_range range;
    struct seen *next;
};
/* an open expansion or evaluation, for cycles */
struct frame {
    struct decl *decl;
    imp_range call;
    struct frame *up;
};

struct check {
    const struct check_input *in;
    struct arena *arena;
    struct graph *g;
    struct dims *dims;
    struct diags *ds;
    struct tm_model *m;
    bool placed; /* bodies and contacts are known by number */
    bool joined; /* joints are known */
    bool gaps;   /* gaps of systems are known */
    struct module *main, *modules, *modules_last;
    struct env top; /* of the main module */
    struct seen *seen[64];
    struct frame *frames;
    unsigned depth; /* of recursion */
    uint64_t steps; /* inside expansions, against blow-up */
    uint32_t expanding;
    bool spent;   /* the limit has been reported */
    uint32_t now; /* number of the command being checked */
    struct {
        struct tm_param *v;
        size_t n, cap;
    } params;
    struct {
        struct decl **v;
        size_t n, cap;
    } param_decls;
    struct {
        struct tm_body *v;
        size_t n, cap;
    } bodies;
    struct {
        struct decl **v;
        size_t n, cap;
    } body_decls;
    struct {
        struct tm_contact *v;
        size_t n, cap;
    } contacts;
    struct {
        struct tm_joint *v;
        size_t n, cap;
    } joints;
    struct {
        struct tm_coordinate *v;
        size_t n, cap;
    } coordinates;
    struct {
        struct tm_draw *v;
        size_t n, cap;
    } draws;
    struct {
        const struct dim **v;
        size_t n, cap;
    } coordinate_dims;
    struct {
        struct tm_system *v;
        size_t n, cap;
    } systems;
    struct {
        struct system_work *v;
        size_t n, cap;
    } system_works; /* system.c */
    struct {
        struct tm_command *v;
        size_t n, cap;
    } commands;
    struct {
        struct tm_slot *v;
        size_t n, cap;
    } slots;
    struct {
        struct tm_series *v;
        size_t n, cap;
    } series;
    struct {
        struct record *v;
        size_t n, cap;
    } records; /* per command */
    struct {
        struct pending *v;
        size_t n, cap;
    } pending;
    struct body_work *work; /* body.c */
};
/* a unit's text that is written when all dimensions are known */
struct pending {
    const char **unit;
    const struct dim *dim;
    const struct dim **dims; /* n of them: one unit each (abi/image.h) */
    size_t n;
};
struct body_work;
struct option_row;
/* what simulate recorded, to find plotted expressions again */
struct record_dim { /* of a column: one, or one per entry */
    const struct dim *all, **own;
    size_t n;
};
struct record {
    const struct tm_val *columns;
    const struct record_dim *dims; /* of each column */
    size_t n;
    bool broken;
};

/* diagnostics; the same code at the same range is reported once (a definition
 * is checked by itself and at each use). Never NULL. */
struct diag *ck_error(struct check *ck, enum diag_code code, imp_range range,
                      const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
#define CK_NOTE(ck, d, ...) diag_note((ck)->ds, (d), __VA_ARGS__)
#define CK_HELP(ck, d, ...) diag_help((ck)->ds, (d), __VA_ARGS__)
#define CK_LABEL(ck, d, ...) diag_label((ck)->ds, (d), __VA_ARGS__)
/* "X is not available in this build" */
void ck_unavailable(struct check *ck, imp_range range, const char *what);
/* help from the nearest candidate; false if none is near */
bool ck_suggest(struct check *ck, struct diag *d, imp_range range,
                const char *word, const char *const *names, size_t n);
/* help: the contacts of the model, or how one is declared */
void ck_help_contacts(struct check *ck, struct diag *d);
/* "a, b and c" */
const char *ck_join(struct check *ck, const char *const *names, size_t n,
                    const char *word);
/* source text of an expression on one line */
const char *ck_label(struct check *ck, const struct ast_expr *e);

/* -- scope.c -------------------------------------------------------------- */

/* reads all files of the input and what they use */
void scope_load(struct check *ck);
/* all libraries, also those not in use (documentation) */
void scope_libraries(struct check *ck);
enum want { WANT_VALUE, WANT_CALL, WANT_SYSTEM, WANT_ANY };
/* makes a result of an earlier turn (REPL) known */
void scope_prior(struct check *ck, const char *name, uint32_t command);
/* the declaration a name means in a module, or NULL. *reported: an error
 * (ambiguity) has been given. */
struct decl *scope_find(struct check *ck, struct module *m, const char *name,
                        enum want want, imp_range range, bool *reported);
/* a name in a used library: shapes.ellipse */
struct module *scope_library(struct module *m, const char *name);
struct decl *scope_own(struct module *m, const char *name);
/* E0101/E0102 with suggestions; extra: other words that could stand there */
void scope_unknown(struct check *ck, const struct env *env, const char *name,
                   imp_range range, enum want want);
/* the declaration LIB.NAME, or NULL after a diagnostic; e: AST_FIELD of a name
 */
struct decl *scope_member(struct check *ck, struct module *m,
                          const struct ast_expr *e, enum want want);
const char *decl_kind_name(enum decl_kind k);
bool name_is_reserved(const char *name);

/* -- value.c -------------------------------------------------------------- */

struct value v_poison(imp_range r);
struct value v_num(struct check *ck, const expr *e, const struct dim *d,
                   imp_range r);
struct value v_array(struct check *ck, uint32_t rows, uint32_t cols,
                     const struct dim *d, imp_range r);
struct value v_any(struct check *ck, const struct dim *d, imp_range r);
struct value v_truth(struct check *ck, const expr *e, imp_range r);
bool v_is_scalar(const struct value *v); /* NUM 1 x 1 or ANY */
bool v_is_vector(const struct value *v); /* NUM n x 1, n > 1, or ANY */
const char *v_kind(struct check *ck, const struct value *v);
/* a bare constant as a whole: gets a dimension variable of its own */
void v_whole(struct check *ck, struct value *v);
/* operands of + - min compare ... agree; *dim, *bare of the result */
bool v_agree(struct check *ck, const struct ast_expr *at, const char *doing,
             const struct value *a, const struct ast_expr *ea,
             const struct value *b, const struct ast_expr *eb,
             const struct dim **dim, bool *bare);
/* v must have dimension d, as `what` ("the mass of a body") does */
bool v_need_dim(struct check *ck, struct value *v, const struct ast_expr *e,
                const struct dim *d, const char *what);
/* scalar number of dimension d; poison on error (reported) */
bool v_need_scalar(struct check *ck, struct value *v, const struct ast_expr *e,
                   const struct dim *d, const char *what);
/* vector of n numbers */
bool v_need_vector(struct check *ck, struct value *v, const struct ast_expr *e,
                   uint32_t n, const struct dim *d, const char *what);
/* notes for names whose dimension was inferred elsewhere */
void v_explain(struct check *ck, struct diag *d, const struct ast_expr *e);
/* a literal value known now? */
bool v_const(const struct value *v, double *x);

/* -- mixed.c -------------------------------------------------------------- */

/* dimension of entry i of any number; NULL: an exact 0, it fits all */
const struct dim *mx_dim(struct check *ck, const struct value *v, size_t i);
/* a value with dims to be filled in; mx_done makes it plain if it can be */
struct value mx_array(struct check *ck, uint32_t rows, uint32_t cols,
                      imp_range r);
struct value mx_done(struct check *ck, struct value v);
/* makes v a value of one dimension; false: E0227 reported */
bool mx_plain(struct check *ck, struct value *v, imp_range r, const char *what);
/* dimensions of the entries of a sum, a choice; NULL: reported */
const struct dim **mx_agree(struct check *ck, const struct ast_expr *at,
                            const char *doing, const struct value *a,
                            const struct ast_expr *ea, const struct value *b,
                            const struct ast_expr *eb);
/* r: the product a*b with its entries; gets their dimensions */
struct value mx_mul(struct check *ck, const struct ast_expr *at,
                    const struct value *a, const struct value *b,
                    struct value r);
/* dimensions with m[i, j] = row[i]*col[j]; false: reported */
bool mx_gauge(struct check *ck, const struct ast_expr *e, const struct value *m,
              const struct dim **row, const struct dim **col);
/* the unit text of entries with units of their own, row by row: "1/s;m/s" */
const char *mx_units(struct check *ck, const struct dim *const *dims, size_t n);

/* -- units.c -------------------------------------------------------------- */

struct unit {
    double num, den; /* SI value = x * num / den */
    const struct dim *dim;
};
bool unit_of_ast(struct check *ck, const struct ast_expr *e, struct unit *u);
/* text of a unit; false if it is none. ck may lack everything but dims and
 * arena */
bool unit_of_text(struct dims *ds, const char *s, struct unit *u);
void unit_names(void (*each)(void *ctx, const char *name, const char *doc),
                void *ctx);

/* -- expr.c --------------------------------------------------------------- */

struct value ck_expr(struct check *ck, const struct env *env,
                     const struct ast_expr *e);
const struct ast_expr *ast_unwrap(const struct ast_expr *e); /* ( e ) */
/* a number known at compile time: literals, and params, which then become
 * structural */
bool ck_fixed(struct check *ck, const expr *e, double *x);
/* -- arith.c -------------------------------------------------------------- */

/* e is a BINARY node, a and b its checked operands */
struct value ck_binary(struct check *ck, const struct ast_expr *e,
                       const struct value *a, const struct value *b);
struct value ck_choice(struct check *ck, const struct ast_expr *e,
                       const struct value *c, const struct value *a,
                       const struct value *b);
/* E0209/E0224: v is no number; teaches what to take instead */
struct value ck_no_arithmetic(struct check *ck, const struct ast_expr *at,
                              const char *doing, const struct value *v,
                              const struct ast_expr *e);
bool ck_need_truth(struct check *ck, const struct value *v,
                   const struct ast_expr *e, const char *what);
/* a^b with all rules of powers; ea, eb: their places */
struct value ck_power(struct check *ck, const struct ast_expr *e,
                      struct value a, const struct ast_expr *ea, struct value b,
                      const struct ast_expr *eb);
/* the joint that a name before a dot means, or NULL */
const struct decl *ck_joint(struct check *ck, const struct env *env,
                            const struct ast_expr *e);
/* value of a declaration (evaluates lets when first needed) */
struct value ck_decl(struct check *ck, struct decl *d, imp_range range);
/* enters recursion; false (reported once) when too deep or too long */
bool ck_enter(struct check *ck, imp_range range);
#define ck_leave(ck) ((void)(ck)->depth--)

/* -- func.c, linalg.c ----------------------------------------------------- */

struct builtin {
    const char *name, *args, *doc, *example;
};
const struct builtin *builtin_get(size_t n); /* NULL after the last */
const struct builtin *builtin_find(const char *name);
struct value builtin_call(struct check *ck, const struct env *env,
                          const struct builtin *b, const struct ast_expr *e);
/* operations on checked values; nodes are made in the graph */
struct value lin_mul(struct check *ck, const struct ast_expr *at,
                     const struct value *a, const struct value *b);
/* NULL if `name` is none of dot cross norm ...; else does it */
bool lin_call(struct check *ck, const struct ast_expr *e, const char *name,
              struct value *a, size_t n, struct value *out);

/* -- series.c ------------------------------------------------------------- */

/* e is a PRIME node */
struct value series_prime(struct check *ck, const struct env *env,
                          const struct ast_expr *e);
/* series(a, order): e is its CALL node, a its checked arguments */
struct value series_call(struct check *ck, const struct ast_expr *e,
                         struct value *a);

/* -- call.c --------------------------------------------------------------- */

/* binds arguments to formals; false on error (reported) */
bool call_bind(struct check *ck, const struct decl *d,
               const struct ast_formal *f, size_t n,
               const struct ast_expr *call, const struct env *caller,
               struct env *out);
/* formals as unknowns, to check a definition by itself */
void call_open(struct check *ck, const struct decl *d,
               const struct ast_formal *f, size_t n, struct env *out);
bool call_enter(struct check *ck, struct decl *d, imp_range call,
                struct frame *f);
void call_leave(struct check *ck, struct frame *f);
struct value call_fn(struct check *ck, const struct env *env, struct decl *d,
                     const struct ast_expr *e);

/* -- decl.c --------------------------------------------------------------- */

void decl_params(struct check *ck);
/* D_FN or D_SHAPE: each by itself */
void decl_definitions(struct check *ck, enum decl_kind kind);
void decl_lets(struct check *ck);        /* those nobody asked for */
void decl_params_done(struct check *ck); /* units, ranges */

/* a shape in use */
struct shape_use {
    struct decl *decl;
    struct env env;
    const expr *g; /* NULL: given by corners */
    bool uses_z;
    const expr **points; /* n_point * dim */
    uint32_t n_point, dim;
    imp_range range;
};
/* level set; false on error */
bool shape_open(struct check *ck, const struct env *caller,
                const struct ast_expr *head, struct shape_use *u);
/* the shape's own block, for a body of dimension d */
void shape_block(struct check *ck, struct shape_use *u, uint32_t d,
                 struct tm_body *b);

/* -- corners.c: polygon, polyhedron */
struct corner_shape {
    const char *name;
    uint32_t dim, least;
    const char *args, *doc, *example;
};
const struct corner_shape *corner_shape_get(size_t n); /* NULL after the last */
const struct corner_shape *corner_shape_find(const char *name);
/* the one that e calls; NULL: none, or the user's own of that name */
const struct corner_shape *corner_shape_of(struct check *ck, struct module *m,
                                           const struct ast_expr *e);
/* its points; false on error (reported) */
bool corners_take(struct check *ck, const struct env *env,
                  const struct ast_expr *e, struct shape_use *u);

/* keys of a block: out[i] is the KEY item of known[i] or NULL. Unknown, double
 * and misplaced items are reported; false if a key is unknown. */
struct keydef {
    const char *name, *doc;
};
bool block_keys(struct check *ck, const struct ast_item *item,
                const struct keydef *known, size_t n, const char *what,
                const struct ast_item **out);
/* a bare word or string, one of `words`; index or -1 (reported) */
int key_word(struct check *ck, const struct ast_item *key,
             const char *const *words, size_t n);
/* inertia as 1 (plane) or 6 numbers; false on error */
bool take_inertia(struct check *ck, struct value *v, const struct ast_expr *e,
                  uint32_t d, const struct dim *dim, const char *what,
                  struct tm_vec *out);
void take_num(struct tm_num *out, const struct value *v,
              const struct ast_expr *e);
void take_vec(struct tm_vec *out, const struct value *v,
              const struct ast_expr *e);

/* -- body.c, contact.c ---------------------------------------------------- */

extern const struct keydef body_keys[], contact_keys[], world_keys[],
    joint_keys[], shape_keys[];
extern const size_t n_body_keys, n_contact_keys, n_world_keys, n_joint_keys,
    n_shape_keys;
/* what a kind of joint needs and leaves free; false: there is no such kind */
bool joint_kind_doc(const char *name, struct buf *b);
const char *joint_kind_name(size_t i);     /* NULL behind the last */
void check_bodies_begin(struct check *ck); /* shapes, plane or space */
void check_bodies_end(struct check *ck);   /* all other keys */
void contacts_declare(struct check *ck);   /* gives them their numbers */
void check_contacts(struct check *ck);
/* restitution and friction of a contact; items NULL where not given */
void contact_numbers(struct check *ck, const struct env *env,
                     const struct ast_item *restitution,
                     const struct ast_item *friction, struct tm_contact *c);
void check_joints(struct check *ck);
/* -- system.c ------------------------------------------------------------- */

/* dimension of a system's energies; NULL: it was wrong */
const struct dim *system_energy(const struct check *ck, uint32_t system);
/* what of a system is being read: the innermost part */
enum env_part env_part(const struct env *env);
/* before, after, jump and random, which users may call their own functions too
 */
bool part_name(const char *name);
bool part_call(struct check *ck, const struct env *env,
               const struct ast_expr *e, const char *name, struct value *a,
               struct value *out);
/* instances, their coordinates and contacts get their numbers */
void systems_declare(struct check *ck);
/* energies, forces, gaps, starts */
void check_systems(struct check *ck);
/* after all uses: patterns that nothing instantiates, dimensions left open */
void systems_done(struct check *ck);
/* parts of a system: square.h, square.foot, square.energy */
struct value system_field(struct check *ck, uint32_t system, const char *name,
                          imp_range name_range, imp_range range);
/* a member of a family of contacts */
struct value family_index(struct check *ck, const struct env *env,
                          const struct value *f, const struct ast_expr *e);
/* the formula of the gap of a system's contact */
struct value system_gap_value(struct check *ck, uint32_t contact,
                              imp_range range);
/* a contact between bodies? E0369 if it is a system's */
bool contact_of_bodies(struct check *ck, uint32_t contact, const char *asked,
                       imp_range range);
/* what `show` prints of a system, of its contacts */
void system_shown(struct check *ck, const struct value *v, struct tm_val *out);
extern const struct keydef system_keys[], system_values[],
    system_contact_keys[];
extern const size_t n_system_keys, n_system_values, n_system_contact_keys;
void check_world(struct check *ck);
/* words of the laws of impact in the order of enum imp_impact_law, which has
 * one more before them; then "report", none of them */
enum { N_IMPACT_LAWS = IMP_IMPACT_COUNT - 1 };
extern const char *const impact_laws[N_IMPACT_LAWS + 1];
/* a vector that is not zero; dim NULL: of any dimension. false: reported */
/* made a unit vector; zero stays zero */
void normalised(struct check *ck, struct tm_vec *v);
bool take_direction(struct check *ck, const struct env *env,
                    const struct ast_expr *e, const char *what,
                    const struct dim *dim, struct tm_vec *out);
/* data of the set-up: no time, no motion, no results */
enum may { MAY_PARAMS = 0, MAY_TIME = 1, MAY_MOTION = 2, MAY_RESULTS = 4 };
bool check_leaves(struct check *ck, const expr *const *e, size_t n, int may,
                  const struct ast_expr *at, const char *what);
/* values of bodies and contacts: one.position, touch.gap */
struct value body_field(struct check *ck, uint32_t body, const char *name,
                        imp_range name_range, imp_range range);
struct value contact_field(struct check *ck, uint32_t contact, const char *name,
                           imp_range name_range, imp_range range);
/* o.Q, o.S */
struct value joint_field(struct check *ck, uint32_t joint, const char *name,
                         imp_range name_range, imp_range range);
struct value contact_gap(struct check *ck, uint32_t contact, imp_range range);
/* E0343: the gap of a stated contact is asked for */
struct value no_surface(struct check *ck, uint32_t contact, imp_range range);
extern const struct keydef body_values[], contact_values[], joint_values[];
extern const size_t n_body_values, n_contact_values, n_joint_values;

/* -- screw.c, carry.c ----------------------------------------------------- */

/* eta, which exchanges the halves of a screw */
struct value screw_eta(struct check *ck, imp_range range);
/* twist, momentum_screw, M, Q, S, M_red of a body; false if it is none */
bool screw_of_body(struct check *ck, uint32_t body, const char *name,
                   imp_range range, struct value *out);
/* a function of screws, whose name a function of the user's may take? */
bool screw_name(const char *name);
/* twist wrench screw plucker columns figures U G; false if it is none */
bool screw_call(struct check *ck, const struct ast_expr *e, const char *name,
                struct value *a, size_t n, struct value *out);
/* What was given in world axes at the start and goes with a body, in the world
 * now, three entries each. IMP_WORLD: it stays. */
void carry_vector(struct check *ck, uint32_t body, const expr *const x[3],
                  const expr *out[3]);
/* from the mass centre of `body` to a point that goes with `carrier` */
void carry_arm(struct check *ck, uint32_t body, uint32_t carrier,
               const expr *const x[3], const expr *out[3]);
/* rotation of a body now, by rows; the columns are its axes in the world */
void carry_rotation(struct check *ck, uint32_t body, const expr *R[9]);

/* -- model.c: names only, nothing checked (doc.c) ------------------------- */

void check_scan(struct check *ck, const struct check_input *in);

/* -- result.c, command.c -------------------------------------------------- */

struct value result_field(struct check *ck, uint32_t command, const char *name,
                          imp_range name_range, imp_range range);
bool record_has(const struct check *ck, uint32_t command, const char *name);
struct value field_index(struct check *ck, const struct env *env,
                         const struct value *f, const struct ast_expr *e);
/* min max sum length of a list field; false if op is none */
bool field_reduce(struct check *ck, const char *op, const struct value *f,
                  imp_range range, struct value *out);
struct value field_compare(struct check *ck, const struct ast_expr *at,
                           const struct value *f, const struct value *text);
void record_schema(struct check *ck, uint32_t command); /* table's fields */
/* columns of matrices that have one per contact, when these are known */
void record_sizes(struct check *ck, uint32_t command, size_t n_contacts);
void record_column(struct check *ck, uint32_t command, const struct tm_val *col,
                   uint32_t width);
/* number of the recorded column equal to v in the latest simulate before the
 * command checked now */
bool record_find(struct check *ck, const struct tm_val *v, uint32_t *command,
                 uint32_t *field);
void check_commands(struct check *ck);
/* a value for a command; out must be where it stays: its unit comes later */
void val_of(struct check *ck, const struct value *v, const struct ast_expr *e,
            struct tm_val *out);
/* a name for a column that no field of c and none of n items has */
const char *column_name(struct check *ck, const struct tm_command *c,
                        const struct tm_val *items, size_t n, const char *name);
/* adds a command of the model, bound to d (or NULL); UINT32_MAX: reported */
uint32_t command_add(struct check *ck, const struct ast_item *it,
                     struct decl *d);
/* dimension of a field's entry; index UINT32_MAX: of all */
const struct dim *field_dim(struct check *ck, const struct tm_command *c,
                            const struct tm_field *f, uint32_t index,
                            imp_range range);
/* -- sweep.c -------------------------------------------------------------- */

/* over, random, repeat, run */
#define SWEEP_MOST 1e8 /* runs */
bool sweep_axes(struct check *ck, const struct option_row *o,
                const struct ast_item *key, struct tm_val *out);
bool sweep_repeat(struct check *ck, const struct ast_expr *e,
                  struct tm_val *out);
bool sweep_question(struct check *ck, const struct ast_item *key,
                    struct tm_val *out);
/* the fields to keep (key NULL: all that can be), once `run` is known: option
 * and columns of the record. false: reported */
bool sweep_record(struct check *ck, uint32_t command, const struct ast_item *it,
                  const struct ast_item *key);
/* what is known when all params are: structural ones, ranges */
void sweep_late(struct check *ck);
/* plot.c: the options of a plot that need its columns */
bool plot_options(struct check *ck, uint32_t command,
                  const struct ast_item *it);
/* the param that a name means, or NULL after an error: "a sweep varies params"
 */
struct decl *sweep_param(struct check *ck, const struct ast_name *name,
                         enum diag_code code, const char *doing);

/* -- threshold.c ----------------------------------------------------------- */

/* option `over`: a list, ref the param, of its two bounds or of nothing */
bool threshold_over(struct check *ck, uint32_t command,
                    const struct ast_item *key, struct tm_val *out);
/* dimension of the param that a command is over; NULL: not known */
const struct dim *threshold_dim(struct check *ck, const struct tm_command *c);
/* when params are known */
void threshold_late(struct check *ck);

struct command_row {
    const char *name, *doc;
    enum command_args {
        ARGS_NONE,
        ARGS_CONTACT,
        ARGS_CONTACTS,
        ARGS_SYSTEM,
        ARGS_VALUES,
        ARGS_CONDITION,
        ARGS_RESULT
    } args;
    bool available;
};
const struct command_row *command_row(enum imp_command_id id);
struct option_row {
    const char *command, *key, *unit, *dflt, *doc;
    enum imp_option_kind kind;
};
const struct option_row *option_row(enum imp_option_id id);
struct field_row {
    const char *command, *name, *unit, *doc;
    enum imp_field_kind kind;
};
const struct field_row *field_row(size_t i); /* NULL after the last */

#endif
