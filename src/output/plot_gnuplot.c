/* SPDX-License-Identifier: MIT */
/* SVG and PNG through gnuplot. The program is started without a shell, with
 * default settings and an environment of its own. It reads script and data from
 * its standard input and writes the picture to its standard output, a pipe,
 * from which it goes to the file here: gnuplot tells nobody that a disk is
 * full. So neither titles nor paths are ever read as commands.
 * Titles stand in single quotes, in which gnuplot replaces nothing, and
 * enhanced text is off. A picture has no date: equal data give equal bytes. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/status.h"
#include "base/arena.h"
#include "output/writer.h"

/* Text in single quotes. gnuplot ends a string at a doubled quote that opens
 * it, so no ASCII quote may stand inside at all: it becomes the typographic
 * apostrophe U+2019. Control characters become blanks. */
void
out_plot_quoted(struct buf *buf, const char *s)
{
    assert(buf != NULL && s != NULL);
    buf_putc(buf, '\'');
    for (; *s; s++) {
        if (*s == '\'')
            buf_puts(buf, "\xe2\x80\x99");
        else
            buf_putc(buf, (unsigned char)*s < 32 || *s == 127 ? ' ' : *s);
    }
    buf_putc(buf, '\'');
}

void
out_plot_label(struct buf *buf, const struct out_column *column)
{
    assert(column);
    struct buf t = {0};
    buf_puts(&t, column->name);
    if (out_has_unit(column->unit))
        buf_printf(&t, " [%s]", column->unit);
    out_plot_quoted(buf, buf_str(&t));
    buf_free(&t);
}

/* The label of an axis that shows several columns: their names where there is
 * room, and the unit where all have the same one. */
static void
shared_label(struct buf *buf, const struct out_column *columns, size_t n)
{
    enum { ROOM = 48 }; /* characters beside an axis */
    struct buf text = {0};
    bool same = true;
    for (size_t i = 0; i < n; i++) {
        buf_printf(&text, "%s%s", i ? ", " : "", columns[i].name);
        same = same && !strcmp(columns[i].unit, columns[0].unit);
    }
    if (text.n > ROOM)
        buf_clear(&text);
    if (same && out_has_unit(columns[0].unit))
        buf_printf(&text, "%s[%s]", text.n ? " " : "", columns[0].unit);
    if (text.n) {
        buf_puts(buf, "\nset ylabel ");
        out_plot_quoted(buf, buf_str(&text));
    }
    buf_free(&text);
}

void
out_plot_head(struct buf *buf, const struct out_format *format,
              const char *title, const struct out_column *x_axis,
              const struct out_column *y_axis)
{
    assert(format && format->takes == OUT_PICTURE);
    buf_puts(buf, "set encoding utf8\n");
    buf_printf(buf, "set terminal %s\n", format->writer->gnuplot_terminal);
    buf_puts(buf, "set title ");
    out_plot_quoted(buf, title);
    buf_puts(buf, "\nset xlabel ");
    out_plot_label(buf, x_axis);
    if (y_axis) {
        buf_puts(buf, "\nset ylabel ");
        out_plot_label(buf, y_axis);
    }
}

/* Colours that can be told apart, also by most colour-blind readers. Further
 * lines have the same colours and are broken in another way. */
static void
line_style(struct buf *buf, size_t number)
{
    static const char *const colours[] = {"#d62728", "#1f77b4", "#ff7f0e",
                                          "#9467bd", "#2ca02c", "#8c564b",
                                          "#e377c2", "#17becf"};
    enum { COLOURS = sizeof colours / sizeof *colours, DASHES = 5 };
    buf_printf(buf, "linecolor rgb '%s' dashtype %zu",
               colours[number % COLOURS], 1 + number / COLOURS % DASHES);
}

static void
script(struct buf *buf, const struct out_format *format, const char *title,
       const struct out_column *x_axis, const struct out_column *ys,
       size_t n_ys)
{
    char digits[NUM_TEXT];
    out_plot_head(buf, format, title, x_axis, n_ys == 1 ? &ys[0] : NULL);
    if (n_ys > 1)
        shared_label(buf, ys, n_ys);
    buf_puts(buf, n_ys == 1 ? "\nset key off" : "\nset key outside right top");
    buf_puts(buf, "\nset grid\nset xzeroaxis\nset format '%g'\n"
                  "set datafile missing '?'\n$d << IMP_END\n");
    for (size_t i = 0; i < x_axis->n; i++) {
        buf_puts(buf, isfinite(x_axis->x[i])
                          ? out_digits_17(digits, x_axis->x[i])
                          : "?");
        for (size_t j = 0; j < n_ys; j++) {
            bool there = i < ys[j].n && isfinite(ys[j].x[i]);
            buf_putc(buf, ' ');
            buf_puts(buf, there ? out_digits_17(digits, ys[j].x[i]) : "?");
        }
        buf_putc(buf, '\n');
    }
    buf_puts(buf, "IMP_END\nplot ");
    for (size_t j = 0; j < n_ys; j++) {
        buf_printf(buf, "%s$d using 1:%zu with %s linewidth 2 ", j ? ", " : "",
                   j + 2, x_axis->n < 3 ? "linespoints" : "lines");
        line_style(buf, j);
        buf_puts(buf, " title ");
        out_plot_label(buf, &ys[j]);
    }
    buf_puts(buf, "\n");
}

/* a file in memory that holds n bytes, to be read from the beginning; -1: errno
 * says why */
static int
memory_file(const char *s, size_t n)
{
    int fd = memfd_create("imp-plot", MFD_CLOEXEC);
    if (fd < 0)
        return -1;
    struct out_file f = {.fd = fd};
    int e = n ? out_file_write(&f, s, n) : 0;
    if (e || lseek(fd, 0, SEEK_SET) < 0) {
        close(fd);
        errno = e ? e : errno;
        return -1;
    }
    return fd;
}

/* A copy of the descriptor that is none of 0 to 3, which the child's own
 * descriptors replace one after the other; -1: errno says why. */
static int
above_replaced(int fd)
{
    return fcntl(fd, F_DUPFD_CLOEXEC, 4);
}

/* Starts gnuplot on four descriptors above 3: script, picture, messages, and
 * the data that it finds as OUT_GNUPLOT_DATA. 0 or an errno. */
static int
spawn_gnuplot(const int fd[4], pid_t *pid)
{
    posix_spawn_file_actions_t fa;
    posix_spawnattr_t at;
    const char *path = getenv("PATH");
    struct buf env = {0};
    buf_printf(&env, "PATH=%s", path ? path : "/usr/bin:/bin");
    char lang[] = "LC_ALL=C.UTF-8", name[] = "gnuplot", dflt[] = "-d",
         dash[] = "-";
    char *argv[] = {name, dflt, dash, NULL}, *envp[] = {env.s, lang, NULL};
    sigset_t none, all;
    sigemptyset(&none);
    sigemptyset(&all);
    sigaddset(&all, SIGPIPE);

    int failure = posix_spawn_file_actions_init(&fa);
    if (failure) {
        buf_free(&env);
        return failure;
    }
    posix_spawnattr_init(&at);
    posix_spawnattr_setsigmask(&at, &none);
    posix_spawnattr_setsigdefault(&at, &all);
    posix_spawnattr_setflags(&at,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    for (int i = 0; i < 4; i++)
        posix_spawn_file_actions_adddup2(&fa, fd[i], i);
    failure = posix_spawnp(pid, "gnuplot", &fa, &at, argv, envp);
    posix_spawn_file_actions_destroy(&fa);
    posix_spawnattr_destroy(&at);
    buf_free(&env);
    return failure;
}

/* Takes the picture from the pipe to the file, to its end. After an error the
 * pipe is closed, so that gnuplot ends. 0 or the errno. */
static int
take_picture(int pipe_end, struct out_file *to)
{
    char part[1 << 14];
    ssize_t n;
    int error = 0;
    while (!error && (n = read(pipe_end, part, sizeof part)) != 0)
        if (n > 0)
            error = out_file_write(to, part, (size_t)n);
        else if (errno != EINTR)
            error = errno;
    close(pipe_end);
    return error;
}

/* Runs gnuplot on any descriptors. 0, an errno, or -1 when it ran and failed.
 */
static int
run_gnuplot(int in, struct out_file *to, int err, int data)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return errno;
    int fd[4] = {above_replaced(in), above_replaced(ends[1]),
                 above_replaced(err), above_replaced(data)};
    pid_t pid = 0;
    int failure = fd[0] < 0 || fd[1] < 0 || fd[2] < 0 || fd[3] < 0
                      ? errno
                      : spawn_gnuplot(fd, &pid);
    close(ends[1]);
    for (int i = 0; i < 4; i++)
        if (fd[i] >= 0)
            close(fd[i]);
    if (failure) {
        close(ends[0]);
        return failure;
    }
    int error = take_picture(ends[0], to), status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return errno;
    if (error)
        return error;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

/* the line of gnuplot's messages that says what went wrong */
static void
complaint(int err, char *said, size_t size)
{
    char text[2000];
    ssize_t k = pread(err, text, sizeof text - 1, 0);
    text[k > 0 ? k : 0] = 0;
    char *save = NULL;
    said[0] = 0;
    for (char *l = strtok_r(text, "\n", &save); l;
         l = strtok_r(NULL, "\n", &save)) {
        size_t skip = strspn(l, " \t^");
        if (l[skip] && (!said[0] || strstr(l, "line "))) {
            strncpy(said, l + skip, size - 1);
            said[size - 1] = 0;
        }
    }
}

int
out_gnuplot(struct output *output, struct diags *ds, imp_range where,
            const char *file, const struct buf *buf, const struct buf *data)
{
    assert(output->dir && file && buf->s);
    struct out_file opened;
    int st = out_file_open(output, ds, where, file, &opened);
    if (st)
        return st;
    bool apart = data && data->n;
    int in = memory_file(buf->s, buf->n), err = memory_file("", 0),
        cells = apart ? memory_file(data->s, data->n) : in;
    int failure = in < 0 || err < 0 || cells < 0
                      ? errno
                      : run_gnuplot(in, &opened, err, cells);
    bool none = failure == ENOENT || failure == EACCES;
    char say[200] = "";
    if (failure == -1)
        complaint(err, say, sizeof say);
    if (in >= 0)
        close(in);
    if (apart && cells >= 0)
        close(cells);
    if (err >= 0)
        close(err);
    st = out_file_close(&opened, ds, where, file, none ? -1 : failure);
    if (none) {
        struct diag *diag = diag_add(ds, DIAG_E0853, where,
                                     "\"%s\" needs gnuplot, which is not "
                                     "installed or not on the PATH",
                                     file);
        diag_help(ds, diag,
                  "install it (Debian: apt install gnuplot-nox), or leave out "
                  "--out to see the plot as text");
    } else if (failure == -1) {
        struct diag *diag = diag_add(ds, DIAG_E0854, where,
                                     "gnuplot could not draw \"%s\"", file);
        if (*say)
            diag_note(ds, diag, IMP_NOWHERE, "gnuplot said: %s", say);
        diag_help(ds, diag, "leave out --out to see the plot as text");
    }
    return st;
}

int
out_plot_gnuplot(struct output *output, struct diags *ds, imp_range where,
                 const struct out_format *format, const char *file,
                 const char *title, const struct out_column *x_axis,
                 const struct out_column *ys, size_t n_ys)
{
    struct buf buf = {0};
    script(&buf, format, title, x_axis, ys, n_ys);
    int st = out_gnuplot(output, ds, where, file, &buf, NULL);
    buf_free(&buf);
    return st;
}

/* -- curves -----------------------------------------------------------------
 */

void
out_curves_data(struct buf *buf, const struct out_curve *curves, size_t n)
{
    assert(buf != NULL && (curves != NULL || n == 0));
    char digits[NUM_TEXT];
    for (size_t k = 0; k < n; k++) {
        buf_printf(buf, "$c%zu << IMP_END\n", k);
        for (size_t i = 0; i < curves[k].x.n; i++) {
            bool there =
                isfinite(curves[k].x.x[i]) && isfinite(curves[k].y.x[i]);
            if (there) {
                buf_printf(buf, "%s ", out_digits_17(digits, curves[k].x.x[i]));
                buf_puts(buf, out_digits_17(digits, curves[k].y.x[i]));
            }
            buf_putc(buf, '\n'); /* A blank line means a gap in the curve. */
        }
        buf_puts(buf, "IMP_END\n");
    }
}

/* the point at which a level line bears its number: the middle of its longest
 * part */
static bool
level_place(const struct out_curve *curves, size_t *at)
{
    size_t from = 0, best = 0;
    for (size_t i = 0; i <= curves->x.n; i++) {
        if (i < curves->x.n && isfinite(curves->x.x[i]) &&
            isfinite(curves->y.x[i]))
            continue;
        if (i - from > best) {
            best = i - from;
            *at = from + best / 2;
        }
        from = i + 1;
    }
    return best > 0;
}

void
out_curves_plot(struct buf *buf, const struct out_curve *curves, size_t n,
                bool first)
{
    assert(buf != NULL && (curves != NULL || n == 0));
    size_t colour = 0;
    for (size_t which = 0; which < n; which++) {
        if (!curves[which].x.n)
            continue; /* gnuplot refuses data without a row */
        buf_printf(buf, "%s$c%zu using 1:2 with lines ", first ? "" : ", ",
                   which);
        first = false;
        if (curves[which].level) { /* black on white can be seen on dark and on
                                    * light colours */
            buf_printf(buf,
                       "linewidth 3 linecolor rgb 'white' notitle, $c%zu "
                       "using 1:2 with lines linewidth 1 linecolor rgb "
                       "'black' notitle",
                       which);
            continue;
        }
        buf_puts(buf, "linewidth 2 ");
        line_style(buf, colour++);
        buf_puts(buf, " title ");
        out_plot_label(buf, &curves[which].y);
    }
    buf_puts(buf, "\n");
}

void
out_levels_plot(struct buf *buf, const struct out_curve *curves, size_t n)
{
    assert(buf != NULL && (curves != NULL || n == 0));
    char digits[NUM_TEXT];
    size_t at;
    buf_puts(buf, "set style textbox opaque noborder margins 0.3,0.3\n");
    for (size_t k = 0; k < n; k++) {
        if (!curves[k].level || !level_place(&curves[k], &at))
            continue;
        buf_puts(buf, "set label ");
        out_plot_quoted(buf, curves[k].level);
        buf_printf(buf, " at %s,", out_digits_17(digits, curves[k].x.x[at]));
        buf_printf(buf, "%s center front boxed font ',10'\n",
                   out_digits_17(digits, curves[k].y.x[at]));
    }
}

int
out_curves_gnuplot(struct output *output, struct diags *ds, imp_range where,
                   const struct out_format *format, const char *file,
                   const char *title, const struct out_column *x_axis,
                   const struct out_column *y_axis,
                   const struct out_curve *curves, size_t n_curves)
{
    struct buf buf = {0};
    size_t points = 0;
    for (size_t k = 0; k < n_curves; k++)
        points += curves[k].x.n;
    out_plot_head(&buf, format, title, x_axis,
                  !y_axis && n_curves == 1 ? &curves[0].y : y_axis);
    if (!y_axis && n_curves > 1) {
        struct out_column *ys = mem_alloc(n_curves * sizeof *ys);
        for (size_t k = 0; k < n_curves; k++)
            ys[k] = curves[k].y;
        shared_label(&buf, ys, n_curves);
        free(ys);
    }
    buf_puts(&buf,
             n_curves == 1 ? "\nset key off" : "\nset key outside right top");
    buf_puts(&buf, "\nset grid\nset xzeroaxis\nset format '%g'\n");
    out_curves_data(&buf, curves, n_curves);
    buf_puts(&buf, points ? "plot " : "plot [0:1] [0:1] NaN notitle");
    out_curves_plot(&buf, curves, n_curves, true);
    int st = out_gnuplot(output, ds, where, file, &buf, NULL);
    buf_free(&buf);
    return st;
}

const struct out_writer out_gnuplot_svg = {
    .gnuplot_terminal =
        "svg size 960,600 fixed font 'Helvetica,14' background '#ffffff' "
        "noenhanced"};
const struct out_writer out_gnuplot_png = {
    .gnuplot_terminal = "png truecolor size 960,600 noenhanced"};
