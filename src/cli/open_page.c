/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of `imp view` and `imp replay` (open_page.h). */
#include "cli/open_page.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/io.h"

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

int
page_write(const char *path, const char *bytes, size_t n)
{
    assert(path != NULL && bytes != NULL);
    size_t room = strlen(path) + 8;
    char *temp = mem_alloc(room);
    snprintf(temp, room, "%s.XXXXXX", path);
    int fd = mkostemp(temp, O_CLOEXEC), error = fd < 0 ? errno : 0;
    if (!error)
        error = io_write(fd, bytes, n);
    if (!error && fchmod(fd, 0644))
        error = errno;
    if (fd >= 0 && close(fd) && !error)
        error = errno;
    if (!error && rename(temp, path))
        error = errno;
    if (error && fd >= 0)
        unlink(temp);
    free(temp);
    return error;
}

void
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

/* -- pictures ----------------------------------------------------------------
 */

/* Runs a browser that says nothing; its exit status, or -1 if there is none of
 * this name. */
static int
browse(char *const *words)
{
    posix_spawn_file_actions_t quiet;
    pid_t child;
    int status = 0;
    posix_spawn_file_actions_init(&quiet);
    for (int fd = 1; fd <= 2; fd++)
        posix_spawn_file_actions_addopen(&quiet, fd, "/dev/null", O_WRONLY, 0);
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

const char *
page_picture(const char *page, size_t n, const char *hash, const char *path,
             bool *missing)
{
    assert(page != NULL && hash != NULL && path != NULL && missing != NULL);
    static const char *const browsers[] = {"chromium", "chromium-browser",
                                           "google-chrome"};
    const char *tmp = getenv("TMPDIR"), *why = NULL;
    struct buf folder = {0}, file = {0}, words[3] = {{0}};
    buf_printf(&folder, "%s/imp-view-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    *missing = false;
    if (!mkdtemp(folder.s)) {
        why = strerror(errno);
        buf_free(&folder);
        return why;
    }
    buf_printf(&file, "%s/page.html", folder.s);
    buf_printf(&words[0], "--user-data-dir=%s/browser", folder.s);
    buf_printf(&words[1], "--screenshot=%s/picture.png", folder.s);
    buf_printf(&words[2], "file://%s#bare=1&%s", file.s, hash);
    int error = page_write(file.s, page, n), status = -1;
    for (size_t i = 0; !error && i < 3 && status < 0; i++) {
        const char *const list[] = {browsers[i],
                                    "--headless=new",
                                    "--hide-scrollbars",
                                    "--enable-unsafe-swiftshader",
                                    "--window-size=1200,800",
                                    "--virtual-time-budget=4000",
                                    words[0].s,
                                    words[1].s,
                                    geteuid() == 0 ? "--no-sandbox"
                                                   : "--no-first-run",
                                    words[2].s,
                                    NULL};
        char *copy[sizeof list / sizeof *list];
        memcpy(copy, list, sizeof copy);
        status = browse(copy);
    }
    *missing = !error && status < 0;
    char *bytes = NULL;
    size_t size = 0;
    buf_clear(&file);
    buf_printf(&file, "%s/picture.png", folder.s);
    if (!error && !*missing && page_read(file.s, &bytes, &size))
        why = "the browser has made no picture";
    if (!error && !why && !*missing)
        error = page_write(path, bytes, size);
    free(bytes);
    nftw(folder.s, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    for (int i = 0; i < 3; i++)
        buf_free(&words[i]);
    buf_free(&folder);
    buf_free(&file);
    return error ? strerror(error) : *missing ? "there is no browser" : why;
}
