// SPDX-License-Identifier: MIT
// Level sets drawn from their own formula, without a mesh: in space each pixel goes along its ray
// until the sign of G changes, in the plane it asks G where it is. The silhouette is exact to the
// floats of the graphics card (24 bits) at any zoom. The formula is a function of the run file
// (docs/run-file.md); normals come from its exact gradient.
import * as three from "three";

// Steps along a ray through the ball that holds the body, then halvings. Where a body is thinner
// than a step a ray may miss it.
const STEPS = 96, HALVINGS = 20;

const HELP = `
uniform vec3 centre;
uniform float time, reach;
float AbsPower(float a, float b) { return a == 0.0 ? (b == 0.0 ? 1.0 : 0.0) : pow(abs(a), b); }
float Power(float a, float b) {
    if (a >= 0.0) return AbsPower(a, b);
    return b == floor(b) ? (mod(b, 2.0) == 0.0 ? 1.0 : -1.0) * pow(abs(a), b) : sqrt(-1.0);
}
`;

const SPACE_VERTEX = `
varying vec3 place;
void main() {
    place = position;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

// Drawn are the inner sides of a ball around the body, so that the camera may be within it.
const SPACE_FRAGMENT = `
uniform vec3 colour, glow, eye;
uniform mat4 toScreen;
uniform mat3 toWorld;
varying vec3 place;
float at(vec3 o, vec3 d, float s) { return levelSet(o + s * d + centre); }
void main() {
    vec3 d = normalize(place - eye);
    float middle = -dot(eye, d), inside = reach * reach - dot(eye, eye) + middle * middle;
    if (inside <= 0.0) discard;
    float half_ = sqrt(inside), far = middle + half_, near = max(0.0, middle - half_);
    float step_ = (far - near) / float(${STEPS}), s = near, before = at(eye, d, near);
    bool found = before < 0.0;
    for (int k = 1; k <= ${STEPS} && !found; k++) {
        s = near + step_ * float(k);
        float now = at(eye, d, s);
        found = now < 0.0 && before >= 0.0;
        before = now;
    }
    if (!found) discard;
    float lo = max(near, s - step_), hi = s;
    for (int k = 0; k < ${HALVINGS}; k++) {
        float m = 0.5 * (lo + hi);
        if (at(eye, d, m) < 0.0) hi = m; else lo = m;
    }
    vec3 hit = eye + hi * d;
    vec3 n = normalize(toWorld * levelGradient(hit + centre));
    vec3 light = mix(vec3(0.246, 0.319, 0.402), vec3(1.0), 0.5 + 0.5 * n.y) * 0.76
        + 0.51 * max(0.0, dot(n, normalize(vec3(0.6, -1.0, 1.6))));
    float line = 0.012 * reach;
    bool dark = (abs(hit.y) < line && hit.x > 0.0) || (abs(hit.x) < line && hit.y > 0.0);
    vec4 screen = toScreen * vec4(hit, 1.0);
    gl_FragDepth = 0.5 + 0.5 * screen.z / screen.w;
    gl_FragColor = vec4(dark ? vec3(0.02, 0.03, 0.045) : colour * light + glow, 1.0);
    #include <colorspace_fragment>
}`;

const PLANE_FRAGMENT = `
uniform vec3 colour;
uniform float pixel;
varying vec3 place;
void main() {
    vec3 p = place + centre;
    float G = levelSet(p), slope = length(levelGradient(p));
    if (!(G < 0.0)) discard;
    bool border = -G < 1.5 * pixel * slope;
    bool line = abs(place.y) < 0.75 * pixel && place.x > 0.0;
    gl_FragColor = vec4(border || line ? vec3(0.02, 0.03, 0.045) : colour, border || line ? 1.0 : 0.75);
    #include <colorspace_fragment>
}`;

// The part of a scene that draws one body so. null: it has no formula, or no bounds.
export class Marching {
    static of(formula, centre, flat, reach) {
        return formula && reach > 0 ? new Marching(formula, centre, flat, reach) : null;
    }
    constructor(formula, centre, flat, reach) {
        this.flat = flat;
        this.material = new three.ShaderMaterial({
            vertexShader: SPACE_VERTEX,
            fragmentShader: HELP + formula + (flat ? PLANE_FRAGMENT : SPACE_FRAGMENT),
            side: flat ? three.DoubleSide : three.BackSide, transparent: flat,
            uniforms: {colour: {value: new three.Color()}, glow: {value: new three.Vector3()},
                       eye: {value: new three.Vector3()}, centre: {value: new three.Vector3(centre[0], centre[1], centre[2] || 0)},
                       toScreen: {value: new three.Matrix4()}, toWorld: {value: new three.Matrix3()},
                       time: {value: 0}, reach: {value: reach}, pixel: {value: 0}}});
        const geometry = flat ? new three.PlaneGeometry(2.02 * reach, 2.02 * reach)
            : new three.SphereGeometry(1.03 * reach, 48, 32);
        this.mesh = new three.Mesh(geometry, this.material);
        this.mesh.visible = false;
        this.mesh.frustumCulled = false;
    }
    // Before a frame: the body's group has its pose.
    update(group, camera, t, colour, picked, height) {
        const {uniforms} = this.material;
        group.updateMatrixWorld();
        uniforms.time.value = t;
        uniforms.colour.value.set(colour);
        uniforms.glow.value.setScalar(picked ? 0.03 : 0);
        if (this.flat) {
            uniforms.pixel.value = (camera.top - camera.bottom) / camera.zoom / height;
            return;
        }
        camera.updateMatrixWorld();
        uniforms.eye.value.copy(camera.position).applyMatrix4(group.matrixWorld.clone().invert());
        uniforms.toScreen.value.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse).multiply(group.matrixWorld);
        uniforms.toWorld.value.setFromMatrix4(group.matrixWorld);
    }
}
