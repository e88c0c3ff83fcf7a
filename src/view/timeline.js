// SPDX-License-Identifier: MIT
// Events, energies and columns over time. The axis is the time, or (key z) the
// logarithm of the time that is left to a limit of infinitely many impacts: a
// self-similar approach has equal steps there, and so has playing.

import {closes, opens} from "./run.js";

const COLOURS = {
    "impact": "#e65100", "touch": "#00897b", "slide": "#3949ab",
    "stick": "#283593", "slip": "#00acc1", "reverse": "#00838f",
    "leave": "#7cb342", "liftoff": "#7cb342", "undecided": "#c62828", "stop": "#c62828", "chatter": "#8e24aa",
    "jam": "#d81b60", "impact without collision": "#d81b60",
    "compliant": "#f9a825", "pressed": "#f9a825", "rigid": "#7cb342",
    "overlap begins": "#d50000", "overlap ends": "#d50000"
};
export const colourOf = kind => COLOURS[kind] || "#6d4c41";

const LEFT = 74, RIGHT = 12, ROW = 15, ROWS_MOST = 5;

export class Timeline {
    constructor(canvas, run, events, limits) {
        this.canvas = canvas;
        this.run = run;
        this.events = events;
        this.limits = limits;
        const used = [...new Set(events.map(e => e.contact))];
        this.contacts = used.slice(0, ROWS_MOST);
        this.more = used.length - this.contacts.length;
        this.curve = null; // a column, or null for the energies
        this.limit = null; // the limit of the logarithmic axis, or null
    }
    // The limit whose approach holds time t, or the last one.
    limitAt(t) {
        return this.limits.find(l => l.t >= t) || this.limits.at(-1) || null;
    }
    setLog(on, t) {
        this.limit = on ? this.limitAt(t) : null;
        if (!this.limit) return;
        const {t: at, from, ratio} = this.limit;
        this.far = Math.log10(at - from || at || 1);
        const resolved = this.events.filter(e => e.t < at && e.kind === "impact");
        const last = resolved.length ? at - resolved.at(-1).t : at * 1e-3;
        // beyond the last impact that was resolved a third of the axis is left
        this.near = Math.max(Math.log10(last) - Math.max(1, (this.far -
            Math.log10(last)) / 3), Math.log10(at * 4e-16));
        this.pale = [];
        for (let left = last * ratio; ratio > 0 && ratio < 1 && left > 0 &&
             Math.log10(left) > this.near; left *= ratio)
            this.pale.push(at - left);
    }
    get width() { return this.canvas.clientWidth - LEFT - RIGHT; }
    // The place of a time on the axis, from 0 to 1; may lie outside.
    place(t) {
        if (!this.limit) return this.run.end > 0 ? t / this.run.end : 0;
        const left = this.limit.t - t;
        return left <= 0 ? 1 : (this.far - Math.log10(left)) / (this.far - this.near);
    }
    timeAt(place) {
        if (!this.limit) return place * this.run.end;
        return this.limit.t - 10 ** (this.far - place * (this.far - this.near));
    }
    pick(x) {
        const t = this.timeAt(Math.min(1, Math.max(0, (x - LEFT) / this.width)));
        return Math.min(Math.max(t, 0), this.run.end);
    }
    colours() {
        const style = getComputedStyle(document.documentElement);
        return name => style.getPropertyValue(name).trim();
    }
    draw(t, picked) {
        const {canvas} = this, scale = window.devicePixelRatio || 1;
        const w = canvas.clientWidth, h = canvas.clientHeight;
        if (canvas.width !== Math.round(w * scale) ||
            canvas.height !== Math.round(h * scale)) {
            canvas.width = Math.round(w * scale);
            canvas.height = Math.round(h * scale);
        }
        const colour = this.colours();
        const x = time => LEFT + this.place(time) * this.width, bottom = h - 16;
        // all but the present time changes seldom, and may hold a million marks
        const key = JSON.stringify([w, h, scale, picked, this.curve, this.limit?.t, this.far, this.near, colour("--text")]);
        if (key !== this.key) {
            this.key = key;
            this.still ||= document.createElement("canvas");
            this.still.width = canvas.width;
            this.still.height = canvas.height;
            const g = this.still.getContext("2d"), rows = this.contacts.length;
            g.setTransform(scale, 0, 0, scale, 0, 0);
            g.font = "11px system-ui, sans-serif";
            g.textBaseline = "middle";
            const top = 4 + rows * ROW + (this.more > 0 ? ROW : 0);
            this.axis(g, x, top, bottom, w, colour);
            this.marks(g, x, colour, picked);
            this.curves(g, x, top + 4, bottom - 2, colour);
        }
        const g = canvas.getContext("2d");
        g.setTransform(1, 0, 0, 1, 0, 0);
        g.clearRect(0, 0, canvas.width, canvas.height);
        if (canvas.width && canvas.height) g.drawImage(this.still, 0, 0);
        g.setTransform(scale, 0, 0, scale, 0, 0);
        g.strokeStyle = colour("--accent");
        g.lineWidth = 1.5;
        g.beginPath();
        const at = Math.min(Math.max(x(t), LEFT), w - RIGHT);
        g.moveTo(at, 0);
        g.lineTo(at, bottom);
        g.stroke();
    }
    axis(g, x, top, bottom, w, colour) {
        g.strokeStyle = colour("--edge");
        g.fillStyle = colour("--faint");
        g.textAlign = "center";
        const ticks = [];
        if (this.limit) {
            for (let k = Math.floor(this.far); k >= this.near; k--)
                ticks.push([this.limit.t - 10 ** k, k]);
        } else {
            const rough = this.run.end * 80 / Math.max(80, this.width);
            const power = 10 ** Math.floor(Math.log10(rough || 1));
            const step = [1, 2, 5, 10].find(s => s * power >= rough) * power;
            for (let k = 0; step > 0 && k * step <= this.run.end * (1 + 1e-9); k++)
                ticks.push([k * step, k * step]);
        }
        let last = -1e9;
        for (const [time, label] of ticks) {
            const at = x(time);
            g.beginPath();
            g.moveTo(at, top);
            g.lineTo(at, bottom);
            g.stroke();
            if (at - last < 50) continue;
            last = at;
            g.fillText(this.limit ? `limit \u2212 1e${label}`
                                  : `${+label.toPrecision(6)}`, at, bottom + 8);
        }
        g.textAlign = "left";
        g.fillText("s", 4, bottom + 8);
    }
    marks(g, x, colour, picked) {
        this.contacts.forEach((contact, row) => {
            const y = 4 + ROW * (row + 0.5);
            g.fillStyle = contact === picked ? colour("--accent") : colour("--text");
            g.textAlign = "left";
            g.fillText(this.run.contacts[contact].name, 4, y, LEFT - 10);
            g.strokeStyle = colour("--edge");
            g.beginPath();
            g.moveTo(LEFT, y);
            g.lineTo(LEFT + this.width, y);
            g.stroke();
            this.spans(g, x, contact, y);
            this.rowOf(g, x, y, e => e.contact === contact);
            if (this.limit && this.limit.contacts.includes(contact)) {
                g.globalAlpha = 0.35;
                for (const t of this.pale) this.mark(g, x(t), y, {kind: "impact"});
                g.globalAlpha = 1;
            }
        });
        if (this.more > 0) {
            g.fillStyle = colour("--faint");
            const y = 4 + ROW * (this.contacts.length + 0.5), here = new Set(this.contacts);
            g.fillText(`and ${this.more} contacts`, 4, y, LEFT - 8);
            this.rowOf(g, x, y, e => !here.has(e.contact));
        }
    }
    // While bodies overlap: red. While a contact is closed: a line.
    spans(g, x, contact, y) {
        let overlap = null, closed = null;
        const end = this.run.end;
        const span = (from, to, high, colour) => {
            g.fillStyle = colour;
            const a = Math.max(x(from), LEFT), b = Math.min(x(to), LEFT + this.width);
            g.fillRect(a, y - high, Math.max(1, b - a), 2 * high);
        };
        for (const e of this.events) {
            if (e.contact !== contact) continue;
            if (e.kind === "overlap begins") overlap = e.t;
            if (closes(e.kind) && closed === null) closed = e.t;
            if (e.kind === "overlap ends" && overlap !== null) {
                span(overlap, e.t, 5, "#d5000066");
                overlap = null;
            }
            if (opens(e.kind) && closed !== null) {
                span(closed, e.t, 2, "#3949ab88");
                closed = null;
            }
        }
        if (overlap !== null) span(overlap, end, 5, "#d5000066");
        if (closed !== null) span(closed, end, 2, "#3949ab88");
    }
    // Marks of some of the events; those of one kind at one place are one mark.
    rowOf(g, x, y, is) {
        const last = new Map();
        for (const e of this.events) {
            if (!is(e)) continue;
            const at = x(e.t);
            if (Math.abs(at - last.get(e.kind)) < 0.4) continue;
            last.set(e.kind, at);
            this.mark(g, at, y, e);
        }
    }
    mark(g, x, y, e) {
        if (x < LEFT - 4 || x > LEFT + this.width + 4) return;
        g.fillStyle = g.strokeStyle = colourOf(e.kind);
        g.beginPath();
        if (e.kind === "impact" || e.kind === "impact without collision") {
            g.moveTo(x, y - 6);
            g.lineTo(x, y + 6);
            g.stroke();
            return;
        }
        if (e.kind === "chatter") {
            g.moveTo(x - 7, y - 5);
            g.lineTo(x, y);
            g.lineTo(x - 7, y + 5);
        } else {
            g.arc(x, y, 3, 0, 7);
        }
        g.closePath();
        g.fill();
    }
    curves(g, x, top, bottom, colour) {
        const {energy, t, columns} = this.run;
        let list;
        if (this.curve !== null && columns[this.curve]) {
            const c = columns[this.curve];
            list = [];
            for (let k = 0; k < c.width; k++)
                list.push({name: c.name + (c.width > 1 ? `[${k}]` : ""),
                           t, x: i => c.x[i * c.width + k]});
        } else {
            list = [
                {name: "kinetic", t: energy.t, x: i => energy.kinetic[i]},
                {name: "potential", t: energy.t, x: i => energy.potential[i]},
                {name: "energy", t: energy.t,
                 x: i => energy.kinetic[i] + energy.potential[i]}];
        }
        let lo = Infinity, hi = -Infinity;
        for (const c of list)
            for (let i = 0; i < c.t.length; i++) {
                const v = c.x(i);
                if (v < lo) lo = v;
                if (v > hi) hi = v;
            }
        if (!(hi >= lo) || bottom - top < 20) return;
        if (hi === lo) hi = lo + (Math.abs(lo) || 1);
        const tints = ["#1e88e5", "#fb8c00", colour("--text")];
        g.save();
        g.beginPath();
        g.rect(LEFT, top - 2, this.width, bottom - top + 4);
        g.clip();
        list.forEach((c, k) => {
            g.strokeStyle = tints[k % 3];
            g.beginPath();
            for (let i = 0; i < c.t.length; i++)
                g.lineTo(x(c.t[i]), bottom - (c.x(i) - lo) / (hi - lo) * (bottom - top));
            g.stroke();
        });
        g.restore();
        g.textAlign = "left";
        list.forEach((c, k) => {
            g.fillStyle = tints[k % 3];
            if (top + 8 + 12 * k < bottom) g.fillText(c.name, 4, top + 8 + 12 * k, LEFT - 8);
        });
    }
}
