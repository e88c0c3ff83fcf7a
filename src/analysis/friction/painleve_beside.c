/* SPDX-License-Identifier: MIT */
/* What is told of one contact, or of two, is told as if no other one pushed,
 * and as if joints had no friction. So it must be said where another one is
 * closed at the instant and acts on them, and where joints have some. */
#include <assert.h>

#include "abi/status.h"
#include "analysis/friction/friction_priv.h"

static void
tell(struct analysis *analysis, const imp_command *command,
     const struct painleve_instant *instant, int n, uint32_t other)
{
    const struct rt *run = analysis->rt;
    uint32_t contact = instant->reader->contact;
    const char *name = imp_text(run->im, rt_contact(run, contact)->name),
               *beside = imp_text(run->im, rt_contact(run, other)->name);
    struct diag *diag = diag_add(
        analysis->ds, DIAG_W0747, command->range,
        "`%s` is closed at this instant, too, and acts on `%s`", beside, name);
    diag_note(analysis->ds, diag, rt_contact(run, other)->range,
              "what is told of `%s` is as if this contact did not push", name);
    if (n == 1 && command->id == IMP_CMD_painleve)
        diag_help(analysis->ds, diag,
                  "ask about both, if each touches at one point: painleve %s, "
                  "%s; `simulate` chooses the modes of all contacts",
                  name, beside);
    else
        diag_help(analysis->ds, diag,
                  "`simulate` chooses the modes of all contacts together");
}

/* The same where joints have friction, which acts on the contact. */
static void
tell_joint(struct analysis *analysis, const imp_command *command,
           const struct painleve_instant *instant)
{
    const struct rt *run = analysis->rt;
    const struct painleve_reader *reader = instant->reader;
    uint32_t number =
        reader->by->rubbing ? reader->by->rubbing(reader) : UINT32_MAX;
    if (number == UINT32_MAX)
        return;
    const imp_joint *joint =
        IMP_ARRAY(run->im, run->im->joints, imp_joint) + number;
    const char *name =
        imp_text(run->im, rt_contact(run, reader->contact)->name);
    struct diag *diag =
        diag_add(analysis->ds, DIAG_W0747, command->range,
                 "the joint `%s` has friction, which acts on `%s`",
                 imp_text(run->im, joint->name), name);
    diag_note(analysis->ds, diag, joint->range_friction,
              "what is told of `%s` is as if the joints had none", name);
    diag_help(analysis->ds, diag,
              "`simulate` chooses modes of contacts and joints together");
}

void
painleve_tell_beside(struct analysis *analysis, const imp_command *command,
                     const struct painleve_instant *instant, int n)
{
    assert(analysis != NULL && command != NULL && instant != NULL && n >= 1);
    const struct rt *run = analysis->rt;
    uint32_t system = rt_contact(run, instant[0].reader->contact)->system;
    tell_joint(analysis, command, &instant[0]);
    for (uint32_t i = 0; i < run->im->contacts.n; i++) {
        bool asked = false;
        for (int k = 0; k < n; k++)
            asked |= instant[k].reader->contact == i;
        if (asked || rt_contact(run, i)->system != system)
            continue;
        for (int k = 0; k < n; k++)
            if (instant[k].closed &&
                instant[k].reader->by->beside(instant[k].reader, i)) {
                tell(analysis, command, &instant[k], n, i);
                return;
            }
    }
}
