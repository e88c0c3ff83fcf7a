/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a model of meeting_models.h and checks its record by dense_look.h: each
 * flight is free and without overlap, each impact is where bodies touch, along
 * a normal that separates them, with the restitution of its contact. */
#ifndef IMP_TESTS_MEETING_CHECK_H
#define IMP_TESTS_MEETING_CHECK_H

#include "analysis_help.h"
#include "meeting_models.h"

struct meeting_report {
    const char *status;
    char code[16];  /* of the first diagnostic */
    char fault[16]; /* empty: the record is right */
    char detail[160];
    long pair_impacts; /* impacts between bodies that move */
};

static inline void
meeting_fault(struct meeting_report *rep, const char *what, const char *format,
              ...)
{
    va_list args;
    snprintf(rep->fault, sizeof rep->fault, "%s", what);
    va_start(args, format);
    vsnprintf(rep->detail, sizeof rep->detail, format, args);
    va_end(args);
}

/* the poses of a row */
static inline void
meeting_row(const struct run *r, const struct meeting *m, size_t row,
            struct look_pose *p)
{
    char name[32];
    memcpy(p, m->pose, sizeof m->pose);
    for (int b = 0; b < m->n_body; b++) {
        if (m->shape[b].fixed)
            continue;
        size_t d = (size_t)m->dim;
        snprintf(name, sizeof name, "%s_position", m->name[b]);
        memcpy(p[b].x, field(r, 0, name)->num + d * row, d * sizeof(double));
        snprintf(name, sizeof name, "%s_velocity", m->name[b]);
        memcpy(p[b].v, field(r, 0, name)->num + d * row, d * sizeof(double));
        snprintf(name, sizeof name, "%s_spin", m->name[b]);
        if (m->dim == 3) {
            memcpy(p[b].w, field(r, 0, name)->num + d * row,
                   d * sizeof(double));
            snprintf(name, sizeof name, "%s_quaternion", m->name[b]);
            memcpy(p[b].q, field(r, 0, name)->num + 4 * row,
                   4 * sizeof(double));
            continue;
        }
        p[b].w[2] = field(r, 0, name)->num[row];
        snprintf(name, sizeof name, "%s_angle", m->name[b]);
        double angle = field(r, 0, name)->num[row];
        p[b].q[0] = cos(angle / 2);
        p[b].q[1] = p[b].q[2] = 0;
        p[b].q[3] = sin(angle / 2);
    }
}

/* how far two poses of a body are from each other */
static inline double
meeting_off(const struct look_shape *s, const struct look_pose *a,
            const struct look_pose *b)
{
    double off = 0, A[9], B[9];
    look_matrix(a->q, A);
    look_matrix(b->q, B);
    for (int k = 0; k < 3; k++) {
        off = fmax(off, fabs(a->x[k] - b->x[k]));
        off = fmax(off, fabs(a->v[k] - b->v[k]));
        off = fmax(off, fabs(a->w[k] - b->w[k]) * s->radius);
    }
    for (int k = 0; k < 9; k++)
        off = fmax(off, fabs(A[k] - B[k]) * s->radius);
    return off;
}

/* how many vertices of a body reach as far along n as any (of a plane: more
 * than one) */
static inline int
meeting_at(const struct look_shape *s, const struct look_pose *p,
           const double R[9], const double *n)
{
    double turned[3], end;
    int count = 0;
    if (s->kind != LOOK_POLYTOPE)
        return s->kind == LOOK_FLAT ? 2 : 1;
    look_turn_back(R, n, turned);
    end = look_reach(s, p, R, n) - look_dot(n, p->x);
    for (int v = 0; v < s->n; v++)
        count += look_dot(turned, s->vertex[v]) > end - 1e-8;
    return count;
}

/* One impact of pair k alone, with the poses before and after. */
static inline void
meeting_impact(struct meeting *m, int k, const struct look_pose *before,
               const struct look_pose *after, double t,
               struct meeting_report *rep)
{
    double tol = m->dim == 2 ? 1e-9 : 1e-7, axis[3] = {0, 0, 0};
    int a = m->pair[k].body[0], b = m->pair[k].body[1];
    double gap =
        look_apart(&m->shape[a], &before[a], &m->shape[b], &before[b], axis);
    if (!(fabs(gap) <= tol)) {
        meeting_fault(rep, "INVENTED",
                      "impact of c%d at t = %.9g where the gap is %g", k, t,
                      gap);
        return;
    }
    /* the impulse on the second body, and the energy that it costs */
    double P[3] = {0, 0, 0}, work = 0, WPP = 0, all = 0;
    for (int i = 0; i < 2; i++) {
        int body = i ? b : a;
        const struct look_shape *s = &m->shape[body];
        double dv[3], w0[3], w1[3], R[9];
        if (s->fixed)
            continue;
        look_matrix(before[body].q, R);
        look_turn_back(R, before[body].w, w0);
        look_turn_back(R, after[body].w, w1);
        for (int j = 0; j < 3; j++) {
            dv[j] = after[body].v[j] - before[body].v[j];
            P[j] = (i ? 1 : -1) * s->mass * dv[j];
            work +=
                0.5 * s->mass * dv[j] * (after[body].v[j] + before[body].v[j]);
            WPP += s->mass * dv[j] * dv[j];
            all += s->mass * (before[body].v[j] * before[body].v[j] +
                              before[body].w[j] * before[body].w[j] *
                                  s->radius * s->radius);
            if (m->dim == 3 || j == 2) {
                work += 0.5 * s->inertia[j] * (w1[j] - w0[j]) * (w1[j] + w0[j]);
                WPP += s->inertia[j] * (w1[j] - w0[j]) * (w1[j] - w0[j]);
            }
        }
    }
    double size = look_norm(P), n[3], Ra[9], Rb[9];
    if (!(size > 1e-7))
        return;
    for (int j = 0; j < 3; j++)
        n[j] = P[j] / size;
    look_matrix(before[a].q, Ra);
    look_matrix(before[b].q, Rb);
    if (m->shape[a].kind != LOOK_FLAT) {
        double along = look_along(&m->shape[a], &before[a], Ra, &m->shape[b],
                                  &before[b], Rb, n);
        if (!(fabs(along) <= tol + 1e-13 / size)) {
            meeting_fault(rep, "NORMAL",
                          "impact of c%d at t = %.9g along a direction that "
                          "separates by %g",
                          k, t, along);
            return;
        }
    }
    /* several points at once have no restitution in common */
    double back[3] = {-n[0], -n[1], -n[2]};
    if (meeting_at(&m->shape[a], &before[a], Ra, n) > 1 &&
        meeting_at(&m->shape[b], &before[b], Rb, back) > 1)
        return;
    /* u+ - u- = W P, (u+ + u-)/2 = work/P */
    double sum = 2 * work / size, difference = WPP / size;
    double e = -(sum + difference) / (sum - difference);
    if (!(fabs(e - m->e[k]) <=
          1e-7 + 1e-13 * all / (size * fabs(sum - difference))))
        meeting_fault(rep, "LAW",
                      "impact of c%d at t = %.9g has e = %.12g, not %.12g; u = "
                      "%g, P = %g",
                      k, t, e, m->e[k], 0.5 * (sum - difference), size);
}

/* A run that is done has come to its end. One that stopped before an impact did
 * so where bodies touch. */
static inline void
meeting_end(struct meeting *m, const struct look_pose *here, double t,
            struct meeting_report *rep)
{
    double least = INFINITY;
    if (!strcmp(rep->status, "done") && t != m->until)
        meeting_fault(rep, "SHORT", "the run ends at t = %.9g", t);
    for (int k = 0; k < m->n_pair; k++) {
        int a = m->pair[k].body[0], b = m->pair[k].body[1];
        double axis[3] = {0, 0, 0};
        least = fmin(least, fabs(look_apart(&m->shape[a], &here[a],
                                            &m->shape[b], &here[b], axis)));
    }
    if (!strcmp(rep->status, "stopped") &&
        !(least <= (m->dim == 2 ? 1e-9 : 1e-7)))
        meeting_fault(rep, "INVENTED",
                      "stopped at t = %.9g where the least gap is %g", t,
                      least);
}

static inline void
meeting_follow(const struct run *r, struct meeting *m,
               struct meeting_report *rep)
{
    static struct look_pose here[MEETING_BODIES], next[MEETING_BODIES];
    const struct field_value *t = field(r, 0, "t"),
                             *times = field(r, 0, "event_times"),
                             *kinds = field(r, 0, "event_kinds"),
                             *contacts = field(r, 0, "event_contacts");
    double tol = m->dim == 2 ? 1e-9 : 1e-7, end = INFINITY, begin = 0;
    double tol_deep = m->dim == 2 ? 1e-9 : 1e-8;
    for (size_t i = 0; i < times->n; i++)
        if (strcmp(kinds->texts[i], "impact") &&
            strcmp(kinds->texts[i], "touch"))
            end = fmin(end, times->num[i]);
    memcpy(here, m->pose, sizeof here);
    for (size_t row = 0; row < t->n && !rep->fault[0]; row++) {
        double t1 = t->num[row], when;
        int which, single = -1, many = 0;
        meeting_row(r, m, row, next);
        if (t1 >= end) {
            /* bodies rest or slide: the rows alone are looked at */
            double deep = look_flight(m->shape, next, m->n_body, m->pair,
                                      m->n_pair, m->gravity, 0, &when, &which);
            if (deep > tol_deep)
                meeting_fault(rep, "OVERLAP", "c%d overlaps by %g at t = %.9g",
                              which, deep, t1);
            memcpy(here, next, sizeof here);
            begin = t1;
            continue;
        }
        if (t1 > begin) {
            double deep =
                look_flight(m->shape, here, m->n_body, m->pair, m->n_pair,
                            m->gravity, t1 - begin, &when, &which);
            if (deep > tol_deep)
                meeting_fault(rep, "MISSED", "c%d overlaps by %g at t = %.9g",
                              which, deep, begin + when);
            for (int b = 0; b < m->n_body && !rep->fault[0]; b++) {
                double off = meeting_off(&m->shape[b], &here[b], &next[b]);
                if (!(off <=
                      tol * (1 + look_norm(next[b].v) + look_norm(next[b].w))))
                    meeting_fault(rep, "MOTION", "%s is off by %g at t = %.9g",
                                  m->name[b], off, t1);
            }
        } else if (row > 0) {
            for (size_t i = 0; i < times->n; i++)
                if (times->num[i] == t1) {
                    many++;
                    for (int k = 0; k < m->n_pair; k++)
                        if (!strcmp(m->contact[k], contacts->texts[i]))
                            single = k;
                }
            if (many == 1 && single >= 0)
                meeting_impact(m, single, here, next, t1, rep);
        }
        memcpy(here, next, sizeof here);
        begin = t1;
    }
    if (!rep->fault[0])
        meeting_end(m, here, begin, rep);
}

static inline void
meeting_run(struct meeting *m, bool look, struct meeting_report *rep)
{
    struct run r;
    memset(rep, 0, sizeof *rep);
    run(&r, m->text, false);
    rep->status = "none";
    if (r.ds.first)
        snprintf(rep->code, sizeof rep->code, "%s",
                 diag_code_name(r.ds.first->code));
    if (r.d.recs && r.d.recs[0] && field(&r, 0, "status")->text) {
        const char *status = word(&r, 0, "status");
        rep->status = !strcmp(status, "done")     ? "done"
                      : !strcmp(status, "failed") ? "failed"
                                                  : "stopped";
        const struct field_value *contacts = field(&r, 0, "event_contacts"),
                                 *kinds = field(&r, 0, "event_kinds");
        for (size_t i = 0; i < contacts->n; i++) {
            int k = atoi(contacts->texts[i] + 1);
            rep->pair_impacts += !strcmp(kinds->texts[i], "impact") &&
                                 !m->shape[m->pair[k].body[0]].fixed;
        }
        if (look)
            meeting_follow(&r, m, rep);
    }
    done(&r);
}

#endif
