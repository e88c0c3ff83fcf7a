// SPDX-License-Identifier: MIT
// Systems in generalised coordinates: what their `draw` places, and every
// coordinate as a curve over time with its value now.
import {Motion} from "./run.js";

const POINTS = 500;
const NEAR = 6; // pixels
const TINTS = ["#1e88e5", "#e65100", "#43a047", "#8e24aa", "#c9a227", "#00897b"];

// How far an outline goes from its origin.
function reach(shape) {
    let far = 0;
    for (let i = 0; i < (shape?.corners?.length || 0); i += 2)
        far = Math.max(far, Math.hypot(shape.corners[i], shape.corners[i + 1]));
    return far;
}

// The corners of an outline at its place, x and y by turns; a half-plane is cut
// off at the distance `far`.
export function placed(shape, x, far) {
    const c = Math.cos(x[2]), s = Math.sin(x[2]), out = [];
    let corners = shape.corners;
    if (shape.kind === "half-plane") {
        const [nx, ny] = shape.normal, d = shape.offset;
        corners = [[-far, 0], [far, 0], [far, -far], [-far, -far]]
            .flatMap(([u, v]) => [nx * (d + v) + ny * u, ny * (d + v) - nx * u]);
    }
    for (let i = 0; i < corners.length; i += 2)
        out.push(x[0] + c * corners[i] - s * corners[i + 1],
                 x[1] + s * corners[i] + c * corners[i + 1]);
    return out;
}

function fromSegment([ax, ay], [bx, by], [x, y]) {
    const ux = bx - ax, uy = by - ay, square = ux * ux + uy * uy;
    const s = square > 0 ? Math.min(1, Math.max(0, ((x - ax) * ux + (y - ay) * uy) / square)) : 0;
    return Math.hypot(x - ax - s * ux, y - ay - s * uy);
}

// 0 inside of it.
function fromPolygon(corners, at) {
    let least = Infinity, inside = false;
    corners.forEach((b, i) => {
        const a = corners.at(i - 1);
        least = Math.min(least, fromSegment(a, b, at));
        if (a[1] > at[1] !== b[1] > at[1] && at[0] < a[0] + (b[0] - a[0]) * (at[1] - a[1]) / (b[1] - a[1]))
            inside = !inside;
    });
    return inside ? 0 : least;
}

export class Drawing {
    constructor(canvas, run, motions) {
        this.canvas = canvas;
        this.run = run;
        this.motions = motions;
        this.rows = [];
        this.names = false;
        run.systems.forEach((system, s) => {
            const motion = motions[run.bodies.length + s];
            system.coordinates.forEach((c, k) => this.rows.push({
                name: `${system.name}.${c.name}`, unit: c.unit, motion, k,
                samples: this.samples(motion, k)}));
        });
        this.figures = (run.drawings || []).filter(d => d.motion.begin.length)
            .map(d => ({...d, tint: TINTS[d.system % TINTS.length],
                motion: new Motion(d.motion, d.items.reduce((n, x) => n + x.numbers, 0), [])}));
        if (this.figures.length) this.measure();
    }
    samples(motion, k) {
        const out = [], x = new Float64Array(motion.rows);
        for (let i = 0; i <= POINTS; i++) {
            const t = this.run.end * i / POINTS;
            motion.value(t, x);
            out.push([t, x[k]]);
        }
        return out;
    }
    // The numbers of a drawing now, as [item, its numbers]; none when it has ended.
    figure(f, t, before) {
        if (t > f.motion.p.end.at(-1)) return [];
        const x = f.motion.value(t, new Float64Array(f.motion.rows), before), out = [];
        let at = 0;
        for (const item of f.items) {
            out.push([item, x.subarray(at, at + item.numbers)]);
            at += item.numbers;
        }
        return out;
    }
    // What the drawings cover in the whole run.
    measure() {
        const lo = [Infinity, Infinity], hi = [-Infinity, -Infinity];
        for (const f of this.figures)
            for (let i = 0; i <= POINTS; i++)
                for (const [item, x] of this.figure(f, this.run.end * i / POINTS)) {
                    const r = item.kind === "disc" ? Math.abs(x[2]) : reach(item.shape);
                    for (let k = 0; k + 1 < x.length && !(k && x.length < 4); k += 2)
                        for (const j of [0, 1]) {
                            lo[j] = Math.min(lo[j], x[k + j] - r);
                            hi[j] = Math.max(hi[j], x[k + j] + r);
                        }
                }
        this.lo = lo;
        this.hi = hi;
        this.size = Math.max(hi[0] - lo[0], hi[1] - lo[1]) || 1;
    }
    draw(t, before) {
        const {canvas} = this, scale = window.devicePixelRatio || 1;
        const w = canvas.clientWidth, h = canvas.clientHeight;
        if (canvas.width !== Math.round(w * scale) || canvas.height !== Math.round(h * scale)) {
            canvas.width = Math.round(w * scale);
            canvas.height = Math.round(h * scale);
        }
        const g = canvas.getContext("2d");
        const style = getComputedStyle(document.documentElement);
        const colour = name => style.getPropertyValue(name).trim();
        g.setTransform(scale, 0, 0, scale, 0, 0);
        g.clearRect(0, 0, w, h);
        g.font = "13px system-ui, sans-serif";
        g.lineWidth = 1;
        const wide = w > 700, share = this.figures.length ? (wide ? 0.6 : 1) : 0;
        if (share) this.drawFigures(g, w * share, h, t, before, colour);
        if (share === 1) return;
        const high = Math.min(160, h / Math.max(1, this.rows.length));
        g.save();
        g.translate(w * share, 0);
        this.rows.forEach((row, i) => this.row(g, row, i * high, high, w * (1 - share), t, before, colour));
        g.restore();
    }
    drawFigures(g, w, h, t, before, colour) {
        const zoom = Math.min((w - 60) / Math.max(this.hi[0] - this.lo[0], 0.3 * this.size),
                              (h - 60) / Math.max(this.hi[1] - this.lo[1], 0.3 * this.size));
        const px = x => w / 2 + (x - (this.lo[0] + this.hi[0]) / 2) * zoom;
        const py = y => h / 2 - (y - (this.lo[1] + this.hi[1]) / 2) * zoom;
        this.seen = {w, px, py, zoom};
        g.save();
        g.beginPath();
        g.rect(0, 0, w, h);
        g.clip();
        g.strokeStyle = colour("--edge");
        for (const [a, b] of [[[px(0), 0], [px(0), h]], [[0, py(0)], [w, py(0)]]]) {
            g.beginPath();
            g.moveTo(...a);
            g.lineTo(...b);
            g.stroke();
        }
        for (const f of this.figures)
            for (const [item, x] of this.figure(f, t, before)) {
                g.strokeStyle = g.fillStyle = f.tint;
                this.item(g, item, x, px, py, zoom);
                if (!this.names) continue;
                g.fillStyle = colour("--text");
                g.fillText(item.name, px(x.length === 4 ? (x[0] + x[2]) / 2 : x[0]) + 8,
                           py(x.length === 4 ? (x[1] + x[3]) / 2 : x[1]) - 8);
            }
        g.restore();
    }
    // The part of a drawing at a place of the window, {system, item}, or null: the one
    // drawn last of those that are there or within a few pixels.
    pick(clientX, clientY, t, before) {
        const box = this.canvas.getBoundingClientRect(), at = [clientX - box.left, clientY - box.top];
        let found = null;
        if (!this.figures.length || !this.seen || at[0] > this.seen.w) return null;
        for (const f of this.figures)
            for (const [item, x] of this.figure(f, t, before))
                if (this.distance(item, x, at) < NEAR) found = {system: f.system, item: item.name};
        return found;
    }
    // How far a place of the canvas is from what an item draws, in pixels.
    distance(item, x, at) {
        const {px, py, zoom} = this.seen;
        const spot = k => [px(x[k]), py(x[k + 1])];
        if (item.shape) {
            const flat = placed(item.shape, x, 10 * this.size), corners = [];
            for (let i = 0; i < flat.length; i += 2) corners.push([px(flat[i]), py(flat[i + 1])]);
            return fromPolygon(corners, at);
        }
        if (x.length === 4) return fromSegment(spot(0), spot(2), at);
        const [u, v] = spot(0);
        return Math.hypot(at[0] - u, at[1] - v) - (item.kind === "disc" ? Math.abs(x[2]) * zoom : 0);
    }
    item(g, item, x, px, py, zoom) {
        g.beginPath();
        if (item.kind === "rod") {
            g.lineWidth = 6;
            g.lineCap = "round";
            g.moveTo(px(x[0]), py(x[1]));
            g.lineTo(px(x[2]), py(x[3]));
            g.stroke();
        } else if (item.kind === "spring") {
            const ax = px(x[0]), ay = py(x[1]), bx = px(x[2]), by = py(x[3]);
            const length = Math.hypot(bx - ax, by - ay) || 1, turns = 12;
            const nx = -(by - ay) / length * 7, ny = (bx - ax) / length * 7;
            g.lineWidth = 1.5;
            g.moveTo(ax, ay);
            for (let k = 0; k <= turns; k++) {
                const s = 0.1 + 0.8 * k / turns, side = k === 0 || k === turns ? 0 : k % 2 ? 1 : -1;
                g.lineTo(ax + (bx - ax) * s + nx * side, ay + (by - ay) * s + ny * side);
            }
            g.lineTo(bx, by);
            g.stroke();
        } else if (item.shape) {
            const at = placed(item.shape, x, 10 * this.size);
            for (let i = 0; i < at.length; i += 2) g.lineTo(px(at[i]), py(at[i + 1]));
            g.closePath();
            g.globalAlpha = item.shape.kind === "outline" ? 0.6 : 0.25;
            g.fill();
            g.globalAlpha = 1;
            g.lineWidth = 1.5;
            g.lineJoin = "round";
            g.stroke();
        } else if (item.kind === "disc") {
            g.arc(px(x[0]), py(x[1]), Math.abs(x[2]) * zoom, 0, 7);
            g.globalAlpha = 0.6;
            g.fill();
            g.globalAlpha = 1;
            g.lineWidth = 1.5;
            g.stroke();
        } else {
            g.arc(px(x[0]), py(x[1]), 5, 0, 7);
            g.fill();
        }
        g.lineWidth = 1;
    }
    row(g, row, top, high, w, t, before, colour) {
        const left = Math.min(150, w / 3), right = w - 12;
        const x = new Float64Array(row.motion.rows);
        const now = row.motion.value(t, x, before)[row.k];
        let lo = Math.min(...row.samples.map(s => s[1])), hi = Math.max(...row.samples.map(s => s[1]));
        if (!(hi > lo)) hi = lo + (Math.abs(lo) || 1);
        const px = time => left + (this.run.end > 0 ? time / this.run.end : 0) * (right - left);
        const py = v => top + high - 8 - (v - lo) / (hi - lo) * (high - 16);
        g.fillStyle = colour("--text");
        g.fillText(row.name, 10, top + high / 2 - 8, left - 20);
        g.fillStyle = colour("--faint");
        g.fillText(`${now.toPrecision(8)} ${row.unit === "1" ? "" : row.unit}`, 10, top + high / 2 + 10, left - 20);
        g.strokeStyle = colour("--edge");
        if (lo < 0 && hi > 0) {
            g.beginPath();
            g.moveTo(left, py(0));
            g.lineTo(right, py(0));
            g.stroke();
        }
        g.strokeStyle = colour("--accent");
        g.beginPath();
        for (const [time, v] of row.samples) g.lineTo(px(time), py(v));
        g.stroke();
        g.fillStyle = "#e65100";
        g.beginPath();
        g.arc(px(t), py(now), 4, 0, 7);
        g.fill();
    }
}
