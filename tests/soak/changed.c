/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes models (changed.h): a number is scaled or has its sign flipped, a
 * word is taken for another one, of the same kind or of the same model, a line
 * is dropped or doubled, a key is added that another block of the model has. */
#include "changed.h"

#include <ctype.h>
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Words that may stand where another one of the same group stands. */
static const char *const groups[][12] = {
    {"newton", "poisson", "energetic", "sequential", "complementarity",
     "least_norm", "rest", "sticking", "lzb"},
    {"circle", "ellipse", "rectangle", "superellipse", "half_plane", "polygon"},
    {"sphere", "ellipsoid", "cuboid", "half_space", "polyhedron",
     "superellipsoid"},
    {"hinge", "slider", "ball", "fixed", "distance", "constraint"},
    {"simulate", "chatter", "impact", "classify", "balance", "painleve",
     "compare", "threshold"},
    {"sin", "cos", "exp", "sqrt", "abs", "sign", "log", "atan", "tanh"},
    {"restitution", "friction", "compliance", "gap", "slide", "law"},
    {"position", "velocity", "spin", "angle", "quaternion", "force", "torque"},
    {"mass", "density", "inertia"},
    {"kinetic", "potential", "dissipation", "force", "mass", "stiffness"},
    {"true", "false"},
    {"min", "max"},
    {"record", "at", "every", "until", "keep", "engine", "capture"}};
enum { GROUPS = sizeof groups / sizeof *groups, WORDS_MOST = 2000 };

/* One of 8 texts is run by machine code, too. */
enum { BY_CODE = 8 };
/* A run that is asked to stop does so within so many seconds. */
enum { STOPS_WITHIN = 10 };

/* -- which models ---------------------------------------------------------- */

static struct models *found; /* of nftw, which passes nothing on */

static int
note(const char *path, const struct stat *file, int kind, struct FTW *where)
{
    (void)file;
    (void)where;
    size_t n = strlen(path);
    if (kind == FTW_F && n > 4 && !strcmp(path + n - 4, ".imp")) {
        found->path =
            realloc(found->path, (found->n + 1) * sizeof *found->path);
        found->path[found->n++] = strdup(path);
    }
    return 0;
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool
models_find(const char *root, struct models *out)
{
    static const char *const folders[] = {"tests/run", "examples"};
    *out = (struct models){0};
    found = out;
    for (int i = 0; i < 2; i++) {
        char path[1000];
        snprintf(path, sizeof path, "%s/%s", root, folders[i]);
        nftw(path, note, 16, FTW_PHYS);
    }
    if (out->n)
        qsort(out->path, out->n, sizeof *out->path, by_name);
    return out->n > 0;
}

static char *
read_file(const char *path)
{
    char *text = NULL;
    size_t size = 0, n;
    char part[4096];
    FILE *in = fopen(path, "r"), *out = open_memstream(&text, &size);
    while (in && (n = fread(part, 1, sizeof part, in)) > 0)
        fwrite(part, 1, n, out);
    if (in)
        fclose(in);
    fclose(out);
    return text;
}

/* -- changes --------------------------------------------------------------- */

/* A place in a text. */
struct span {
    size_t at, n;
};

/* The text with other characters in place of the span. Frees it. */
static char *
replaced(char *text, struct span span, const char *by)
{
    size_t size = strlen(text) + strlen(by) + 1;
    char *out = calloc(size, 1);
    snprintf(out, size, "%.*s%s%s", (int)span.at, text, by,
             text + span.at + span.n);
    free(text);
    return out;
}

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Lists numbers, or else words, outside of comments. */
static int
list(const char *text, bool numbers, struct span *out)
{
    int n = 0;
    for (size_t i = 0; text[i] && n < WORDS_MOST;) {
        bool digit = isdigit((unsigned char)text[i]) ||
                     (text[i] == '.' && isdigit((unsigned char)text[i + 1]));
        size_t from = i;
        if (text[i] == '#') {
            i += strcspn(text + i, "\n");
        } else if (digit) {
            char *end;
            strtod(text + i, &end);
            i = (size_t)(end - text);
            if (numbers)
                out[n++] = (struct span){from, i - from};
        } else if (is_word(text[i])) {
            while (is_word(text[i]))
                i++;
            if (!numbers)
                out[n++] = (struct span){from, i - from};
        } else {
            i++;
        }
    }
    return n;
}

static char *
change_number(char *text, struct random *random)
{
    static const double scale[] = {0, 0.1, 0.5, 0.999, 2, 10, 1e-9, 1e6, 1e300};
    struct span at[WORDS_MOST];
    char by[40];
    int n = list(text, true, at);
    if (!n)
        return text;
    struct span span = at[random_whole(random, n)];
    double value = strtod(text + span.at, NULL);
    if (random_chance(random, 0.3))
        snprintf(by, sizeof by, "(-%.*s)", (int)span.n, text + span.at);
    else
        snprintf(by, sizeof by, "%.12g",
                 value *
                     scale[random_whole(random, sizeof scale / sizeof *scale)]);
    return replaced(text, span, by);
}

/* Another word of a group that has this one, or "". */
static const char *
akin(const char *word, size_t n, struct random *random)
{
    for (int g = 0; g < GROUPS; g++) {
        int size = 0;
        bool has = false;
        for (; size < 12 && groups[g][size]; size++)
            has |= strlen(groups[g][size]) == n &&
                   !memcmp(groups[g][size], word, n);
        if (has)
            return groups[g][random_whole(random, size)];
    }
    return "";
}

static char *
change_word(char *text, struct random *random)
{
    struct span at[WORDS_MOST];
    int n = list(text, false, at);
    if (!n)
        return text;
    bool own = random_chance(random, 0.5);
    for (int i = 0; i < 50; i++) {
        struct span span = at[random_whole(random, n)],
                    other = at[random_whole(random, n)];
        char by[80];
        if (own)
            snprintf(by, sizeof by, "%.*s", (int)other.n, text + other.at);
        else
            snprintf(by, sizeof by, "%s", akin(text + span.at, span.n, random));
        if (by[0] &&
            (strlen(by) != span.n || memcmp(by, text + span.at, span.n) != 0))
            return replaced(text, span, by);
    }
    return text;
}

static char *
change_sign(char *text, struct random *random)
{
    static const char signs[] = "+-*/^<>=(),[]{}:|'";
    size_t n = strlen(text);
    for (int i = 0; i < 200 && n; i++) {
        size_t at = (size_t)random_whole(random, (int)n);
        char by[2] = {
            signs[random_whole(random, random_chance(random, 0.8) ? 7 : 18)],
            0};
        if (strchr(signs, text[at]) && text[at] != by[0])
            return replaced(text, (struct span){at, 1}, by);
    }
    return text;
}

/* A line that holds anything but blanks and comments. */
static struct span
some_line(const char *text, struct random *random)
{
    struct span line[WORDS_MOST];
    int n = 0;
    for (size_t i = 0; text[i] && n < WORDS_MOST;) {
        size_t length = strcspn(text + i, "\n"),
               blank = strspn(text + i, " \t");
        if (length > blank && text[i + blank] != '#')
            line[n++] = (struct span){i, length};
        i += length + (text[i + length] != 0);
    }
    return n ? line[random_whole(random, n)] : (struct span){0, 0};
}

static char *
change_line(char *text, struct random *random)
{
    struct span line = some_line(text, random);
    char *twice = calloc(2 * line.n + 2, 1);
    if (random_chance(random, 0.5))
        snprintf(twice, 2 * line.n + 2, "%.*s\n%.*s", (int)line.n,
                 text + line.at, (int)line.n, text + line.at);
    text = replaced(text, line, twice);
    free(twice);
    return text;
}

/* A line `key = value` of the model is said in another of its blocks, too. */
static char *
add_key(char *text, struct random *random)
{
    struct span braces[WORDS_MOST], line = {0, 0};
    int n = 0;
    for (size_t i = 0; text[i] && n < WORDS_MOST; i++)
        if (text[i] == '{')
            braces[n++] = (struct span){i + 1, 0};
    for (int i = 0; i < 50; i++) {
        line = some_line(text, random);
        const char *is = memchr(text + line.at, '=', line.n);
        if (is && !memchr(text + line.at, '{', line.n) &&
            !memchr(text + line.at, '}', line.n))
            break;
        line.n = 0;
    }
    if (!n || !line.n)
        return text;
    char *key = calloc(line.n + 3, 1);
    snprintf(key, line.n + 3, "\n%.*s\n", (int)line.n, text + line.at);
    text = replaced(text, braces[random_whole(random, n)], key);
    free(key);
    return text;
}

/* Which model a seed takes: the one whose name and seed together draw the most,
 * so that a new model takes few seeds from the others. */
static const char *
chosen(const struct models *models, uint64_t seed)
{
    const char *best = models->path[0];
    uint64_t most = 0;
    for (size_t i = 0; i < models->n; i++) {
        const char *name = strrchr(models->path[i], '/');
        uint64_t hash = 14695981039346656037u;
        for (; name && *name; name++)
            hash = (hash ^ (unsigned char)*name) * 1099511628211u;
        struct random random = random_start(seed, hash);
        uint64_t draw = random_bits(&random);
        if (draw >= most)
            best = models->path[i];
        most = draw > most ? draw : most;
    }
    return best;
}

char *
changed_text(const struct models *models, uint64_t seed, const char **from)
{
    struct random random = random_start(seed, 1);
    static char *(*const change[])(char *, struct random *) = {
        change_number, change_number, change_word, change_word,
        change_sign,   change_line,   add_key};
    *from = chosen(models, seed);
    char *text = read_file(*from);
    int changes = 1 + random_whole(&random, 2);
    for (int i = 0; i < changes; i++)
        text = change[random_whole(&random, sizeof change / sizeof *change)](
            text, &random);
    return text;
}

/* -- what must hold -------------------------------------------------------- */

/* Does a run that takes long end when it is asked to? */
static bool
is_deaf(const struct runner *runner, const char *text)
{
    FILE *in = tmpfile(), *none = tmpfile();
    if (!in || !none || fputs(text, in) < 0) {
        perror("soak: temporary file");
        exit(3);
    }
    fflush(NULL);
    rewind(in);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(fileno(in), 0);
        dup2(fileno(none), 1);
        dup2(fileno(none), 2);
        execl(runner->imp, runner->imp, "run", "--no-cache", "-",
              "--backend=eval", (char *)NULL);
        _exit(127);
    }
    sleep(runner->seconds);
    kill(pid, SIGINT);
    int state = 0;
    pid_t ended = 0;
    for (int i = 0; i < 10 * STOPS_WITHIN && !ended; i++) {
        ended = waitpid(pid, &state, WNOHANG);
        nanosleep(&(struct timespec){0, 100000000}, NULL);
    }
    if (!ended) {
        kill(pid, SIGKILL);
        waitpid(pid, &state, 0);
    }
    fclose(in);
    fclose(none);
    return !ended || WIFSIGNALED(state);
}

/* A run that failed says why. */
static void
ends_well(const struct runner *runner, const char *text,
          const struct result *result, struct finding *finding)
{
    bool tells = strstr(result->err, ": error: ") != NULL;
    if (result->status == EXIT_SIGNAL)
        finding_set(finding, "crash", "ended by signal %d", result->signal);
    else if (result->status == EXIT_TIME) {
        if (is_deaf(runner, text))
            finding_set(finding, "deaf",
                        "it does not stop when it is asked to");
    } else if (strstr(result->err, "internal error") ||
               strstr(result->err, "Assertion"))
        finding_set(finding, "internal error", "%.900s", result->err);
    else if (result->status > 3)
        finding_set(finding, "status", "status %d: %.900s", result->status,
                    result->err);
    else if (result->status > 0 && !tells)
        finding_set(finding, "silent", "status %d and no error: %.900s",
                    result->status, result->err);
    else if (result->status == 0 && tells)
        finding_set(finding, "untold", "status 0 and an error: %.900s",
                    result->err);
    else if (strstr(result->err, "[E0713]") || strstr(result->err, "[E0714]") ||
             strstr(result->err, "[E0706]"))
        finding_set(finding, "own fault", "%.900s", result->err);
}

void
changed_check(const struct runner *runner, const char *text, uint64_t seed,
              struct finding *finding)
{
    struct result one, other;
    run_text(runner, text, &one);
    ends_well(runner, text, &one, finding);
    struct random random = random_start(seed, 2);
    if (!finding->kind[0] && one.status != EXIT_TIME &&
        random_whole(&random, BY_CODE) == 0) {
        struct runner code = *runner;
        code.backend = "jit";
        code.opt = 0;
        code.seconds = 4 * runner->seconds;
        run_text(&code, text, &other);
        if (other.status != EXIT_TIME &&
            (other.status != one.status || strcmp(other.out, one.out) != 0 ||
             strcmp(other.err, one.err) != 0))
            finding_set(finding, "machine code",
                        "status %d by the evaluator, %d by machine code",
                        one.status, other.status);
        result_free(&other);
    }
    result_free(&one);
}
