/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Emission and linking of simulators. The object is the one that the JIT would
 * load, with the image in it. The system's C compiler links it with libimprt.a
 * (which holds main, analysis/driver/simulator_main.c) and libm. */
#include "cli/build.h"
#include "base/stack.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "abi/status.h"
#include "base/arena.h"
#include "base/io.h"
#include "base/source.h"
#include "cli/code/load.h"
#include "cli/code/where.h"
#include "cli/session/args.h"
#include "cli/session/session.h"
#include "codegen/gen.h"
#include "output/out.h"

extern char **environ;

/* LLVM knows hundreds of processors, and ends the process at an unknown name.
 * So a user can choose only from these levels; the first is the default. */
static const char *const cpus[] = {
#if defined(__x86_64__)
    "x86-64-v2", "x86-64", "x86-64-v3", "x86-64-v4",
#else
    "generic",
#endif
    "host"};
#define N_CPUS (sizeof cpus / sizeof *cpus)

#define SAID_MAX 4096 /* as many bytes of the linker's messages are kept */

static int
cannot_write(struct diags *diags, const char *out, int error)
{
    struct diag *diag = diag_add(diags, DIAG_E0819, IMP_NOWHERE,
                                 "cannot write `%s`: %s", out, strerror(error));

    diag_help(diags, diag, "%s", cli_write_remedy(error));
    return IMP_EXIT_RUN;
}

/* Makes a new empty file beside `out`, with its name in the arena; -1 and errno
 * on failure. */
static int
temporary(struct arena *arena, const char *out, char **name)
{
    const char *slash = strrchr(out, '/');
    int dir = slash ? (int)(slash - out) + 1 : 0;

    *name = arena_printf(arena, "%.*s.imp-XXXXXX", dir, out);
    return mkostemp(*name, O_CLOEXEC);
}

/* The mode that a new file of this kind gets from the user's mask. */
static mode_t
mode_of(bool executable)
{
    mode_t mask = umask(0);

    umask(mask);
    return (executable ? 0777u : 0666u) & ~mask;
}

/* Writes the bytes into the file and closes it; returns 0 or errno. */
static int
put_file(int fd, const char *p, size_t n)
{
    int e = io_write(fd, p, n);

    if (close(fd) && !e)
        e = errno;
    return e;
}

/* What the program wrote to `fd`, to the end, cut at SAID_MAX bytes. */
static char *
read_words(struct arena *arena, int fd)
{
    char part[512], *text = arena_alloc(arena, SAID_MAX + 1);
    size_t len = 0;
    ssize_t got;

    while ((got = read(fd, part, sizeof part)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            break;
        size_t take =
            (size_t)got < SAID_MAX - len ? (size_t)got : SAID_MAX - len;
        memcpy(text + len, part, take);
        len += take;
    }
    while (len && (text[len - 1] == '\n' || text[len - 1] == ' '))
        text[--len] = 0;
    return text;
}

/* Runs argv without stdin and stdout. Returns its exit status (128 + signal),
 * or -1 and errno when it cannot be started. */
static int
run_program(struct arena *arena, char *const argv[], char **said)
{
    posix_spawn_file_actions_t fa;
    int ends[2], status = 0;
    pid_t pid;

    *said = arena_strdup(arena, "");
    if (pipe2(ends, O_CLOEXEC))
        return -1;
    posix_spawn_file_actions_init(&fa);
    posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&fa, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&fa, ends[1], 2);
    int e = posix_spawnp(&pid, argv[0], &fa, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&fa);
    close(ends[1]);
    if (!e)
        *said = read_words(arena, ends[0]);
    close(ends[0]);
    if (e) {
        errno = e;
        return -1;
    }
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Adds a folder in which the dynamic linker looks for libraries. */
static void
add_folder(char **argv, int *n, const char *folder)
{
    const char *const words[] = {"-Xlinker", "-rpath", "-Xlinker", folder};
    for (int i = 0; i < 4; i++)
        argv[(*n)++] = (char *)(uintptr_t)words[i];
}

static int
link_simulator(const char *object, const char *exe, struct diags *diags)
{
    char archive[WHERE_MAX], library[WHERE_MAX], *said, *argv[24];
    int n_words = 0;

    if (!where_is("libimprt.a", archive)) {
        struct diag *diag =
            diag_add(diags, DIAG_E0832, IMP_NOWHERE,
                     "the runtime library libimprt.a is neither "
                     "beside this program nor in lib/imp");
        diag_help(diags, diag, "install Imp anew (`cmake --install`)");
        return IMP_EXIT_RUN;
    }
    argv[n_words++] = (char *)"cc";
#if defined(__SANITIZE_ADDRESS__)
    argv[n_words++] = (char *)"-fsanitize=address,undefined";
#endif
    argv[n_words++] = (char *)"-o";
    argv[n_words++] = (char *)(uintptr_t)exe;
    argv[n_words++] = (char *)(uintptr_t)object;
    argv[n_words++] = archive;
    argv[n_words++] = (char *)"-lm";
    argv[n_words++] = (char *)"-pthread";
    argv[n_words++] = (char *)"-ldl";
    /* the simulator looks there for what knows HDF5, and beside itself */
    if (where_is("libimph5.so", library)) {
        *strrchr(library, '/') = 0;
        add_folder(argv, &n_words, library);
    }
    add_folder(argv, &n_words, "$ORIGIN");
    argv[n_words] = NULL;
    int status = run_program(diags->arena, argv, &said);
    if (!status)
        return IMP_EXIT_OK;
    struct diag *diag;
    if (status < 0) {
        diag =
            diag_add(diags, DIAG_E0831, IMP_NOWHERE,
                     "the C compiler `cc`, which links simulators, cannot be "
                     "started: %s",
                     strerror(errno));
        diag_help(diags, diag,
                  "install one (Debian: apt install gcc libc6-dev), or "
                  "use --emit=obj");
    } else {
        diag = diag_add(
            diags, DIAG_E0831, IMP_NOWHERE,
            "linking the simulator failed: `cc` ended with status %d", status);
        if (said[0])
            diag_note(diags, diag, IMP_NOWHERE, "it said: %s", said);
        diag_help(diags, diag,
                  "look at the first line that `cc` said; often a disk "
                  "is full or a C library is missing");
    }
    return IMP_EXIT_RUN;
}

/* May a file of this name be made, or replaced? The model and what it reads may
 * not be, nor a device: a rename would put a file in its place. Returns an exit
 * status. */
static int
may_replace(const char *out, struct diags *diags)
{
    struct stat st;

    if (stat(out, &st))
        return IMP_EXIT_OK;
    if (S_ISDIR(st.st_mode))
        return cannot_write(diags, out, EISDIR);
    if (S_ISREG(st.st_mode) && !source_at(diags->sources, out))
        return IMP_EXIT_OK;
    struct diag *diag =
        diag_add(diags, DIAG_E0819, IMP_NOWHERE, "cannot write `%s`: %s", out,
                 S_ISREG(st.st_mode) ? "the model is read from this file"
                                     : "it is a device or a pipe, no file");
    diag_help(diags, diag, "choose another name with -o");
    return IMP_EXIT_RUN;
}

static int
write_simulator(const struct gen_bytes *bytes, const char *out, bool link,
                atomic_int *stop, struct diags *diags)
{
    char *object, *exe = NULL;
    int fd, status = IMP_EXIT_OK, error;
    fd = temporary(diags->arena, out, &object);
    if (fd < 0)
        return cannot_write(diags, out, errno);
    error = put_file(fd, bytes->s, bytes->n);
    if (!error && link) {
        fd = temporary(diags->arena, out, &exe);
        if (fd < 0)
            error = errno;
        else
            close(fd);
        if (!error)
            status = link_simulator(object, exe, diags);
        if (stop && atomic_load(stop)) {
            if (!status)
                diag_add(diags, DIAG_E0717, IMP_NOWHERE,
                         "stopped before \"%s\" was linked", out);
            status = IMP_EXIT_RUN;
        }
    }
    const char *ready = link ? exe : object;
    if (!error && !status &&
        (chmod(ready, mode_of(link)) || rename(ready, out)))
        error = errno;
    unlink(object); /* the temporary file has been renamed, or is not wanted */
    if (exe)
        unlink(exe);
    return error ? cannot_write(diags, out, error) : status;
}

static bool
known_cpu(const char *cpu, struct diags *diags)
{
    for (size_t i = 0; i < N_CPUS; i++)
        if (!strcmp(cpu, cpus[i]))
            return true;
    struct diag *diag = diag_add(diags, DIAG_E0804, IMP_NOWHERE,
                                 "`--cpu` takes a level of the architecture; "
                                 "found `%s`",
                                 cpu);
    const char *near = suggest(cpu, cpus, N_CPUS);
    struct buf list = {0};
    for (size_t i = 0; i < N_CPUS; i++)
        buf_printf(&list, "%s%s", i ? ", " : "", cpus[i]);
    diag_note(diags, diag, IMP_NOWHERE, "it can be %s", buf_str(&list));
    buf_free(&list);
    if (near)
        diag_help(diags, diag, "did you mean `%s`?", near);
    return false;
}

/* LLVM cannot be interrupted, and takes long for a large model. So a thread
 * looks at the flag of Ctrl-C meanwhile. */
struct lookout {
    pthread_t thread;
    bool runs;
    atomic_int *stop;
    atomic_bool done;
};
#define LOOK_EVERY_NS 20000000L

static void *
look_out(void *ctx)
{
    struct lookout *lookout = ctx;
    const struct timespec pause = {0, LOOK_EVERY_NS};
    while (!atomic_load(&lookout->done)) {
        if (atomic_load(lookout->stop)) {
            fputs("error[E0717]: stopped before the simulator was made\n",
                  stderr);
            _exit(IMP_EXIT_RUN);
        }
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static struct gen_bytes
emit(const struct gen_api *api, const imp_image *image,
     const struct gen_options *gen, atomic_int *stop)
{
    struct lookout lookout = {.stop = stop};
    lookout.runs = stop && stack_thread(&lookout.thread, look_out, &lookout);
    struct gen_bytes bytes = api->emit(image, gen);
    atomic_store(&lookout.done, true);
    if (lookout.runs)
        pthread_join(lookout.thread, NULL);
    return bytes;
}

int
build_simulator(const imp_image *image, const char *out,
                const struct build_options *options, struct diags *diags)
{
    assert(image && out && options && diags && options->emit <= BUILD_ASM);
    static const enum gen_output kind[] = {GEN_OBJECT, GEN_OBJECT, GEN_IR,
                                           GEN_ASM};
    struct gen_options gen = {.opt = options->opt,
                              .cpu = options->cpu ? options->cpu : cpus[0],
                              .with_image = true,
                              .pic = true,
                              .output = kind[options->emit]};
    const char *error = "";
    struct gen_bytes bytes = {NULL, 0, NULL};

    if (!known_cpu(gen.cpu, diags))
        return IMP_EXIT_MODEL;
    if (!out[0])
        return cannot_write(diags, out, ENOENT);
    int status = may_replace(out, diags);
    if (status)
        return status;
    const struct gen_api *api = load_codegen(&error);
    bytes.error = error;
    if (api)
        bytes = emit(api, image, &gen, options->stop);
    if (!bytes.s) {
        diag_add(diags, DIAG_E0816, IMP_NOWHERE,
                 "machine code cannot be made: %s", bytes.error);
        return IMP_EXIT_RUN;
    }
    /* the bytes are freed also if memory runs out in between */
    struct oom_guard guard;
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        free(bytes.s);
        oom_raise();
    }
    oom_enter(&guard);
    status = write_simulator(&bytes, out, options->emit == BUILD_EXE,
                             options->stop, diags);
    oom_leave(&guard);
    free(bytes.s);
    return status;
}
