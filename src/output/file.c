/* SPDX-License-Identifier: MIT */
/* Files under --out. A file name is relative and stays below the folder. A file
 * appears whole or not at all: it is written without a name (where the file
 * system can do that) or under a temporary name beside its place, and then
 * renamed. So a run that is killed leaves nothing behind. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/status.h"
#include "base/arena.h"
#include "base/io.h"
#include "base/source.h"
#include "output/out_priv.h"

#define NAME_LONGEST                                                           \
    200 /* bytes of one part: room for the temporary ending                    \
         */

#define AT_ONCE                                                                \
    ((uint64_t)1 << 22) /* bytes that are sent to the disk together */

const char *
out_file_bad_name(const char *file)
{
    assert(file != NULL);
    if (!*file)
        return "it is empty";
    if (file[0] == '/')
        return "it is absolute";
    if (strlen(file) > 1000)
        return "it is longer than 1000 bytes";
    for (const char *place = file; *place; place++)
        if ((unsigned char)*place < 32 || *place == 127 || *place == '\\')
            return "it has a control character or a backslash";
    for (const char *place = file;;) {
        size_t length = strcspn(place, "/");
        if (length == 0)
            return "it has an empty part";
        if (place[0] == '.' &&
            (length == 1 || (length == 2 && place[1] == '.')))
            return "it has a part `.` or `..`";
        if (length > NAME_LONGEST)
            return "a part of it is longer than 200 bytes";
        if (!place[length])
            return NULL;
        place += length + 1;
    }
}

const char *
out_remedy(int error)
{
    switch (error) {
    case ENOSPC:
        return "free some space on the disk";
    case EDQUOT:
        return "free some space: your share of the disk is used up";
    case EFBIG:
        return "files may not grow beyond a limit here: raise it (ulimit -f), "
               "or write less";
    case EMFILE:
    case ENFILE:
        return "no more files can be opened here: raise the limit (ulimit -n)";
    default:
        return NULL;
    }
}

void
out_cannot_write(struct diags *ds, imp_range where, const char *file, int error)
{
    assert(file != NULL && error != 0);
    struct diag *diag =
        diag_add(ds, DIAG_E0852, where,
                 "cannot write \"%s\" under the folder of --out: "
                 "%s",
                 file, strerror(error));
    const char *remedy = out_remedy(error);
    diag_help(ds, diag, "%s",
              error == EACCES || error == EROFS
                  ? "choose a folder that you may write to"
              : remedy ? remedy
                       : "check the folder given with --out");
}

/* makes every folder of the path, from character `from` on; 0 or errno */
static int
make_folders(char *path, size_t from)
{
    for (char *s = path + from; *s; s++)
        if (*s == '/' && s != path) {
            *s = 0;
            int bad = mkdir(path, 0777) && errno != EEXIST ? errno : 0;
            *s = '/';
            if (bad)
                return bad;
        }
    return 0;
}

int
out_folders(const struct output *output, const char *file)
{
    assert(output->dir && file);
    size_t n = strlen(output->dir) + strlen(file) + 2;
    char *path = mem_alloc(n);
    snprintf(path, n, "%s/%s", output->dir, file);
    int error = make_folders(path, 0);
    free(path);
    return error;
}

int
out_folder_wrong(const char *dir)
{
    assert(dir);
    struct stat st;
    size_t n = strlen(dir);
    char *path = mem_alloc(n + 3);
    memcpy(path, dir, n + 1);
    if (!n)
        strcpy(path, ".");
    /* of a folder that is still to be made its nearest parent counts */
    int error = 0;
    while (stat(path, &st) && (error = errno) == ENOENT) {
        char *slash = strrchr(path, '/');
        if (!slash && strcmp(path, ".") == 0)
            break;
        if (!slash)
            strcpy(path, ".");
        else
            slash[slash == path] = 0;
        error = 0;
    }
    if (!error && !S_ISDIR(st.st_mode))
        error = ENOTDIR;
    if (!error && access(path, W_OK | X_OK))
        error = errno;
    free(path);
    return error;
}

/* Opens a file without a name in the folder of the path, which has a slash. -1:
 * this file system cannot. */
static int
open_nameless(char *path)
{
    assert(strchr(path, '/'));
    char *slash = strrchr(path, '/');
    if (slash == path)
        return open("/", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    *slash = 0;
    int fd = open(path, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    *slash = '/';
    return fd;
}

/* Gives a file without a name its own, where no file has it, or else a
 * temporary one, with which it can replace the other. 0 or errno. */
static int
name_it(struct out_file *opened, bool *placed)
{
    char from[64];
    snprintf(from, sizeof from, "/proc/self/fd/%d", opened->fd);
    /* a kill leaves nothing beside it: there is no moment between two names */
    *placed =
        !linkat(AT_FDCWD, from, AT_FDCWD, opened->path, AT_SYMLINK_FOLLOW);
    if (*placed)
        return 0;
    for (unsigned k = 0; k < 100; k++) {
        /* the six characters XXXXXX */
        sprintf(opened->temp + strlen(opened->temp) - 6, "%06lu",
                ((unsigned long)getpid() * 100 + k) % 1000000);
        if (!linkat(AT_FDCWD, from, AT_FDCWD, opened->temp, AT_SYMLINK_FOLLOW))
            return 0;
        if (errno != EEXIST)
            return errno;
    }
    return EEXIST;
}

/* Where a file of this name is there, may it be replaced? It may not be what
 * the model was read from, nor a device. Else there is a diagnostic. */
static bool
may_replace(const char *path, const char *file, imp_range where,
            struct diags *ds)
{
    struct stat st;
    const char *source;
    if (stat(path, &st))
        return true;
    if (S_ISREG(st.st_mode) && !(source = source_at(ds->sources, path)))
        return true;
    if (S_ISDIR(st.st_mode)) {
        out_cannot_write(ds, where, file, EISDIR);
        return false;
    }
    struct diag *diag =
        diag_add(ds, DIAG_E0852, where,
                 "cannot write \"%s\" under the folder of --out: %s", file,
                 S_ISREG(st.st_mode) ? "this run reads that file"
                                     : "it is a device or a pipe, no file");
    diag_help(ds, diag, "choose another name, or another folder for --out");
    return false;
}

int
out_file_open(struct output *output, struct diags *ds, imp_range where,
              const char *file, struct out_file *opened)
{
    assert(output->dir && file);
    size_t nd = strlen(output->dir), nf = strlen(file);
    *opened = (struct out_file){.fd = -1};
    opened->path = mem_alloc(2 * (nd + nf) + 18);
    opened->temp = opened->path + nd + nf + 2;
    snprintf(opened->path, nd + nf + 2, "%s/%s", output->dir, file);
    snprintf(opened->temp, nd + nf + 16, "%s/%s.XXXXXX", output->dir, file);
    int error = make_folders(opened->path, 0);
    bool refused = !error && !may_replace(opened->path, file, where, ds);
    if (!error && !refused) {
        opened->fd = open_nameless(opened->path);
        opened->nameless = opened->fd >= 0;
        if (opened->fd < 0)
            opened->fd = mkostemp(opened->temp, O_CLOEXEC);
        if (opened->fd < 0)
            error = errno;
    }
    opened->replaces = !error && !access(opened->path, F_OK);
    if (!error && !refused)
        return IMP_OK;
    free(opened->path);
    *opened = (struct out_file){.fd = -1};
    if (error)
        out_cannot_write(ds, where, file, error);
    return IMP_FAILED;
}

/* Some file systems write a file to the disk when it replaces another one, and
 * the rename waits for that. So the bytes are sent to the disk as they come. */
static void
write_out(struct out_file *opened)
{
#ifdef SYNC_FILE_RANGE_WRITE
    if (opened->replaces && opened->n - opened->begun >= AT_ONCE) {
        (void)sync_file_range(opened->fd, (off_t)opened->begun,
                              (off_t)(opened->n - opened->begun),
                              SYNC_FILE_RANGE_WRITE);
        opened->begun = opened->n;
    }
#endif
}

int
out_file_write(struct out_file *opened, const char *s, size_t n)
{
    assert(opened->fd >= 0);
    int error = io_write(opened->fd, s, n);
    opened->n += n;
    if (!error)
        write_out(opened);
    return error;
}

int
out_file_close(struct out_file *opened, struct diags *ds, imp_range where,
               const char *file, int error)
{
    assert(opened->path && opened->fd >= 0);
    /* mkostemp gives no rights to others; a nameless file has those of umask */
    if (!error && !opened->nameless && fchmod(opened->fd, 0644))
        error = errno;
    bool placed = false;
    if (!error && opened->nameless) {
        error = name_it(opened, &placed);
        opened->nameless = error != 0;
    }
    if (close(opened->fd) && !error)
        error = errno;
    if (!error && !placed && rename(opened->temp, opened->path))
        error = errno;
    if (error && !opened->nameless)
        unlink(placed ? opened->path : opened->temp);
    free(opened->path);
    *opened = (struct out_file){.fd = -1};
    /* A negative error has been told by the writer. Nothing is held here any
     * more, because a diagnostic may jump where memory ends. */
    if (error > 0)
        out_cannot_write(ds, where, file, error);
    return error ? IMP_FAILED : IMP_OK;
}
