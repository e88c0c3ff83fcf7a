/* SPDX-License-Identifier: MIT */
/* Status codes that generated code, runtime and compiler agree on. */
#ifndef IMP_ABI_STATUS_H
#define IMP_ABI_STATUS_H

enum imp_status {
    IMP_OK = 0,
    IMP_NONFINITE = 1,  /* an output is NaN or infinite (I5) */
    IMP_SINGULAR = 2,   /* the linear system of an implicit block is singular */
    IMP_DIVERGED = 3,   /* an iteration found no answer */
    IMP_STOPPED = 4,    /* interrupted by the user */
    IMP_FAILED = 5,     /* a diagnostic has been emitted already */
    IMP_BADMODEL = 6    /* a diagnostic has been emitted; the model is wrong */
};

/* exit statuses of every program of this project */
enum imp_exit {
    IMP_EXIT_OK = 0,
    IMP_EXIT_EXPECT = 1, /* an `expect` failed */
    IMP_EXIT_MODEL = 2,  /* the model (or the command line) is wrong */
    IMP_EXIT_RUN = 3     /* the computation failed */
};

#endif
