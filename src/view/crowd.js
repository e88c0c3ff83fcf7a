// SPDX-License-Identifier: MIT
// Many bodies of one shape, drawn at once: one geometry, and a place and a colour for each body.
// The more there are, the fewer triangles each has.
import * as three from "three";
import {outlineOf, polytopeGeometry} from "./shapes.js";

// From so many bodies of one shape on they are a crowd; its triangles in all, about.
const CROWD_LEAST = 64, TRIANGLES = 300000;

// The crowds of a run: lists of bodies that have one shape. Bodies of one shape share its numbers.
export function crowdsOf(run, changing) {
    const lists = new Map();
    run.bodies.forEach(({shape}, i) => {
        if (!shape.corners || changing.has(i)) return;
        const key = `${shape.kind} ${shape.corners.byteOffset} ${shape.corners.length}`;
        if (!lists.has(key)) lists.set(key, []);
        lists.get(key).push(i);
    });
    return [...lists.values()].filter(list => list.length >= CROWD_LEAST);
}

// An outline as a fan, with a dark border and a dark line that turns with the body.
function bordered(points) {
    const position = [0, 0, 0], colour = [1, 1, 1], index = [], n = points.length;
    const add = (x, y, light) => {
        position.push(x, y, 0);
        colour.push(light, light, light);
    };
    for (const p of points) {
        add(0.93 * p[0], 0.93 * p[1], 1);
        add(0.93 * p[0], 0.93 * p[1], 0.3);
        add(p[0], p[1], 0.3);
    }
    for (let i = 0; i < n; i++) {
        const a = 1 + 3 * i, b = 1 + 3 * ((i + 1) % n);
        index.push(0, a, b, a + 1, a + 2, b + 2, a + 1, b + 2, b + 1);
    }
    const tip = points.reduce((a, p) => Math.abs(Math.atan2(p[1], p[0])) < Math.abs(Math.atan2(a[1], a[0])) ? p : a);
    for (const [side, f] of [[-1, 0], [1, 0], [1, 0.95], [-1, 0.95]])
        add(f * tip[0] - side * 0.025 * tip[1], f * tip[1] + side * 0.025 * tip[0], 0.3);
    const k = 1 + 3 * n;
    index.push(k, k + 1, k + 2, k, k + 2, k + 3);
    const geometry = new three.BufferGeometry();
    geometry.setAttribute("position", new three.Float32BufferAttribute(position, 3));
    geometry.setAttribute("color", new three.Float32BufferAttribute(colour, 3));
    geometry.setIndex(index);
    return geometry;
}

// The radius of an outline that is a circle, to the rounding of its floats; 0: it is none.
function circle(shape) {
    let least = Infinity, most = 0;
    for (let i = 0; i < shape.corners.length; i += 2) {
        const r = Math.hypot(shape.corners[i], shape.corners[i + 1]);
        least = Math.min(least, r);
        most = Math.max(most, r);
    }
    return shape.kind === "outline" && most - least < 1e-6 * most ? most : 0;
}

// A circle is a square of which each pixel knows whether it lies inside, on the border, or on the
// line that turns with the body: round at any zoom, two triangles.
function disc(radius) {
    const material = new three.MeshBasicMaterial({side: three.DoubleSide});
    material.onBeforeCompile = shader => {
        shader.vertexShader = shader.vertexShader
            .replace("void main() {", "varying vec2 place;\nvoid main() {\nplace = position.xy;");
        shader.fragmentShader = shader.fragmentShader
            .replace("void main() {", "varying vec2 place;\nuniform float radius;\nvoid main() {\n" +
                "float r = length(place) / radius;\nif (r > 1.0) discard;")
            .replace("#include <color_fragment>", "#include <color_fragment>\n" +
                "if (r > 0.93 || (place.x > 0.0 && abs(place.y) < 0.03 * radius)) diffuseColor.rgb *= 0.3;");
        shader.uniforms.radius = {value: radius};
    };
    return [new three.PlaneGeometry(2 * radius, 2 * radius), material];
}

// The mesh of a level set from every step-th corner of every step-th ring of its sphere of
// directions (MESH_PARTS of run_mesh.c). Octants are light and dark, so that turning is seen.
const PARTS = 24;
function coarse(shape, step) {
    const n = PARTS / step, position = [], normal = [], colour = [], index = [];
    const size = (k, parts) => 4 * Math.min(k, 2 * parts - k) || 1;
    const first = [0];
    for (let k = 0; k <= 2 * PARTS; k++) first.push(first[k] + size(k, PARTS));
    const begin = [];
    for (let k = 0; k <= 2 * n; k++) {
        begin.push(position.length / 3);
        for (let i = 0; i < size(k, n); i++) {
            const at = 3 * (first[k * step] + i * step), p = shape.corners.subarray(at, at + 3);
            position.push(...p);
            normal.push(...shape.normals.subarray(at, at + 3));
            const light = p[0] * p[1] * p[2] > 0 ? 0.72 : 1;
            colour.push(light, light, light);
        }
    }
    for (let k = 0; k < 2 * n; k++) {
        const grows = k < n, outer = grows ? k + 1 : k, inner = grows ? k : k + 1;
        const many = size(outer, n), few = size(inner, n), sides = many / 4;
        for (let quarter = 0; quarter < 4; quarter++)
            for (let s = 0; s < sides; s++) {
                const out = quarter * sides + s, inn = quarter * (sides - 1) + s;
                const a = begin[outer] + out, b = begin[outer] + (out + 1) % many;
                const c = begin[inner] + inn % few, d = begin[inner] + (inn + 1) % few;
                index.push(a, grows ? b : c, grows ? c : b);
                if (s + 1 < sides) index.push(b, grows ? d : c, grows ? c : d);
            }
    }
    const geometry = new three.BufferGeometry();
    geometry.setAttribute("position", new three.Float32BufferAttribute(position, 3));
    geometry.setAttribute("normal", new three.Float32BufferAttribute(normal, 3));
    geometry.setAttribute("color", new three.Float32BufferAttribute(colour, 3));
    geometry.setIndex(index);
    return geometry;
}

function geometryOf(shape, flat, count) {
    const most = TRIANGLES / count;
    if (flat) {
        const points = outlineOf(shape);
        if (shape.kind !== "outline") return bordered(points);
        const step = Math.floor(points.length / Math.max(12, Math.min(points.length, most / 3)));
        return bordered(points.filter((_, i) => i % step === 0));
    }
    if (shape.kind === "polytope") return polytopeGeometry(shape)[0];
    return coarse(shape, [1, 2, 3, 4, 6, 8].find(s => 8 * (PARTS / s) ** 2 <= most) || 8);
}

export class Crowd {
    constructor(run, list, colours) {
        const flat = run.dim === 2, {shape} = run.bodies[list[0]];
        const radius = flat ? circle(shape) : 0;
        const vertexColors = flat || shape.kind === "mesh";
        const [geometry, material] = radius ? disc(radius) : [geometryOf(shape, flat, list.length), flat ? new three.MeshBasicMaterial({vertexColors, side: three.DoubleSide})
            : new three.MeshLambertMaterial({vertexColors, flatShading: shape.kind === "polytope"})];
        this.list = list;
        this.colours = colours;
        this.mesh = new three.InstancedMesh(geometry, material, list.length);
        this.mesh.frustumCulled = false;
        this.now = new Int32Array(list.length).fill(-1);
        this.matrix = new three.Matrix4();
        this.at = new three.Vector3();
        this.turn = new three.Quaternion();
        this.one = new three.Vector3(1, 1, 1);
        this.colour = new three.Color();
    }
    // Body number k of the crowd at a pose of the scene, in a colour (0xrrggbb).
    place(k, pose, colour) {
        this.at.set(...pose.x);
        if (pose.q) this.turn.set(pose.q[1], pose.q[2], pose.q[3], pose.q[0]);
        else this.turn.set(0, 0, Math.sin(pose.angle / 2), Math.cos(pose.angle / 2));
        this.mesh.setMatrixAt(k, this.matrix.compose(this.at, this.turn, this.one));
        this.mesh.instanceMatrix.needsUpdate = true;
        if (this.now[k] === colour) return;
        this.now[k] = colour;
        this.mesh.setColorAt(k, this.colour.set(colour));
        this.mesh.instanceColor.needsUpdate = true;
    }
}
