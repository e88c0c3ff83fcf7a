/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See restarts.h. */
#include "restarts.h"

#include <math.h>
#include <string.h>

/* A run begins again at an impact that is no weaker, and is alone for so long
 * before and behind. The gap there is a rounding of either sign, 1e-15, which
 * is such an impact's time to 1e-11 s. */
static const double STRONG = 1e-3, ALONE = 1e-6;

/* Is nothing near to a contact in that row, but to the one that is named? */
static bool
others_apart(const struct trial *trial, int row, int contact)
{
    for (int i = 0; i < trial->model->contacts; i++)
        if (i != contact && trial->model->contact[i].there &&
            !(trial->result->gap[row * trial->model->contacts + i] > 1e-3))
            return false;
    return true;
}

bool
all_apart(const struct trial *trial, int row)
{
    return others_apart(trial, row, -1);
}

/* Is the row one of an event? Behind one rounding may decide what slips. */
static bool
at_event(const struct result *result, int row)
{
    return result->t[row - 1] == result->t[row] ||
           result->t[row + 1] == result->t[row];
}

bool
make_restart(struct trial *trial)
{
    bool rubs =
        model_has_rough_joints(trial->model) || model_has_rotors(trial->model);
    int rows = trial->result->rows;
    for (int tries = 0; tries < 20 && rows > 2; tries++) {
        int row = 1 + random_whole(&trial->random, rows - 2);
        double time = trial->result->t[row];
        if (!all_apart(trial, row) || time >= trial->model->until ||
            (rubs && at_event(trial->result, row)))
            continue;
        model_restart(&trial->other, trial->result, row);
        trial->frame.start = trial->from = time;
        return true;
    }
    return false;
}

static bool
opens(const struct event *event)
{
    return !strcmp(event->kind, "impact") || !strcmp(event->kind, "leave") ||
           !strcmp(event->kind, "liftoff");
}

/* Is some contact closed in that row, for good, and are all others apart? */
static bool
some_rest(const struct trial *trial, int row)
{
    const struct result *result = trial->result;
    bool closed[MAX_CONTACTS] = {false}, any = false;
    for (int i = 0; i < result->events; i++) {
        const struct event *event = &result->event[i];
        if (event->time > result->t[row] || event->contact < 0)
            continue;
        closed[event->contact] = !opens(event);
    }
    for (int i = 0; i < trial->model->contacts; i++) {
        double gap = result->gap[row * trial->model->contacts + i];
        if (!trial->model->contact[i].there)
            continue;
        if (!(gap > 1e-3) && !(closed[i] && fabs(gap) < 1e-9))
            return false;
        any |= closed[i];
    }
    return any;
}

/* Begins where something rests on something else. */
bool
make_restart_closed(struct trial *trial)
{
    int rows = trial->result->rows;
    for (int tries = 0; tries < 40 && rows > 2; tries++) {
        int row = 1 + random_whole(&trial->random, rows - 2);
        double time = trial->result->t[row];
        if (at_event(trial->result, row) || time >= trial->model->until ||
            !some_rest(trial, row))
            continue;
        model_restart(&trial->other, trial->result, row);
        trial->frame.start = trial->from = time;
        return true;
    }
    return false;
}

/* Is the contact of an event held when it comes, by another corner, which an
 * impact of this one need not open? */
static bool
is_held_before(const struct result *result, int index)
{
    bool closed = false;
    for (int i = 0; i < index; i++) {
        const struct event *event = &result->event[i];
        if (event->contact == result->event[index].contact &&
            strcmp(event->kind, "impact") != 0)
            closed = !opens(event);
    }
    return closed;
}

/* Is the gap of a contact below 0, and one coordinate alone? All of its terms
 * are rounding then, as the coordinate has come to 0 along the motion, and a
 * run that begins there knows no size of which it is: it refuses the gap
 * (E0620). */
static bool
is_below_without_size(const struct trial *trial, int row, int contact)
{
    const struct result *result = trial->result;
    double gap = result->gap[row * trial->model->contacts + contact];
    bool one = false;
    for (int index = 0; index < trial->model->systems; index++)
        for (int i = 0; i < trial->model->system[index].coordinates; i++)
            one |= fabs(result->place[row * MAX_SYSTEMS + index].q[i]) == -gap;
    return gap < 0 && one;
}

/* Begins at an impact: as it comes to be, or with what it leaves. */
bool
make_restart_impact(struct trial *trial)
{
    const struct result *result = trial->result;
    bool before = random_chance(&trial->random, 0.5);
    for (int tries = 0; tries < 40 && result->events; tries++) {
        int index = random_whole(&trial->random, result->events), row = 0;
        const struct event *event = &result->event[index];
        while (row + 1 < result->rows && result->t[row] < event->time)
            row++;
        if (strcmp(event->kind, "impact") != 0 ||
            !(fabs(event->impulse) > STRONG) || row + 2 >= result->rows ||
            result->t[row] != event->time || event->time <= ALONE ||
            result->t[row + 1] != event->time ||
            event->time >= trial->model->until ||
            (index && event[-1].time > event->time - ALONE) ||
            (index + 1 < result->events &&
             event[1].time < event->time + ALONE) ||
            !others_apart(trial, row, event->contact) ||
            is_held_before(result, index) ||
            (before && is_below_without_size(trial, row, event->contact)))
            continue;
        model_restart(&trial->other, result, before ? row : row + 1);
        trial->frame.start = event->time;
        trial->from = event->time - (before ? ALONE / 2 : 0);
        return true;
    }
    return false;
}
