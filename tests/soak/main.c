/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The soak: random models, and relations between their runs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "changed.h"
#include "check.h"
#include "generate.h"
#include "shrink.h"

struct options {
    struct runner runner;
    uint64_t seed;  /* the first */
    uint64_t count; /* seeds at most */
    uint64_t runs;  /* until so many whose bodies met MEETINGS times */
    long seconds;   /* at most */
    int jobs;
    int shrink_seconds;
    const char *only;  /* name of the only check, or NULL */
    const char *kind;  /* of models; NULL: all */
    const char *known; /* file of known findings, or NULL */
    const char *root;  /* of the repository, for the kind `changed` */
    bool ways;         /* machine code and simulators, too */
    bool print;        /* print the models, run nothing */
    bool quiet;        /* no line at the end */
};

/* Runs count for --runs if two moving bodies met so often. */
enum { MEETINGS = 3 };

static const char usage[] =
    "usage: soak [OPTION ...]\n"
    "  --imp PATH        the program (build/imp)\n"
    "  --seed N          the first seed (1)\n"
    "  --count N         so many seeds, at most\n"
    "  --runs N          until N models in which two bodies met 3 times and "
    "more\n"
    "  --seconds N       for so long, at most (60)\n"
    "  --jobs N          processes (1)\n"
    "  --check NAME      this check alone\n"
    "  --kind NAME       models of this kind alone (README.md lists them)\n"
    "  --root FOLDER     of the repository, whose models the kind `changed`\n"
    "                    takes (.)\n"
    "  --known FILE      leave out the findings listed there\n"
    "  --memory BYTES    that a run may take (2000000000); 0: any, as a "
    "build\n"
    "                    with a sanitizer needs\n"
    "  --ways            compare machine code and simulators too\n"
    "  --shrink N        seconds to make a failing model small (60)\n"
    "  --print           print the models and run nothing\n"
    "A failing model is printed with its seed, the check, and the second "
    "model.\n"
    "The exit status is 1 if there is one.\n";

static bool
read_options(int count, char **argument, struct options *out)
{
    *out = (struct options){.runner = {.imp = "build/imp",
                                       .backend = "eval",
                                       .opt = 2,
                                       .seconds = 10,
                                       .memory = 2000000000},
                            .seed = 1,
                            .root = ".",
                            .count = UINT64_MAX,
                            .runs = UINT64_MAX,
                            .seconds = 60,
                            .jobs = 1,
                            .shrink_seconds = 60};
    for (int i = 1; i < count; i++) {
        const char *name = argument[i];
        if (!strcmp(name, "--ways")) {
            out->ways = true;
            continue;
        }
        if (!strcmp(name, "--print")) {
            out->print = true;
            continue;
        }
        if (++i == count)
            return false;
        const char *value = argument[i];
        if (!strcmp(name, "--imp"))
            out->runner.imp = value;
        else if (!strcmp(name, "--seed"))
            out->seed = strtoull(value, NULL, 10);
        else if (!strcmp(name, "--count"))
            out->count = strtoull(value, NULL, 10);
        else if (!strcmp(name, "--runs"))
            out->runs = strtoull(value, NULL, 10);
        else if (!strcmp(name, "--memory"))
            out->runner.memory = strtoull(value, NULL, 10);
        else if (!strcmp(name, "--seconds"))
            out->seconds = strtol(value, NULL, 10);
        else if (!strcmp(name, "--jobs"))
            out->jobs = (int)strtol(value, NULL, 10);
        else if (!strcmp(name, "--shrink"))
            out->shrink_seconds = (int)strtol(value, NULL, 10);
        else if (!strcmp(name, "--check"))
            out->only = value;
        else if (!strcmp(name, "--kind"))
            out->kind = value;
        else if (!strcmp(name, "--root"))
            out->root = value;
        else if (!strcmp(name, "--known"))
            out->known = value;
        else
            return false;
    }
    return out->jobs >= 1;
}

/* One write, so that jobs do not mix their lines. */
static void
report(const struct options *options, uint64_t seed, int check,
       const struct model *model, const struct finding *finding)
{
    char *text = NULL, *small = model_text(model), *other = NULL;
    size_t size = 0;
    struct subject subject;
    struct finding again = {0};
    subject_make(model, seed, &subject);
    check_run(&options->runner, &subject, check, &again, &other);
    subject_free(&subject);
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "==== seed %llu, %s: %s\n%s\n---- model\n%s",
            (unsigned long long)seed, check_name(check), finding->kind,
            finding->text, small);
    if (other)
        fprintf(out, "---- the other model\n%s", other);
    fprintf(out, "====\n");
    fclose(out);
    fwrite(text, 1, size, stdout);
    fflush(stdout);
    free(text);
    free(small);
    free(other);
}

/* Is there a line "SEED CHECK ..." in the file of known findings? */
static bool
known_seed(const struct options *options, uint64_t seed, const char *check)
{
    char line[300], name[40];
    unsigned long long number;
    bool found = false;
    FILE *in = options->known ? fopen(options->known, "r") : NULL;
    while (in && !found && fgets(line, sizeof line, in))
        found = sscanf(line, "%llu %39s", &number, name) == 2 &&
                number == seed && !strcmp(name, check);
    if (in)
        fclose(in);
    return found;
}

static bool
is_known(const struct options *options, uint64_t seed, int check)
{
    return known_seed(options, seed, check_name(check));
}

/* What a job has done. */
struct tally {
    uint64_t models, met; /* those in which bodies met MEETINGS times */
    long checks;
    int findings, rounding; /* of these differences rounding decides */
};

/* The checks of one model, until the time `end`: those of a slow one take
 * minutes. */
static void
soak_seed(const struct options *options, uint64_t seed, time_t end,
          struct tally *tally)
{
    struct model *model = malloc(sizeof *model);
    struct subject subject;
    generate(seed, options->kind, model);
    subject_make(model, seed, &subject);
    int checks = options->ways ? check_count() : check_ways();
    for (int check = 0; check < checks && time(NULL) < end; check++) {
        struct finding finding = {0};
        if ((options->only && strcmp(options->only, check_name(check)) != 0) ||
            is_known(options, seed, check))
            continue;
        check_run(&options->runner, &subject, check, &finding, NULL);
        tally->checks++;
        if (!finding.kind[0])
            continue;
        if (finding.rounding) {
            tally->rounding++;
            printf("seed %llu, %s: %s\n%s\n", (unsigned long long)seed,
                   check_name(check), finding.kind, finding.text);
            fflush(stdout);
            continue;
        }
        tally->findings++;
        struct model small = *model;
        shrink(&options->runner, &small, seed, check, &finding,
               options->shrink_seconds);
        report(options, seed, check, &small, &finding);
        /* one finding per model is enough: the others mostly say the same */
        break;
    }
    tally->models++;
    tally->met += subject.meetings >= MEETINGS;
    subject_free(&subject);
    free(model);
}

static bool
is_changed(const struct options *options)
{
    return options->kind && !strcmp(options->kind, "changed");
}

/* The same for models of the tests and examples with changes. */
static int
work_changed(const struct options *options, int job)
{
    time_t end = time(NULL) + options->seconds;
    struct models models;
    uint64_t done = 0;
    int findings = 0;
    if (!models_find(options->root, &models)) {
        fprintf(stderr, "soak: no models below %s\n", options->root);
        return 2;
    }
    for (uint64_t i = (uint64_t)job;
         i < options->count && (options->print || time(NULL) < end);
         i += (uint64_t)options->jobs, done++) {
        struct finding finding = {0};
        const char *from;
        uint64_t seed = options->seed + i;
        char *text = changed_text(&models, seed, &from);
        if (options->print)
            fputs(text, stdout);
        else
            changed_check(&options->runner, text, seed, &finding);
        if (finding.kind[0] && !known_seed(options, seed, "changed")) {
            findings++;
            printf("==== seed %llu, changed: %s\n%s\n---- model (%s)\n%s====\n",
                   (unsigned long long)seed, finding.kind, finding.text, from,
                   text);
            fflush(stdout);
        }
        free(text);
    }
    for (size_t i = 0; i < models.n; i++)
        free(models.path[i]);
    free(models.path);
    if (!options->print)
        printf("job %d: %llu changed models, %d findings\n", job,
               (unsigned long long)done, findings);
    fflush(stdout);
    return findings != 0;
}

static int
work(const struct options *options, int job)
{
    if (is_changed(options))
        return work_changed(options, job);
    time_t end = time(NULL) + options->seconds;
    struct tally tally = {0};
    for (uint64_t i = (uint64_t)job;
         i < options->count && time(NULL) < end && tally.met < options->runs;
         i += (uint64_t)options->jobs)
        soak_seed(options, options->seed + i, end, &tally);
    printf("job %d: %llu models, %ld checks, %d findings, %d differences that "
           "rounding decides; bodies met %d times and more in %llu\n",
           job, (unsigned long long)tally.models, tally.checks, tally.findings,
           tally.rounding, MEETINGS, (unsigned long long)tally.met);
    fflush(stdout);
    return tally.findings != 0;
}

int
main(int count, char **argument)
{
    struct options options;
    struct model *trial = malloc(sizeof *trial);
    bool fine =
        read_options(count, argument, &options) &&
        (is_changed(&options) || generate(options.seed, options.kind, trial));
    free(trial);
    if (!fine) {
        fputs(usage, stderr);
        return 2;
    }
    if (options.print && !is_changed(&options)) {
        struct model *model = malloc(sizeof *model);
        generate(options.seed, options.kind, model);
        model_print(model, stdout);
        free(model);
        return 0;
    }
    int status = 0;
    for (int job = 0; job < options.jobs; job++) {
        fflush(NULL);
        pid_t pid = options.jobs == 1 ? 0 : fork();
        if (pid == 0 && options.jobs == 1)
            return work(&options, 0);
        if (pid == 0)
            _exit(work(&options, job));
        if (pid < 0) {
            fprintf(stderr, "soak: %s\n", strerror(errno));
            return 3;
        }
    }
    for (int state; wait(&state) > 0;)
        status |= !WIFEXITED(state) || WEXITSTATUS(state);
    return status;
}
