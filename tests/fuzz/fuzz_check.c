/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libFuzzer entry on the whole chain up to the start of a run: parser,
 * checker, documentation, image and set-up on the evaluator. Build with the
 * preset `fuzz`. What must hold: no crash, no leak, no endless loop; a model
 * without diagnostics exists, and one that is refused says why. */
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/source.h"
#include "check/check.h"
#include "mechanics/mech.h"
#include "runtime/instance/run.h"
#include "runtime/setup/new_run.h"
#include "syntax/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void
set_up(struct arena *a, struct tm_model *m, struct diags *ds)
{
    const imp_image *im = mech_compile(m, ds);
    if (!im) {
        if (!ds->errors)
            abort();
        return;
    }
    double *params = NEW_N(a, double, m->n_params + 1);
    for (size_t i = 0; i < m->n_params; i++)
        params[i] = m->params[i].dflt;
    struct rt *r = rt_new(im, NULL, params, ds, NULL);
    if (r)
        rt_free(r);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    /* the first byte chooses between a file and a line of the REPL, as in
     * fuzz_parse.c, so that both share their corpus */
    if (n == 0)
        return 0;
    struct arena *a = arena_new();
    struct sources *s = sources_new(a);
    struct intern *names = intern_new(a);
    struct diags ds;
    diags_init(&ds, a, s);
    uint32_t file = sources_add(s, "fuzz.imp", (const char *)data + 1, n - 1);
    const struct ast_file *f = parse_file(a, names, &ds, file, data[0] & 1);
    struct check_input in = {.arena = a,
                             .names = names,
                             .sources = s,
                             .ds = &ds,
                             .model_name = "fuzz",
                             .files = &f,
                             .n_files = 1};
    struct buf out = {0};
    struct tm_model *m = check_model(&in);
    if (!m && ds.errors == 0)
        abort();
    if (m && ds.errors == 0 && n < 1200)
        set_up(a, m, &ds);
    check_doc(&in, "a", &out);
    diags_print(&ds, &out, DIAG_TEXT, true);
    diags_print(&ds, &out, DIAG_JSON, false);
    buf_free(&out);
    arena_free(a);
    return 0;
}
