/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts of two smooth bodies. The conditions of closest points become a tape
 * for Newton's method, and an implicit series along the motion. The unknowns
 * are x and y (shape coordinates of the two bodies), gamma and mu:
 *   G0(x) = 0,  G1(y) = 0,
 *   r_Q - r_P = gamma N0,  N1 + mu N0 = 0,   N = R grad G,
 * and the gap is gamma |N0|. The conditions are written in the axes of one of
 * the bodies (of the one at rest, if one is at rest). Then only the relative
 * rotation multiplies unknowns, which leaves the fewest products that change in
 * time. The Jacobian is exact. */
#include "mechanics/mech_priv.h"

#include <assert.h>

struct conditions {
    const expr *F[8];
    const expr *J[64];
    const expr *gap;
    uint32_t n;
};

/* The conditions of closest points of b0 and b1 in the given poses. */
static void
conditions_build(struct mech *mech, const struct mbody *b0,
                 const struct mbody *b1, const struct pose *p0,
                 const struct pose *p1, struct conditions *cond)
{
    struct graph *graph = mech->graph;
    vec3 x_unknown = contact_unknown(mech, 0),
         y_unknown = contact_unknown(mech, 1);
    vec3 gm = contact_unknown(mech, 2);
    const expr *gamma = gm.v[0], *mu = gm.v[1];
    vec3 g0 = surface_gradient(mech, b0, x_unknown),
         g1 = surface_gradient(mech, b1, y_unknown);
    vec3 px = v3_sub(graph, x_unknown, b0->shape.centre);
    vec3 qy = v3_sub(graph, y_unknown, b1->shape.centre);
    vec3 n0 = g0, n1 = g1;

    /* Use the axes of body 0, or those of body 1 if only body 1 is fixed. */
    bool second = b1->fixed && !b1->prescribed && !b0->fixed;
    const struct pose *frame = second ? p1 : p0;
    if (second) {
        mat3 Q = rotation_between(mech, p1, p0);
        px = m3_apply(graph, Q, px);
        n0 = m3_apply(graph, Q, n0);
    } else {
        mat3 Q = rotation_between(mech, p0, p1);
        qy = m3_apply(graph, Q, qy);
        n1 = m3_apply(graph, Q, n1);
    }
    vec3 apart = m3_apply_t(graph, frame->R, v3_sub(graph, p1->c, p0->c));
    vec3 pq = v3_sub(graph, v3_add(graph, apart, qy), px);
    vec3 far = v3_sub(graph, pq, v3_scale(graph, gamma, n0));
    vec3 opposed = v3_add(graph, n1, v3_scale(graph, mu, n0));

    uint32_t count = 0;
    cond->F[count++] = surface_at(mech, b0->shape.G, x_unknown);
    cond->F[count++] = surface_at(mech, b1->shape.G, y_unknown);
    for (uint32_t i = 0; i < mech->dim; i++)
        cond->F[count++] = far.v[i];
    for (uint32_t i = 0; i < mech->dim; i++)
        cond->F[count++] = opposed.v[i];
    cond->n = count;
    cond->gap = sc_mul(graph, gamma, v3_norm(graph, g0));
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++)
            cond->J[i * count + j] =
                ex_diff(graph, cond->F[i], ex_sym(graph, SYM_UNKNOWN, j, 0));
}

static uint32_t
kkt_tape(struct mech *mech, const char *name, const struct conditions *cond)
{
    const expr *out[8 + 64 + 1];
    size_t n = 0;
    for (uint32_t i = 0; i < cond->n; i++)
        out[n++] = cond->F[i];
    for (uint32_t i = 0; i < cond->n * cond->n; i++)
        out[n++] = cond->J[i];
    out[n++] = cond->gap;
    return mech_eval_tape(mech, arena_printf(mech->arena, "%s.closest", name),
                          cond->n, out, n);
}

static uint32_t
event_tape(struct mech *mech, const char *name, const struct conditions *cond,
           uint32_t *rows)
{
    const expr *out[1 + 8];
    out[0] = cond->gap;
    for (uint32_t i = 0; i < cond->n; i++)
        out[1 + i] = ex_sym(mech->graph, SYM_UNKNOWN, i, 0);
    struct tape_spec spec = {.name = arena_printf(mech->arena, "%s.gap", name),
                             .n_local = cond->n,
                             .outs = out,
                             .n_outs = 1 + cond->n,
                             .residual = cond->F,
                             .jacobian = cond->J,
                             .n_unknown = cond->n};
    return mech_series_tape(mech, spec, rows);
}

/* Where friction acts, in the axes of body 0. Of what yields, both closest
 * points lie apart: then it is that on the flat one, as on the side of a
 * polygon, or the middle between both, so that the order of the bodies does not
 * matter. */
static vec3
rubbing_point(struct mech *mech, const struct mbody *const body[2], bool yields,
              vec3 apart, const mat3 *turn)
{
    struct graph *graph = mech->graph;
    vec3 own = v3_sub(graph, contact_unknown(mech, 0), body[0]->shape.centre);
    if (!yields || body[0]->flags & IMP_BODYF_FLAT)
        return own;
    vec3 arm = v3_sub(graph, contact_unknown(mech, 1), body[1]->shape.centre),
         other = v3_add(graph, apart, m3_apply(graph, *turn, arm));
    return body[1]->flags & IMP_BODYF_FLAT
               ? other
               : v3_scale(graph, ex_num(graph, 0.5), v3_add(graph, own, other));
}

/* What friction asks of a contact in the plane, in the axes of body 0: the
 * touching point, the normal from body 0 to body 1, the centre of body 1, and
 * the cosine and sine of its angle. Returns how many there are. */
static uint32_t
tangent_outputs(struct mech *mech, const struct mbody *const body[2],
                const struct pose *const pose[2], bool yields, const expr **out)
{
    struct graph *graph = mech->graph;
    mat3 turn = rotation_between(mech, pose[0], pose[1]);
    int by = body[1]->flags & IMP_BODYF_FLAT ? 1 : 0;
    vec3 gradient = surface_gradient(mech, body[by], contact_unknown(mech, by));
    vec3 normal = v3_scale(graph,
                           ex_div(graph, ex_num(graph, by == 0 ? 1.0 : -1.0),
                                  v3_norm(graph, gradient)),
                           gradient);
    vec3 apart =
        m3_apply_t(graph, pose[0]->R, v3_sub(graph, pose[1]->c, pose[0]->c));
    vec3 part[3] = {rubbing_point(mech, body, yields, apart, &turn),
                    by == 0 ? normal : m3_apply(graph, turn, normal), apart};
    uint32_t count = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++)
            out[count++] = part[i].v[j];
    out[count++] = turn.m[0][0];
    out[count++] = turn.m[1][0];
    return count;
}

/* The tape that tells how fast the motion of each body opens the gap
 * (imp_contact.opening). The second body's velocity contributes along the
 * normal n of Q - P = gap n, the first body's along -n; a spin contributes by
 * the moment of the normal about the body's centre. In its own axes the normal
 * of a body is the gradient of its own level set. */
static uint32_t
opening_tape(struct mech *mech, const char *name, bool friction, bool yields,
             const struct mbody *const body[2],
             const struct pose *const pose[2], const struct conditions *cond)
{
    struct graph *graph = mech->graph;
    const expr *out[1 + 2 * 6 + 8];
    uint32_t count = 0;
    out[count++] = cond->gap;
    for (int which = 0; which < 2; which++) {
        vec3 normal = v3_zero(graph), moment = v3_zero(graph);
        if (!body[which]->fixed) {
            /* Take the normal of the flat body: it is the same at all points.
             */
            int by =
                body[1 - which]->flags & IMP_BODYF_FLAT ? 1 - which : which;
            vec3 point = contact_unknown(mech, which);
            vec3 gradient =
                surface_gradient(mech, body[by], contact_unknown(mech, by));
            vec3 arm = v3_sub(graph, point, body[which]->shape.centre);
            const expr *scale =
                ex_div(graph, ex_num(graph, by == which ? -1.0 : 1.0),
                       v3_norm(graph, gradient));
            normal =
                m3_apply(graph, pose[by]->R, v3_scale(graph, scale, gradient));
            moment = v3_cross(graph, arm,
                              by == which
                                  ? v3_scale(graph, scale, gradient)
                                  : m3_apply_t(graph, pose[which]->R, normal));
        }
        for (uint32_t j = 0; j < mech->dim; j++)
            out[count++] = normal.v[j];
        for (uint32_t j = mech->dim == 2 ? 2 : 0; j < 3; j++)
            out[count++] = moment.v[j];
    }
    if (friction)
        count += tangent_outputs(mech, body, pose, yields, out + count);
    struct tape_spec spec = {.name =
                                 arena_printf(mech->arena, "%s.opening", name),
                             .n_local = cond->n,
                             .outs = out,
                             .n_outs = count,
                             .residual = cond->F,
                             .jacobian = cond->J,
                             .n_unknown = cond->n};
    uint32_t *rows = NEW_N(mech->arena, uint32_t, count);
    return mech_series_tape(mech, spec, rows);
}

/* Can these two bodies touch at all, whatever the numbers are? False after an
 * error. */
static bool
contact_ok(struct mech *mech, const struct tm_contact *decl)
{
    const struct mbody *body[2] = {mech->bodies + decl->body[0],
                                   mech->bodies + decl->body[1]};
    struct diag *diag;
    for (int i = 0; i < 2 && !decl->at.n; i++)
        if (!body[i]->shape.G && !body[i]->decl->shape.n_point) {
            diag = diag_add(mech->diags, DIAG_E0509, decl->range,
                            "`%s` has no shape, so contact `%s` has no surface",
                            body[i]->decl->name, decl->name);
            diag_note(mech->diags, diag, body[i]->decl->range,
                      "`%s` is declared here", body[i]->decl->name);
            diag_help(mech->diags, diag,
                      "give the body a shape, such as "
                      "`body %s : circle(1) { ... }`",
                      body[i]->decl->name);
            return false;
        }
    if (body[0] == body[1]) {
        diag = diag_add(mech->diags, DIAG_E0510, decl->range,
                        "contact `%s` joins `%s` to itself", decl->name,
                        body[0]->decl->name);
        diag_help(mech->diags, diag, "a contact is between two bodies");
        return false;
    }
    if (!decl->at.n && (body[0]->flags & body[1]->flags & IMP_BODYF_FLAT)) {
        diag = diag_add(mech->diags, DIAG_E0511, decl->range,
                        "both surfaces of contact `%s` are flat", decl->name);
        diag_note(mech->diags, diag,
                  mech_range(body[0]->decl->shape.range, body[0]->decl->range),
                  "this level set is linear");
        diag_note(mech->diags, diag,
                  mech_range(body[1]->decl->shape.range, body[1]->decl->range),
                  "and so is this");
        diag_help(mech->diags, diag,
                  "closest points are unique only if one of the "
                  "surfaces curves");
        return false;
    }
    if (body[0]->fixed && body[1]->fixed && !body[0]->prescribed &&
        !body[1]->prescribed) {
        diag = diag_add(mech->diags, DIAG_E0512, decl->range,
                        "neither body of contact `%s` can move", decl->name);
        diag_note(mech->diags, diag, body[0]->decl->range, "`%s` is fixed",
                  body[0]->decl->name);
        diag_note(mech->diags, diag, body[1]->decl->range, "`%s` is fixed",
                  body[1]->decl->name);
        diag_help(mech->diags, diag,
                  "let one of them move, or drop the contact");
        return false;
    }
    return true;
}

/* The flags of a contact. A stated contact has a point and a direction instead
 * of surfaces. */
static uint32_t
contact_flags(struct mech *mech, const struct tm_contact *decl)
{
    uint32_t f = decl->at.n ? IMP_CONTACTF_STATED : 0;
    if (!decl->at.n && !decl->system &&
        (body_has_corners(mech->bodies + decl->body[0]) ||
         body_has_corners(mech->bodies + decl->body[1]))) {
        f |= IMP_CONTACTF_CORNERS;
        f |= decl->direction.n ? IMP_CONTACTF_NORMAL : 0;
    }
    f |= contact_rubs(decl) ? IMP_CONTACTF_FRICTION : 0;
    f |= friction_varies(mech, decl->mu.e) ||
                 friction_varies(mech, decl->mu_static.e)
             ? IMP_CONTACTF_VARIES
             : 0;
    f |= decl->rule
             ? IMP_CONTACTF_RULE | (decl->rule - 1) << IMP_CONTACT_RULE_SHIFT
             : 0;
    f |= decl->sticks ? IMP_CONTACTF_STICKS : 0;
    f |= decl->law_named ? IMP_CONTACTF_LAW : 0;
    f |= decl->tells_point ? IMP_CONTACTF_POINT : 0;
    f |= decl->tells_slip ? IMP_CONTACTF_SLIP : 0;
    f |= decl->tells_load ? IMP_CONTACTF_LOAD : 0;
    f |= decl->tells_stored ? IMP_CONTACTF_STORED : 0;
    f |= decl->remembers ? IMP_CONTACTF_REMEMBERS : 0;
    f |= decl->stiffness.e ? IMP_CONTACTF_BOND : 0;
    return f | (decl->priority.e ? IMP_CONTACTF_PRIORITY : 0);
}

/* The tapes of a contact of two smooth bodies. */
static void
smooth_build(struct mech *mech, uint32_t contact,
             const struct mbody *const body[2], imp_contact *out)
{
    const struct tm_contact *decl = mech->contacts + contact;
    struct conditions *at = NEW(mech->arena, struct conditions);
    conditions_build(mech, body[0], body[1], &body[0]->form->pose,
                     &body[1]->form->pose, at);
    struct conditions *along = NEW(mech->arena, struct conditions);
    struct pose p0 = pose_of_rows(mech, body[0], 0),
                p1 = pose_of_rows(mech, body[1], 1);
    struct pose c0 = pose_calm(mech, body[0], p0),
                c1 = pose_calm(mech, body[1], p1);
    conditions_build(mech, body[0], body[1], &c0, &c1, along);
    out->n_unknown = at->n;
    out->kkt = kkt_tape(mech, decl->name, at);
    out->event = event_tape(mech, decl->name, along, mech->event_row[contact]);
    if (mech_simulates(mech)) {
        const struct pose *pose[2] = {&p0, &p1};
        conditions_build(mech, body[0], body[1], &p0, &p1, along);
        bool friction = mech->dim == 2 && contact_rubs(decl);
        out->opening = opening_tape(mech, decl->name, friction,
                                    decl->compliance.e, body, pose, along);
    }
}

/* The tapes of a contact that was made before, and is like this one. */
static void
take_tapes(const imp_contact *from, imp_contact *out)
{
    out->flags |= from->flags & IMP_CONTACTF_ALIKE;
    out->n_unknown = from->n_unknown;
    out->kkt = from->kkt;
    out->event = from->event;
    out->opening = from->opening;
    out->relative = from->relative;
    out->smooth = from->smooth;
    for (int i = 0; i < 3; i++) {
        out->feature_kkt[i] = from->feature_kkt[i];
        out->feature_event[i] = from->feature_event[i];
    }
}

bool
contact_build(struct mech *mech, uint32_t contact, imp_contact *out)
{
    assert(contact < mech->n_contacts && out);
    const struct tm_contact *decl = mech->contacts + contact;
    if (!decl->system && !contact_ok(mech, decl))
        return false;
    *out = (imp_contact){
        .name = image_text(mech->image, decl->name),
        .body = {decl->body[0], decl->body[1]},
        .flags = contact_flags(mech, decl),
        .law = (uint32_t)decl->law,
        .env_contact = mech->layout.contact + contact * IMP_CONTACT_SIZE,
        .system = IMP_NO_SYSTEM,
        .gradient = IMP_NO_TAPE,
        .slip = IMP_NO_TAPE,
        .instant = IMP_NO_TAPE,
        .slide = IMP_NO_TAPE,
        .compliance = IMP_NO_TAPE,
        .compliance_series = IMP_NO_TAPE,
        .kkt = IMP_NO_TAPE,
        .event = IMP_NO_TAPE,
        .relative = IMP_NO_TAPE,
        .opening = IMP_NO_TAPE,
        .rub_now = IMP_NO_TAPE,
        .rub = IMP_NO_TAPE,
        .bounce = restitution_tape(mech, decl),
        .rub_guard = IMP_NO_TAPE,
        .press = IMP_NO_TAPE,
        .press_guard = IMP_NO_TAPE,
        .own = impact_law_tape(mech, decl),
        .range_own = mech_range(decl->own[0].range, decl->range),
        .feature_kkt = {IMP_NO_TAPE, IMP_NO_TAPE, IMP_NO_TAPE},
        .feature_event = {IMP_NO_TAPE, IMP_NO_TAPE, IMP_NO_TAPE},
        .range = decl->range,
        .range_e = mech_range(decl->e.range, decl->range),
        .range_mu = mech_range(decl->mu.range, decl->range),
        .range_at = mech_range(decl->at.range, decl->range),
        .range_direction = mech_range(decl->direction.range, decl->range)};
    if (decl->n_corner) {
        out->n_corner = decl->n_corner;
        out->env_corner = corners_at(mech, contact);
        out->range_corner = decl->range_corner;
    }
    if (decl->system)
        system_contact(mech, contact, out);
    else if (contact_rubs(decl))
        body_friction_build(mech, decl, out);
    if (!decl->system && decl->compliance.e)
        body_compliance_build(mech, decl, out);
    if (decl->system || decl->at.n)
        return true;
    if (contact_rubs(decl) && contact < mech->model->n_contacts)
        out->instant = body_instant_tape(mech, contact, &out->slide);
    const struct mbody *body[2];
    const imp_contact *alike = contact_kinds_bodies(mech, contact, body);
    if (alike) {
        take_tapes(alike, out);
        return true;
    }
    graph_origin(mech->graph, decl->range);
    if (out->flags & IMP_CONTACTF_CORNERS)
        polytope_contact_build(mech, decl, body, out);
    else
        smooth_build(mech, contact, body, out);
    if (body[0] != mech->bodies + decl->body[0] ||
        body[1] != mech->bodies + decl->body[1])
        out->flags |= IMP_CONTACTF_ALIKE;
    contact_kinds_keep(mech, contact, out);
    return true;
}
