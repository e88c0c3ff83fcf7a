// SPDX-License-Identifier: MIT
// Systems in generalised coordinates: every coordinate as a curve over time, with
// its value now.

const POINTS = 500;

export class Drawing {
    constructor(canvas, run, motions) {
        this.canvas = canvas;
        this.run = run;
        this.motions = motions;
        this.rows = [];
        run.systems.forEach((system, s) => {
            const motion = motions[run.bodies.length + s];
            system.coordinates.forEach((c, k) => this.rows.push({
                name: `${system.name}.${c.name}`, unit: c.unit, motion, k,
                samples: this.samples(motion, k)}));
        });
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
        const high = Math.min(160, h / Math.max(1, this.rows.length));
        this.rows.forEach((row, i) => this.row(g, row, i * high, high, w, t, before, colour));
    }
    row(g, row, top, high, w, t, before, colour) {
        const left = 150, right = w - 12;
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
