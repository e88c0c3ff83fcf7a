// SPDX-License-Identifier: MIT
// The gap lens: the gap of one contact around the present time, from doubles,
// magnified until it fills the picture. Single precision, with which graphics
// cards calculate, shows nothing below 1e-6 of a length; an overlap of 1e-7 is
// as plain here as one of a tenth.

export class Lens {
    constructor(canvas, text, run) {
        this.canvas = canvas;
        this.text = text;
        this.run = run;
        const n = run.contacts.length, {t, gaps} = run.energy;
        this.known = n > 0 && gaps.length === n * t.length;
    }
    // The samples around the present time: `most` before it and behind it.
    window(contact, t, most) {
        const {energy, contacts} = this.run, n = contacts.length;
        let from = 0, to = energy.t.length;
        while (from < to) {
            const middle = from + to >> 1;
            if (energy.t[middle] <= t) from = middle + 1;
            else to = middle;
        }
        const list = [];
        for (let i = Math.max(0, from - most); i < Math.min(energy.t.length, from + most); i++)
            if (Number.isFinite(energy.gaps[i * n + contact]))
                list.push([energy.t[i], energy.gaps[i * n + contact]]);
        return list;
    }
    draw(contact, t) {
        const {canvas} = this, scale = window.devicePixelRatio || 1;
        const w = canvas.clientWidth, h = canvas.clientHeight;
        canvas.width = w * scale;
        canvas.height = h * scale;
        const g = canvas.getContext("2d");
        const style = getComputedStyle(document.documentElement);
        const colour = name => style.getPropertyValue(name).trim();
        g.setTransform(scale, 0, 0, scale, 0, 0);
        const name = this.run.contacts[contact].name;
        const list = this.known ? this.window(contact, t, 12) : [];
        if (list.length < 2) {
            this.text.textContent = `${name}: its gap was not kept`;
            return null;
        }
        const t0 = list[0][0], t1 = list.at(-1)[0];
        const most = Math.max(...list.map(s => Math.abs(s[1]))) || 1;
        const least = Math.min(...list.map(s => s[1]));
        const x = time => t1 > t0 ? (time - t0) / (t1 - t0) * w : w / 2;
        const zero = least < 0 ? h * 0.5 : h - 14;
        const high = zero - 8;
        const y = gap => zero - gap / most * high;
        g.fillStyle = "#d5000033";
        if (least < 0) g.fillRect(0, zero, w, h - zero);
        g.strokeStyle = colour("--faint");
        g.beginPath();
        g.moveTo(0, zero);
        g.lineTo(w, zero);
        g.stroke();
        g.strokeStyle = colour("--accent");
        g.beginPath();
        for (const [time, gap] of list) g.lineTo(x(time), y(gap));
        g.stroke();
        g.fillStyle = colour("--text");
        for (const [time, gap] of list) g.fillRect(x(time) - 1, y(gap) - 1, 2, 2);
        g.strokeStyle = "#e65100";
        g.beginPath();
        g.moveTo(x(t), 0);
        g.lineTo(x(t), h);
        g.stroke();
        let nearest = list[0];
        for (const s of list)
            if (Math.abs(s[0] - t) <= Math.abs(nearest[0] - t)) nearest = s;
        this.text.textContent = `${name}: ${nearest[1].toPrecision(12)} at ` +
            `t = ${nearest[0].toPrecision(12)} s; full height ${most.toPrecision(3)}`;
        return nearest[1];
    }
}
