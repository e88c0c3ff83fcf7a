/* SPDX-License-Identifier: MIT */
/* Two contacts that slip, as Varkonyi classifies them (specification
 * painleve.md, 12): which of them may push, whether that is stable where the
 * contacts are a little compliant, and at which impacts without collision are
 * possible. */
#ifndef IMP_RUNTIME_FRICTION_PAINLEVE_TWO_H
#define IMP_RUNTIME_FRICTION_PAINLEVE_TWO_H

#include <stdbool.h>

struct arena;

/* The acceleration of gap i is b[i] + sum over j of p[2 i + j] times the normal
 * force at j, whose friction is that of its slip. */
struct painleve_two_in {
    double p[4], b[2];
};
enum painleve_two_mode { /* in this order */
                         PAINLEVE_FF,
                         PAINLEVE_SS,
                         PAINLEVE_SF,
                         PAINLEVE_FS,
                         PAINLEVE_TWO_MODES
};
enum painleve_stability {
    PAINLEVE_STABLE,
    PAINLEVE_UNSTABLE,
    PAINLEVE_UNDECIDED /* it depends on stiffness and damping, however stiff */
};
struct painleve_two {
    /* s1 s2 s3: 1 to 4, 1 to 6, 1 to 6; all 0: a vector lies on a border */
    int class[3], dual[3];
    bool consistent[PAINLEVE_TWO_MODES];
    double force[2 * PAINLEVE_TWO_MODES]; /* normal forces of each mode */
    enum painleve_stability stability[PAINLEVE_TWO_MODES];
    bool first, second, both; /* impacts IF, FI; II where it may be */
};
void painleve_two_find(const struct painleve_two_in *in,
                       struct painleve_two *out);
/* Eigenvalues (real, imaginary; 4 of them) of the fast motion where both slip
 * and the contacts have the stiffnesses k and dampings q, all > 0:
 * y'' = -p (k y + q y'). False: the iteration has not come to an end. */
bool painleve_two_eigenvalues(struct arena *arena,
                              const struct painleve_two_in *in,
                              const double k[2], const double q[2],
                              double out[8]);

#endif
