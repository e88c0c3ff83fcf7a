// SPDX-License-Identifier: MIT
// Curves and maps on a canvas: axes, values under the cursor, zoom. The data are those
// of `plot` with --json. Texts are drawn or set as text, never as markup.

const COLOURS = ["#d62728", "#1f77b4", "#ff7f0e", "#9467bd", "#2ca02c", "#8c564b", "#e377c2", "#17becf"];
// viridis at nine places
const SCALE = [[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141],
               [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37]];
const MARGIN = {left: 72, right: 16, top: 12, bottom: 44};

const finite = v => typeof v === "number" && Number.isFinite(v);
const label = c => c.unit ? `${c.name} [${c.unit}]` : c.name;

export function digits(x) {
    return finite(x) ? String(Number(x.toPrecision(6))) : "";
}

// The least and the greatest of all numbers; a width of its own where they are equal.
function range(lists) {
    let lo = Infinity, hi = -Infinity;
    for (const list of lists)
        for (const v of list)
            if (finite(v)) {
                lo = Math.min(lo, v);
                hi = Math.max(hi, v);
            }
    if (!(lo <= hi)) return [0, 1];
    if (lo === hi) return [lo - (Math.abs(lo) || 1) / 2, hi + (Math.abs(hi) || 1) / 2];
    return [lo, hi];
}

function ticks(lo, hi, most) {
    const raw = (hi - lo) / Math.max(1, most), ten = 10 ** Math.floor(Math.log10(raw));
    const step = ten * [1, 2, 5, 10].find(m => m * ten >= raw);
    const list = [];
    for (let k = Math.ceil(lo / step); k * step <= hi * (1 + 1e-12) && list.length < 50; k++)
        list.push(Number((k * step).toPrecision(12)));
    return list;
}

function shade(u) {
    const at = Math.min(Math.max(u, 0), 1) * (SCALE.length - 1), k = Math.min(Math.floor(at), SCALE.length - 2);
    const mix = SCALE[k].map((v, i) => Math.round(v + (at - k) * (SCALE[k + 1][i] - v)));
    return `rgb(${mix.join(",")})`;
}

// Half the least distance of two different values: half a cell of a grid.
function halfCell(values) {
    const sorted = [...new Set(values.filter(finite))].sort((a, b) => a - b);
    let least = Infinity;
    for (let i = 1; i < sorted.length; i++) least = Math.min(least, sorted[i] - sorted[i - 1]);
    return Number.isFinite(least) ? least / 2 : 0.5;
}

export class Plot {
    // tell(text): the values under the cursor. pick(names, values, units): a click on a map.
    constructor(element, data, {tell = () => {}, pick = null} = {}) {
        this.data = data;
        this.tell = tell;
        this.pick = pick;
        this.isMap = data.map === true;
        const [y, z, ...rest] = data.series;
        this.x = data.x.values;
        this.curves = (this.isMap ? rest : data.series).map(s => ({...s, xs: s.x || this.x}));
        if (this.isMap) this.prepareMap(y, z);
        this.home = this.limits();
        this.view = [...this.home];
        this.canvas = document.createElement("canvas");
        this.canvas.tabIndex = 0;
        this.canvas.setAttribute("role", "img");
        this.canvas.setAttribute("aria-label", `${data.title}: ${this.isMap ? label(z) : this.curves.map(label).join(", ")} over ${label(data.x)}`);
        this.legend = document.createElement("div");
        this.legend.className = "legend";
        element.replaceChildren(this.canvas, this.legend);
        this.fillLegend();
        this.listen();
        new ResizeObserver(() => this.draw()).observe(this.canvas);
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
        this.draw();
    }
    prepareMap(y, z) {
        this.y = y;
        this.z = z;
        this.half = [halfCell(this.x), halfCell(y.values)];
        this.words = z.values.some(v => typeof v === "string");
        if (this.words) {
            const all = [...new Set(z.values.filter(v => v))];
            this.colour = new Map(all.map((w, i) => [w, COLOURS[i % COLOURS.length]]));
        } else {
            [this.lo, this.hi] = range([z.values]);
        }
    }
    limits() {
        if (!this.isMap) return [...range(this.curves.map(c => c.xs)), ...this.padded(range(this.curves.map(c => c.values)))];
        const [x0, x1] = range([this.x]), [y0, y1] = range([this.y.values]), [a, b] = this.half;
        return [x0 - a, x1 + a, y0 - b, y1 + b];
    }
    padded([lo, hi]) {
        return [lo - 0.04 * (hi - lo), hi + 0.04 * (hi - lo)];
    }
    fillLegend() {
        const entry = (colour, text) => {
            const item = document.createElement("span"), box = document.createElement("i");
            box.style.background = colour;
            item.append(box, text);
            this.legend.append(item);
        };
        if (this.words) for (const [word, colour] of this.colour) entry(colour, word);
        else if (this.isMap) {
            for (let k = 0; k <= 8; k += 2)
                entry(shade(k / 8), digits(this.lo + k / 8 * (this.hi - this.lo)));
            this.legend.append(label(this.z));
        }
        this.curves.forEach((c, i) => entry(this.isMap ? "#fff" : COLOURS[i % COLOURS.length], label(c)));
    }
    // pixels of a place, and the place of pixels
    toX(v) { return MARGIN.left + (v - this.view[0]) / (this.view[1] - this.view[0]) * this.w; }
    toY(v) { return MARGIN.top + (this.view[3] - v) / (this.view[3] - this.view[2]) * this.h; }
    fromX(p) { return this.view[0] + (p - MARGIN.left) / this.w * (this.view[1] - this.view[0]); }
    fromY(p) { return this.view[3] - (p - MARGIN.top) / this.h * (this.view[3] - this.view[2]); }
    listen() {
        const {canvas} = this;
        let from = null;
        canvas.addEventListener("pointerdown", e => {
            from = [e.offsetX, e.offsetY];
            canvas.setPointerCapture(e.pointerId);
        });
        canvas.addEventListener("pointermove", e => {
            this.box = from && e.buttons ? [...from, e.offsetX, e.offsetY] : null;
            if (this.box) this.draw();
            this.under(e.offsetX, e.offsetY);
        });
        canvas.addEventListener("pointerup", e => {
            const b = this.box;
            this.box = null;
            if (b && Math.abs(b[2] - b[0]) > 8 && Math.abs(b[3] - b[1]) > 8) {
                const xs = [this.fromX(b[0]), this.fromX(b[2])].sort((p, q) => p - q);
                const ys = [this.fromY(b[1]), this.fromY(b[3])].sort((p, q) => p - q);
                this.view = [...xs, ...ys];
            } else if (from) this.click(e.offsetX, e.offsetY);
            from = null;
            this.draw();
        });
        canvas.addEventListener("dblclick", () => this.reset());
        canvas.addEventListener("keydown", e => {
            if (e.key === "0" || e.key === "Escape") this.reset();
            else if (e.key === "+" || e.key === "-") this.zoom(e.key === "+" ? 0.8 : 1.25);
        });
    }
    reset() {
        this.view = [...this.home];
        this.draw();
    }
    zoom(by) {
        const [a, b, c, d] = this.view, x = (a + b) / 2, y = (c + d) / 2;
        this.view = [x + (a - x) * by, x + (b - x) * by, y + (c - y) * by, y + (d - y) * by];
        this.draw();
    }
    // The point of the data next to a place in pixels; null: none is near.
    nearest(px, py) {
        let best = null, least = this.isMap ? Infinity : 400;
        const look = (xs, ys, curve) => {
            for (let i = 0; i < xs.length; i++) {
                if (!finite(xs[i]) || !finite(ys[i])) continue;
                const d = (this.toX(xs[i]) - px) ** 2 + (this.toY(ys[i]) - py) ** 2;
                if (d < least) {
                    least = d;
                    best = {i, x: xs[i], y: ys[i], curve};
                }
            }
        };
        if (this.isMap) look(this.x, this.y.values, null);
        else for (const c of this.curves) look(c.xs, c.values, c);
        return best;
    }
    under(px, py) {
        const p = this.nearest(px, py);
        if (!p) return this.tell("");
        const value = (c, v) => `${c.name} = ${typeof v === "string" ? v : digits(v)}${c.unit ? " " + c.unit : ""}`;
        this.tell(this.isMap ? [value(this.data.x, p.x), value(this.y, p.y), value(this.z, this.z.values[p.i])].join("   ")
            : [value(this.data.x, p.x), value(p.curve, p.y)].join("   "));
    }
    click(px, py) {
        const p = this.isMap && this.pick ? this.nearest(px, py) : null;
        if (p) this.pick([this.data.x.name, this.y.name], [p.x, p.y], [this.data.x.unit, this.y.unit]);
    }
    draw() {
        const {canvas} = this, ratio = devicePixelRatio || 1;
        const width = canvas.clientWidth || 640, height = canvas.clientHeight || 400;
        canvas.width = width * ratio;
        canvas.height = height * ratio;
        this.w = Math.max(10, width - MARGIN.left - MARGIN.right);
        this.h = Math.max(10, height - MARGIN.top - MARGIN.bottom);
        const g = canvas.getContext("2d"), style = getComputedStyle(canvas);
        const text = style.color, edge = style.getPropertyValue("--edge") || "#ccc";
        g.setTransform(ratio, 0, 0, ratio, 0, 0);
        g.clearRect(0, 0, width, height);
        g.font = "12px system-ui, sans-serif";
        if (!this.isMap) this.grid(g, text, edge);
        g.save();
        g.beginPath();
        g.rect(MARGIN.left, MARGIN.top, this.w, this.h);
        g.clip();
        if (this.isMap) this.cells(g);
        this.curves.forEach((c, i) => this.line(g, c, i));
        g.restore();
        if (this.isMap) this.grid(g, text, edge);
        if (this.box) {
            g.strokeStyle = text;
            g.setLineDash([4, 3]);
            g.strokeRect(this.box[0], this.box[1], this.box[2] - this.box[0], this.box[3] - this.box[1]);
            g.setLineDash([]);
        }
    }
    grid(g, text, edge) {
        g.strokeStyle = edge;
        g.fillStyle = text;
        g.lineWidth = 1;
        g.textAlign = "center";
        for (const v of ticks(this.view[0], this.view[1], this.w / 90)) {
            const x = this.toX(v);
            g.beginPath();
            g.moveTo(x, MARGIN.top + (this.isMap ? this.h : 0));
            g.lineTo(x, MARGIN.top + this.h + 4);
            g.stroke();
            g.fillText(digits(v), x, MARGIN.top + this.h + 17);
        }
        g.fillText(label(this.data.x), MARGIN.left + this.w / 2, MARGIN.top + this.h + 36);
        g.textAlign = "right";
        for (const v of ticks(this.view[2], this.view[3], this.h / 45)) {
            const y = this.toY(v);
            g.beginPath();
            g.moveTo(MARGIN.left - 4, y);
            g.lineTo(MARGIN.left + (this.isMap ? 0 : this.w), y);
            g.stroke();
            g.fillText(digits(v), MARGIN.left - 7, y + 4);
        }
        const of = this.isMap ? label(this.y) : this.curves.length === 1 ? label(this.curves[0]) : "";
        g.save();
        g.translate(13, MARGIN.top + this.h / 2);
        g.rotate(-Math.PI / 2);
        g.textAlign = "center";
        g.fillText(of, 0, 0);
        g.restore();
        g.strokeRect(MARGIN.left, MARGIN.top, this.w, this.h);
    }
    cells(g) {
        const [a, b] = this.half, z = this.z.values;
        for (let i = 0; i < z.length; i++) {
            const x = this.x[i], y = this.y.values[i], v = z[i];
            if (!finite(x) || !finite(y) || (this.words ? !v : !finite(v))) continue;
            g.fillStyle = this.words ? this.colour.get(v) : shade((v - this.lo) / (this.hi - this.lo));
            const left = Math.floor(this.toX(x - a)), top = Math.floor(this.toY(y + b));
            g.fillRect(left, top, Math.ceil(this.toX(x + a)) - left, Math.ceil(this.toY(y - b)) - top);
        }
    }
    line(g, curve, number) {
        g.strokeStyle = this.isMap ? "#fff" : COLOURS[number % COLOURS.length];
        g.lineWidth = 2;
        g.beginPath();
        let on = false;
        const {xs, values} = curve;
        for (let i = 0; i < xs.length; i++) {
            if (!finite(xs[i]) || !finite(values[i])) {
                on = false;
                continue;
            }
            const x = this.toX(xs[i]), y = this.toY(values[i]);
            if (on) g.lineTo(x, y);
            else g.moveTo(x, y);
            on = true;
        }
        g.stroke();
        if (values.length < 3)
            values.forEach((v, i) => { if (finite(v)) g.strokeRect(this.toX(xs[i]) - 2, this.toY(v) - 2, 4, 4); });
    }
}
