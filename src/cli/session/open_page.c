/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of `imp view` and `imp replay` (open_page.h). */
#include "cli/session/open_page.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/status.h"
#include "base/arena.h"
#include "base/buf.h"
#include "cli/code/load.h"
#include "cli/export/export.h"
#include "cli/session/args.h"
#include "cli/session/put_file.h"
#include "output/h5.h"
#include "output/out.h"
#include "view/page.h"

extern char **environ;

int
page_read(const char *path, char **bytes, size_t *n)
{
    assert(path != NULL && bytes != NULL && n != NULL);
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC), error = 0;
    *bytes = NULL;
    *n = 0;
    if (fd < 0)
        return errno;
    if (fstat(fd, &st))
        error = errno;
    else if (!S_ISREG(st.st_mode))
        error = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
    if (!error)
        *bytes = mem_alloc((size_t)st.st_size + 1);
    while (!error && *n < (size_t)st.st_size) {
        ssize_t got = read(fd, *bytes + *n, (size_t)st.st_size - *n);
        if (got == 0)
            break;
        if (got > 0)
            *n += (size_t)got;
        else if (errno != EINTR)
            error = errno;
    }
    close(fd);
    return error;
}

/* Opens a page in the user's browser, where the standard output is a terminal
 * and there is a display. */
static void
page_open(const char *path)
{
    assert(path != NULL);
    char *words[] = {"xdg-open", (char *)(size_t)path, NULL};
    pid_t child;
    if (!isatty(STDOUT_FILENO) ||
        (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")))
        return;
    if (!posix_spawnp(&child, words[0], NULL, NULL, words, environ))
        (void)waitpid(child, NULL, 0);
}

bool
page_ends(const char *path, const char *ending)
{
    assert(path != NULL && ending != NULL);
    size_t n = strlen(path), m = strlen(ending);
    return n > m && !strcmp(path + n - m, ending);
}

/* -- other formats ------------------------------------------------------------
 */

/* Poses of one HDF5 file at most (bytes). */
#define HDF5_MOST 4e9

/* A folder into which files of one run go. */
struct folder {
    const char *path;
    int error;
};

static bool
write_part(void *ctx, const char *name, const struct buf *bytes)
{
    struct folder *folder = ctx;
    size_t room = strlen(folder->path) + strlen(name) + 2;
    char *path = mem_alloc(room);
    snprintf(path, room, "%s/%s", folder->path, name);
    folder->error = cli_put_file(path, bytes->s, bytes->n);
    free(path);
    return folder->error == 0;
}

/* The time between poses. */
static double
times_of(const struct page_file *file, const struct run_read *run)
{
    return file->every > 0.0 ? file->every
           : run->end > 0.0  ? run->end / PAGE_TIMES
                             : 1.0;
}

static const char *
make_hdf5(struct arena *arena, const struct run_read *run,
          const struct page_file *file, struct buf *to)
{
    const char *why = NULL;
    const struct h5_api *api = load_hdf5(&why);
    double every = times_of(file, run);
    if (!api)
        return why;
    if (run->end / every * 8.0 * 7.0 * (double)(run->n_bodies + 1) > HDF5_MOST)
        return "its poses would take more than 4 GB: choose a longer --every";
    size_t n = 0;
    char *bytes = api->file(export_hdf5(arena, run, every), &n, &why);
    if (bytes)
        buf_put(to, bytes, n);
    free(bytes);
    return bytes ? NULL : why;
}

/* A collection of VTK and the folder beside it. */
static const char *
make_vtk(struct arena *arena, const struct run_read *run,
         const struct page_file *file, struct buf *to, int *error)
{
    const char *slash = strrchr(file->path, '/');
    char *path =
        arena_strndup(arena, file->path, strlen(file->path) - strlen(".pvd"));
    struct folder folder = {path, 0};
    bool wrote = true;
    if (mkdir(path, 0755) && errno != EEXIST) {
        *error = errno;
        return NULL;
    }
    const char *why =
        export_vtk(arena, run, slash ? path + (slash - file->path) + 1 : path,
                   times_of(file, run), write_part, &folder, to, &wrote);
    *error = folder.error;
    return why;
}

/* The file as its ending says, into *to. Returns what is wrong with the run;
 * *error: a file could not be written. */
static const char *
make(struct arena *arena, const struct page_file *file, const void *run,
     size_t n, struct buf *to, int *error)
{
    struct run_read read;
    const char *why = run_read(arena, run, n, &read);
    if (why)
        return why;
    if (page_ends(file->path, ".glb"))
        return export_gltf(arena, &read, to);
    if (page_ends(file->path, ".h5"))
        return make_hdf5(arena, &read, file, to);
    return make_vtk(arena, &read, file, to, error);
}

bool
page_is_other(const char *path)
{
    assert(path != NULL);
    return page_ends(path, ".glb") || page_has_times(path);
}

bool
page_has_times(const char *path)
{
    assert(path != NULL);
    return page_ends(path, ".pvd") || page_ends(path, ".h5");
}

static int
put_other(const struct page_file *file, const void *run, size_t n)
{
    struct arena *arena = arena_new();
    struct buf bytes = {0};
    int error = 0;
    const char *why = make(arena, file, run, n, &bytes, &error);
    if (why)
        cli_error(DIAG_E0834, "the page of the run (.html) shows what it has",
                  "`%s` cannot be made of this run: %s", file->path, why);
    else if (error || (error = cli_put_file(file->path, bytes.s, bytes.n)))
        cli_cannot_write(file->path, error);
    else
        cli_say("%s\n", file->path);
    buf_free(&bytes);
    arena_free(arena);
    return why || error ? IMP_EXIT_RUN : IMP_EXIT_OK;
}

int
page_show(const struct page_file *file, const char *title, const void *run,
          size_t n)
{
    assert(file != NULL && file->path != NULL && title != NULL && run != NULL);
    struct buf page = {0};
    bool bare = page_ends(file->path, ".imprun");
    if (page_is_other(file->path))
        return put_other(file, run, n);
    if (!bare)
        out_page_put(&page, view_page(), title, run, n);
    int error = bare ? cli_put_file(file->path, run, n)
                     : cli_put_file(file->path, page.s, page.n);
    buf_free(&page);
    if (error) {
        cli_cannot_write(file->path, error);
        return IMP_EXIT_RUN;
    }
    cli_say("%s\n", file->path);
    if (file->open && !bare)
        page_open(file->path);
    return IMP_EXIT_OK;
}

/* -- pictures ----------------------------------------------------------------
 */

/* Runs a browser that says nothing but its standard output, which goes to the
 * file `out`; its exit status, or -1 if there is none of this name. */
static int
browse(char *const *words, const char *out)
{
    posix_spawn_file_actions_t quiet;
    pid_t child;
    int status = 0;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 1, out, O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
    int error = posix_spawnp(&child, words[0], &quiet, NULL, words, environ);
    posix_spawn_file_actions_destroy(&quiet);
    if (error)
        return -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* Removes a folder that a browser has filled. */
static int
remove_entry(const char *path, const struct stat *st, int kind,
             struct FTW *place)
{
    (void)st;
    (void)kind;
    (void)place;
    return remove(path);
}

/* What a browser is to make of a page. */
struct visit {
    const char *hash; /* the place in the page */
    const char *size; /* of the window */
    bool text;        /* the page itself when its script has run; else a
                         picture */
    char *bytes;      /* what it has made, on the heap, or NULL */
    size_t n;
};

/* Lets a browser visit the page. Returns NULL, or what went wrong. */
static const char *
visit(const char *page, size_t n, struct visit *visit, bool *missing)
{
    static const char *const browsers[] = {"chromium", "chromium-browser",
                                           "google-chrome"};
    const char *tmp = getenv("TMPDIR"), *why = NULL;
    struct buf folder = {0}, file = {0}, result = {0}, said = {0},
               words[3] = {{0}};
    buf_printf(&folder, "%s/imp-view-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    *missing = false;
    if (!mkdtemp(folder.s)) {
        why = strerror(errno);
        buf_free(&folder);
        return why;
    }
    buf_printf(&file, "%s/page.html", folder.s);
    buf_printf(&result, "%s/picture.png", folder.s);
    buf_printf(&said, "%s/said", folder.s);
    buf_printf(&words[0], "--user-data-dir=%s/browser", folder.s);
    buf_printf(&words[1], visit->text ? "--dump-dom" : "--screenshot=%s",
               result.s);
    buf_printf(&words[2], "file://%s#bare=1&%s", file.s, visit->hash);
    int error = cli_put_file(file.s, page, n), status = -1;
    for (size_t i = 0; !error && i < 3 && status < 0; i++) {
        const char *const list[] = {browsers[i],
                                    "--headless=new",
                                    "--hide-scrollbars",
                                    "--enable-unsafe-swiftshader",
                                    visit->size,
                                    "--virtual-time-budget=4000",
                                    words[0].s,
                                    words[1].s,
                                    geteuid() == 0 ? "--no-sandbox"
                                                   : "--no-first-run",
                                    words[2].s,
                                    NULL};
        char *copy[sizeof list / sizeof *list];
        memcpy(copy, list, sizeof copy);
        status = browse(copy, said.s);
    }
    *missing = !error && status < 0;
    if (!error && !*missing &&
        page_read(visit->text ? said.s : result.s, &visit->bytes, &visit->n))
        why = "the browser has made no picture";
    nftw(folder.s, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    for (int i = 0; i < 3; i++)
        buf_free(&words[i]);
    buf_free(&folder);
    buf_free(&file);
    buf_free(&result);
    buf_free(&said);
    return error ? strerror(error) : *missing ? "there is no browser" : why;
}

const char *
page_picture(const char *page, size_t n, const char *hash, const char *path,
             bool *missing)
{
    assert(page != NULL && hash != NULL && path != NULL && missing != NULL);
    struct visit to = {.hash = hash, .size = "--window-size=1200,800"};
    const char *why = visit(page, n, &to, missing);
    int error = why ? 0 : cli_put_file(path, to.bytes, to.n);
    free(to.bytes);
    return error ? strerror(error) : why;
}

/* Writes over the base64 text what it stands for. Returns how many bytes. */
static size_t
decode(char *text, size_t n)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t to = 0;
    uint32_t bits = 0;
    int n_bits = 0;
    for (size_t i = 0; i < n; i++) {
        const char *at = memchr(digits, text[i], sizeof digits - 1);
        if (!at)
            break;
        bits = bits << 6 | (uint32_t)(at - digits);
        if ((n_bits += 6) >= 8)
            text[to++] = (char)(bits >> (n_bits -= 8) & 0xff);
    }
    return to;
}

const char *
page_movie(const char *page, size_t n, const char *path, bool *missing)
{
    assert(page != NULL && path != NULL && missing != NULL);
    static const char begins[] = "<pre id=\"movie\">";
    struct visit to = {.hash = page_ends(path, ".webm") ? "movie=webm"
                                                        : "movie=gif",
                       .size = "--window-size=640,420",
                       .text = true};
    const char *why = visit(page, n, &to, missing);
    int error = 0;
    char *film = why ? NULL : memmem(to.bytes, to.n, begins, strlen(begins));
    if (film) {
        film += strlen(begins);
        n = decode(film, to.n - (size_t)(film - to.bytes));
        error = cli_put_file(path, film, n);
    }
    free(to.bytes);
    return error           ? strerror(error)
           : why           ? why
           : film && n > 6 ? NULL
                           : "the browser has made no picture";
}
