/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two handles of imp.h in two threads at once: prints what each would print
 * with `imp run`, one after the other. Usage: capi_two A.imp B.imp */
#include <pthread.h>
#include <stdio.h>

#include "imp/imp.h"

struct job {
    imp *h;
    const char *path;
    int status;
};

static void *
work(void *ctx)
{
    struct job *j = ctx;

    /* more than once: a handle can be used again */
    for (int i = 0; i < 3; i++) {
        j->status = imp_load_file(j->h, j->path);
        if (j->status == IMP_FINE)
            j->status = imp_run(j->h);
    }
    return NULL;
}

int
main(int argc, char **argv)
{
    struct job job[2];
    pthread_t thread[2];
    int worst = IMP_FINE;

    if (argc != 3)
        return IMP_MODEL_WRONG;
    for (int i = 0; i < 2; i++) {
        job[i] = (struct job){imp_new(), argv[i + 1], IMP_RUN_FAILED};
        if (!job[i].h || pthread_create(&thread[i], NULL, work, &job[i]) != 0)
            return IMP_RUN_FAILED;
    }
    for (int i = 0; i < 2; i++) {
        size_t n;
        pthread_join(thread[i], NULL);
        const char *s = imp_output(job[i].h, &n);
        fwrite(s, 1, n, stdout);
        s = imp_diagnostics(job[i].h, &n);
        fwrite(s, 1, n, stderr);
        if (job[i].status > worst)
            worst = job[i].status;
        imp_free(job[i].h);
    }
    return worst;
}
