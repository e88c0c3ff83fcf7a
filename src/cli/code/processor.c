/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See processor.h. On x86-64 the instruction CPUID tells maker, model and
 * instructions (AMD64 Architecture Programmer's Manual, volume 3, appendix E;
 * Intel 64 Software Developer's Manual, volume 2, CPUID). Registers that count
 * cores or tell the present one are left out. */
#include "cli/code/processor.h"

#include <assert.h>

#ifdef __x86_64__
#include <cpuid.h>

enum { EAX = 1, EBX = 2, ECX = 4, EDX = 8 };

bool
processor_add(struct sha256 *sha)
{
    static const struct {
        unsigned leaf, part, registers;
    } asked[] = {
        {0, 0, EBX | ECX | EDX},
        {1, 0, EAX | ECX | EDX},
        {7, 0, EBX | ECX | EDX},
        {7, 1, EAX | EBX | ECX | EDX},
        {0xd, 1, EAX},
        {0x14, 0, EBX},
        {0x19, 0, EBX},
        {0x24, 0, EBX},
        {0x80000001, 0, ECX | EDX},
        {0x80000008, 0, EBX},
    };

    assert(sha);
    for (unsigned i = 0; i < sizeof asked / sizeof *asked; i++) {
        unsigned got[4] = {0};
        /* a leaf that is not there leaves 0 */
        if (!__get_cpuid_count(asked[i].leaf, asked[i].part, &got[0], &got[1],
                               &got[2], &got[3]))
            got[0] = got[1] = got[2] = got[3] = 0;
        for (unsigned k = 0; k < 4; k++)
            if (asked[i].registers & 1u << k)
                sha256_add(sha, &got[k], sizeof got[k]);
    }
    /* of these the system must save the registers, too */
    int saved[] = {__builtin_cpu_supports("avx") != 0,
                   __builtin_cpu_supports("avx512f") != 0};
    sha256_add(sha, saved, sizeof saved);
    return true;
}
#else
bool
processor_add(struct sha256 *sha)
{
    assert(sha);
    (void)sha;
    return false;
}
#endif
