/* SPDX-License-Identifier: MIT */
/* The motion of a run as a file of its own, and on a page that shows it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "abi/status.h"
#include "output/writer.h"

/* No columns and no picture: out_save_bytes and out_view write these. */
const struct out_writer out_motion = {0};

/* writes the bytes as a file under --out, and the line that says so */
static int
write(struct output *output, struct diags *ds, imp_range where,
      const char *command, const char *file, const char *bytes, size_t n)
{
    struct out_file opened;
    if (out_file_open(output, ds, where, file, &opened) != IMP_OK)
        return IMP_FAILED;
    int error = out_file_write(&opened, bytes, n);
    if (out_file_close(&opened, ds, where, file, error) != IMP_OK)
        return IMP_FAILED;
    struct buf line = {0};
    if (output->json) {
        buf_printf(&line,
                   "{\"command\": \"%s\", \"name\": \"\", \"file\": ", command);
        buf_json(&line, file, strlen(file));
        buf_puts(&line, ", \"written\": true}\n");
    } else {
        buf_printf(&line, "%s: the motion of a run\n", file);
    }
    out_write(output, line.s, line.n);
    buf_free(&line);
    return IMP_OK;
}

int
out_save_bytes(struct output *output, struct diags *ds, imp_range where,
               const char *file, const void *bytes, size_t n)
{
    assert(output != NULL && ds != NULL && file != NULL && bytes != NULL);
    if (!out_format_of(ds, where, file, OUT_MOTION))
        return IMP_BADMODEL;
    if (!output->dir) {
        out_not_written(output, "save", file);
        return IMP_OK;
    }
    return write(output, ds, where, "save", file, bytes, n);
}

int
out_view(struct output *output, struct diags *ds, imp_range where,
         const char *file, const char *title, const void *run, size_t n)
{
    assert(output != NULL && ds != NULL && file != NULL && run != NULL);
    if (!out_format_of(ds, where, file, OUT_VIEW))
        return IMP_BADMODEL;
    if (!output->page) {
        struct diag *diag = diag_add(
            ds, DIAG_E0857, where,
            "\"%s\" cannot be written: a simulator has no viewer", file);
        diag_help(ds, diag,
                  "save the run as .imprun, and show it with `imp replay`");
        return IMP_FAILED;
    }
    if (!output->dir) {
        out_not_written(output, "plot", file);
        return IMP_OK;
    }
    struct buf page = {0};
    out_page_put(&page, output->page(), title, run, n);
    int st = write(output, ds, where, "plot", file, page.s, page.n);
    buf_free(&page);
    return st;
}
