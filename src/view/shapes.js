// SPDX-License-Identifier: MIT
// The shapes of a run file as geometries of three.js.
import * as three from "three";

// The hull of a polytope in the plane, or an outline, as points in order.
export function outlineOf(shape) {
    const points = [];
    if (shape.kind === "outline")
        for (let i = 0; i < shape.corners.length; i += 2)
            points.push([shape.corners[i], shape.corners[i + 1]]);
    else
        for (let i = 0; i < shape.corners.length; i += 3)
            points.push([shape.corners[i], shape.corners[i + 1]]);
    const mean = [0, 1].map(k => points.reduce((s, p) => s + p[k], 0) / points.length);
    const turn = p => Math.atan2(p[1] - mean[1], p[0] - mean[0]);
    return points.sort((a, b) => turn(a) - turn(b));
}

export function flatGeometry(points) {
    const shape = new three.Shape(points.map(p => new three.Vector2(p[0], p[1])));
    return new three.ShapeGeometry(shape);
}

export function linesOf(list) {
    const geometry = new three.BufferGeometry();
    geometry.setAttribute("position", new three.Float32BufferAttribute(list.flat(), 3));
    return geometry;
}

export function polytopeGeometry(shape) {
    const position = [], edges = [];
    const corner = i => Array.from(shape.corners.subarray(3 * i, 3 * i + 3));
    for (const face of shape.faces) {
        for (let k = 1; k + 1 < face.length; k++)
            position.push(...corner(face[0]), ...corner(face[k]), ...corner(face[k + 1]));
        face.forEach((a, k) => {
            const b = face[(k + 1) % face.length];
            if (a < b) edges.push(corner(a), corner(b));
        });
    }
    const geometry = new three.BufferGeometry();
    geometry.setAttribute("position", new three.Float32BufferAttribute(position, 3));
    geometry.computeVertexNormals();
    return [geometry, linesOf(edges)];
}
