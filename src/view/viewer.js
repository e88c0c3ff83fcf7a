// SPDX-License-Identifier: MIT
// The page that shows a run: its state, what keys and buttons do, and what is
// drawn when. Texts of the run are set as text, never as markup.
import {readRun, motions, events, firstAfter, Forces} from "./run.js";
import {Timeline, colourOf} from "./timeline.js";
import {Lens} from "./lens.js";
import {Drawing} from "./drawing.js";
import {Scene} from "./scene.js";
import {movie} from "./movie.js";

const $ = id => document.getElementById(id);
const ARROWS_MOST = 200; // events at one time that are drawn
const SPEEDS = [1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 100, 1e3];

function fromBase64(text) {
    const binary = atob(text.trim()), bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

function limitsOf(run, list) {
    const {t, ratio, contacts} = run.limits, out = [];
    const chatter = list.filter(e => e.kind === "chatter");
    for (let i = 0; i < (t.length || 0); i++) {
        const at = chatter.slice(firstAfter(chatter, t[i], true), firstAfter(chatter, t[i])).map(e => e.contact);
        out.push({t: t[i], from: i ? t[i - 1] : 0, ratio: ratio[i],
                  text: contacts[i], contacts: at});
    }
    return out;
}

class Viewer {
    constructor(run) {
        this.run = run;
        for (const contact of run.contacts) if (contact.all) contact.name = "all pairs";
        this.events = events(run);
        this.motions = motions(run);
        this.limits = limitsOf(run, this.events);
        this.t = 0;
        this.before = false;
        this.playing = false;
        this.speed = 1;
        this.picked = null; // a body
        this.part = null; // of a drawing: {system, item}
        this.contact = this.events.length ? this.events[0].contact : 0;
        this.follow = null;
        this.log = false;
        this.frames = [];
        this.overlaps = this.overlapSpans();
        this.greatest = run.events.impulse.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
        this.held = new Forces(run.forces);
        this.fastest = this.held.greatest();
        this.timeline = new Timeline($("line"), run, this.events, this.limits);
        this.lens = new Lens($("gap"), $("gaptext"), run);
        this.scene = run.bodies.length ? new Scene($("scene"), $("names"), run, this.motions) : null;
        this.drawing = run.systems.length || !this.scene ? new Drawing($("drawing"), run, this.motions) : null;
        document.querySelector("main").classList.toggle("both", Boolean(this.scene && this.drawing));
        $("scene").hidden = !this.scene;
        $("drawing").hidden = !this.drawing;
        $("title").textContent = document.title;
        this.commands();
        this.listen();
        if (this.scene) this.scene.onMoved = () => this.tell();
        this.filmed = ""; // "gif", "webm": the motion becomes a picture (movie.js)
        this.readAddress();
        this.tell();
        requestAnimationFrame(now => this.frame(now));
    }
    overlapSpans() {
        const spans = [], open = new Map();
        for (const e of this.events) {
            if (e.kind === "overlap begins") open.set(e.contact, e.t);
            if (e.kind === "overlap ends" && open.has(e.contact)) {
                spans.push([open.get(e.contact), e.t, e.contact]);
                open.delete(e.contact);
            }
        }
        for (const [contact, from] of open) spans.push([from, this.run.end, contact]);
        return spans;
    }
    // [key, sign on the button, what it does, function, is it on?]
    commands() {
        const toggle = (name, then) => [() => {
            this.scene.show[name] = !this.scene.show[name];
            then?.(this.scene.show[name]);
        }, () => this.scene?.show[name]];
        const scene = this.scene ? [
            ["n", "normals", "normals at contact points", ...toggle("normals")],
            ["i", "impulses", "impulses and forces", ...toggle("impulses")],
            ["e", "names", "names of bodies", ...toggle("names", on => { if (this.drawing) this.drawing.names = on; })],
            ["a", "axes", "axes of bodies", ...toggle("axes", on => this.scene.setAxes(on))],
            ["t", "trails", "paths of mass centres", ...toggle("trails", on => this.scene.setTrails(on, this.picked))],
            ...this.scene.marched.length ? [["m", "formula", "level sets from their formula, along rays",
                ...toggle("marching", on => this.scene.march(on))]] : [],
            ["f", "follow", "follow the body that is picked", () => {
                this.follow = this.follow === null ? this.picked : null;
            }, () => this.follow !== null],
            ["r", "camera", "the camera back to its first place", () => this.scene.view()],
        ] : [
            ["e", "names", "names of what is drawn", () => {
                this.drawing.names = !this.drawing.names;
            }, () => this.drawing.names],
        ];
        this.list = [
            [" ", "play", "play and pause", () => this.play(!this.playing), () => this.playing],
            [",", "\u2190 event", "previous event", () => this.stepEvent(-1)],
            [".", "event \u2192", "next event", () => this.stepEvent(1)],
            ["ArrowLeft", "\u2190 step", "a little back", () => this.nudge(-1)],
            ["ArrowRight", "step \u2192", "a little on", () => this.nudge(1)],
            ["-", "slower", "play slower", () => this.faster(-1)],
            ["+", "faster", "play faster", () => this.faster(1)],
            ["Home", "start", "to the start", () => this.setTime(0)],
            ["End", "end", "to the end", () => this.setTime(this.run.end)],
            ["z", "log", "logarithm of the time left to a limit of impacts", () => this.setLog(!this.log), () => this.log],
            ["g", "gap", "gap lens on the contact of the last event", () => {
                $("lens").hidden = !$("lens").hidden;
            }, () => !$("lens").hidden],
            ["c", "curve", "next curve below the events", () => this.nextCurve()],
            ...scene,
            ["d", "dark", "dark or light", () => this.theme(), null],
            ["h", "keys", "these keys", () => { $("help").hidden = !$("help").hidden; }, () => !$("help").hidden],
        ];
        const names = {" ": "space", ArrowLeft: "\u2190", ArrowRight: "\u2192"};
        this.buttons = this.list.map(([key, sign, what, act]) => {
            const button = document.createElement("button"), dt = document.createElement("dt"),
                  dd = document.createElement("dd");
            button.type = "button";
            button.textContent = sign;
            button.title = `${what} (${names[key] || key})`;
            button.setAttribute("aria-label", what);
            button.addEventListener("click", () => { act(); this.tell(); });
            $("buttons").append(button);
            dt.textContent = names[key] || key;
            dd.textContent = what;
            $("keys").append(dt, dd);
            return button;
        });
        if (this.scene) this.slider();
        $("notes").textContent = "Click on a body for its place in the model; drag to turn, " +
            "wheel to zoom. Click on the times below to go there. Just before a limit of " +
            "infinitely many impacts the pose is the motion without those that were summed up; " +
            "pale marks are computed from their ratio.";
    }
    slider() {
        const label = document.createElement("label"), input = document.createElement("input");
        label.append("arrows", input);
        Object.assign(input, {type: "range", min: -2, max: 2, step: 0.1, value: 0, title: "length of arrows"});
        input.addEventListener("input", () => { this.scene.scale = 10 ** (input.value / 2); });
        $("buttons").append(label);
    }
    listen() {
        document.addEventListener("keydown", e => {
            if (e.ctrlKey || e.metaKey || e.altKey || e.target.tagName === "INPUT") return;
            if (e.key === " " && e.target.tagName === "BUTTON") e.target.blur();
            const key = e.key === "=" ? "+" : e.key.length === 1 ? e.key.toLowerCase() : e.key;
            const command = this.list.find(c => c[0] === key);
            if (key === "Escape") $("help").hidden = true;
            if (!command) return;
            e.preventDefault();
            command[3]();
            this.tell();
        });
        const line = $("line");
        const go = e => this.setTime(this.timeline.pick(e.offsetX));
        line.addEventListener("pointerdown", e => {
            line.setPointerCapture(e.pointerId);
            go(e);
        });
        line.addEventListener("pointermove", e => { if (e.buttons) go(e); });
        for (const [part, pick] of [["scene", "pick"], ["drawing", "pickDrawn"]]) {
            let down = null;
            $(part).addEventListener("pointerdown", e => { down = [e.clientX, e.clientY]; });
            $(part).addEventListener("pointerup", e => {
                if (down && Math.hypot(e.clientX - down[0], e.clientY - down[1]) < 5)
                    this[pick](e.clientX, e.clientY);
                down = null;
            });
        }
        addEventListener("hashchange", () => this.readAddress());
        addEventListener("beforeprint", () => this.draw());
    }
    readAddress() {
        const values = new URLSearchParams(location.hash.slice(1));
        const t = Number(values.get("t"));
        if (values.has("t") && Number.isFinite(t)) this.setTime(t, values.get("side") === "before");
        if (values.has("log")) this.setLog(values.get("log") === "1");
        if (values.has("lens")) $("lens").hidden = values.get("lens") !== "1";
        if (this.scene && values.has("camera")) this.scene.setCamera(values.get("camera"));
        if (this.scene && values.has("formula")) {
            this.scene.show.marching = values.get("formula") === "1";
            this.scene.march(this.scene.show.marching);
        }
        if (values.has("movie")) this.filmed = values.get("movie");
        if (values.has("bare")) document.body.classList.add("bare");
    }
    writeAddress() {
        const hash = `#t=${this.t}${this.before ? "&side=before" : ""}${this.log ? "&log=1" : ""}` +
            ($("lens").hidden ? "" : "&lens=1") + (this.scene?.show.marching ? "&formula=1" : "") +
            (this.scene?.cameraText() ? `&camera=${this.scene.cameraText()}` : "");
        if (hash === location.hash) return;
        try {
            history.replaceState(null, "", hash);
        } catch { /* a frame without an address of its own keeps none */ }
    }
    play(on) {
        if (on && this.t >= this.run.end) this.setTime(0);
        this.playing = on;
        this.last = null;
    }
    faster(by) {
        const i = SPEEDS.findIndex(s => s >= this.speed * 0.999);
        this.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, i + by))];
    }
    setTime(t, before = false) {
        this.t = Math.min(Math.max(t, 0), this.run.end);
        this.before = before;
        const last = this.events[firstAfter(this.events, this.t) - 1];
        if (last) this.contact = last.contact;
    }
    stepEvent(by) {
        this.playing = false;
        const next = this.events[by > 0 ? firstAfter(this.events, this.t)
                                       : firstAfter(this.events, this.t, true) - 1];
        if (next) this.setTime(next.t);
        else this.setTime(by > 0 ? this.run.end : 0);
    }
    nudge(by) {
        this.playing = false;
        const {timeline} = this, step = 1 / 400;
        if (this.log && timeline.limit && this.t < timeline.limit.t)
            this.setTime(Math.min(timeline.timeAt(timeline.place(this.t) + by * step), timeline.limit.t));
        else
            this.setTime(this.t + by * step * this.run.end);
    }
    setLog(on) {
        this.log = on && this.limits.length > 0;
        this.timeline.setLog(this.log, this.t);
        this.message = on && !this.log ? "this run has no limit of infinitely many impacts" : "";
    }
    nextCurve() {
        const n = this.run.columns.length, {timeline} = this;
        timeline.curve = timeline.curve === null ? (n ? 0 : null)
            : timeline.curve + 1 < n ? timeline.curve + 1 : null;
    }
    theme() {
        const root = document.documentElement;
        const dark = root.dataset.theme ? root.dataset.theme === "dark"
            : matchMedia("(prefers-color-scheme: dark)").matches;
        root.dataset.theme = dark ? "light" : "dark";
    }
    pickDrawn(x, y) {
        this.picked = this.follow = null;
        this.part = this.drawing.pick(x, y, this.t, this.before);
        this.scene?.setTrails(this.scene.show.trails, null);
        this.tell();
    }
    pick(x, y) {
        this.part = null;
        this.picked = this.scene.pick(x, y);
        this.scene.setTrails(this.scene.show.trails, this.picked);
        if (this.picked === null) this.follow = null;
        else {
            const of = this.run.contacts.findIndex(c => c.bodies?.includes(this.picked));
            if (of >= 0) this.contact = of;
        }
        this.tell();
    }
    advance(now) {
        const seconds = this.last === null ? 0 : Math.min((now - this.last) / 1000, 0.25);
        this.last = now;
        const {timeline} = this;
        if (this.log && timeline.limit && this.t < timeline.limit.t) {
            const place = timeline.place(this.t) + seconds * 0.1 * this.speed;
            this.setTime(place >= 1 ? timeline.limit.t : timeline.timeAt(place));
        } else {
            this.setTime(this.t + seconds * this.speed);
        }
        if (this.t >= this.run.end) this.playing = false;
    }
    frame(now) {
        if (this.playing) this.advance(now);
        this.draw();
        this.frames.push(now);
        if (this.frames.length > 120) this.frames.shift();
        requestAnimationFrame(next => this.frame(next));
    }
    // Arrows at the present time: impulses of events within a quarter of a second
    // of playing, and the forces that the last step gave.
    arrows() {
        const list = [], {scene, run} = this;
        const span = this.playing ? 0.25 * this.speed : 0;
        const length = (x, most) => most > 0
            ? 1.5 * scene.unit * scene.scale * Math.sqrt(Math.abs(x) / most) : 0;
        const last = firstAfter(this.events, this.t);
        const first = Math.max(firstAfter(this.events, this.t - span, true), last - ARROWS_MOST);
        for (const e of this.events.slice(first, last)) {
            const colour = colourOf(e.kind);
            for (const p of e.points) {
                if (scene.show.impulses)
                    list.push({at: p.at, along: p.normal, length: length(p.impulse, this.greatest), colour, dot: true});
                if (scene.show.normals)
                    list.push({at: p.at, along: p.normal, length: scene.unit, colour: 0x00897b, dot: true});
            }
        }
        for (const f of this.held.at(this.t)) {
            if (scene.show.impulses) {
                list.push({at: f.at, along: f.normal, length: length(f.force, this.fastest), colour: 0x3949ab, dot: true});
                const size = Math.hypot(...f.friction);
                if (size > 0)
                    list.push({at: f.at, along: [...f.friction, 0], length: length(size, this.fastest), colour: 0xc62828, dot: false});
            }
            if (scene.show.normals)
                list.push({at: f.at, along: f.normal, length: scene.unit, colour: 0x00897b, dot: true});
        }
        return list;
    }
    draw() {
        const overlapping = new Set();
        for (const [from, to, contact] of this.overlaps)
            if (this.t >= from && this.t <= to)
                for (const body of this.run.contacts[contact].bodies || []) overlapping.add(body);
        if (this.scene)
            this.scene.draw({t: this.t, before: this.before, picked: this.picked,
                             follow: this.follow, overlapping, arrows: this.arrows()});
        this.drawing?.draw(this.t, this.before);
        this.timeline.draw(this.t, this.contact);
        if (!$("lens").hidden && this.run.contacts.length) this.lens.draw(this.contact, this.t);
        $("time").textContent = `t = ${this.t.toPrecision(12)} s`;
        if (this.picked !== null) this.informBody();
        else if (this.part) this.informSystem();
    }
    // What the buttons show, the line beside the time, the address.
    tell() {
        this.list.forEach(([, , , , on], i) => {
            if (on) this.buttons[i].setAttribute("aria-pressed", String(Boolean(on())));
        });
        const here = this.events.slice(firstAfter(this.events, this.t, true), firstAfter(this.events, this.t));
        const kinds = here.map(e => `${e.kind} ${this.contactName(e)}`);
        $("flag").textContent = this.message || kinds.slice(0, 3).join(", ") +
            (kinds.length > 3 ? ` and ${kinds.length - 3} more` : "") ||
            (this.speed !== 1 ? `\u00d7 ${this.speed}` : "");
        this.message = "";
        $("info").hidden = this.picked === null && !this.part;
        if (!this.playing) this.writeAddress();
    }
    contactName(e) {
        const {bodies, contacts} = this.run;
        return contacts[e.contact].all ? e.bodies.sort((a, b) => a - b).map(i => bodies[i].name).join("|") : contacts[e.contact].name;
    }
    // What is picked: its name, its line in the model, and rows of numbers; `note` is a
    // sentence, or null.
    inform(key, name, of, rows, note) {
        const info = $("info");
        if (info.dataset.of !== key) {
            info.dataset.of = key;
            const title = document.createElement("h2"), code = document.createElement("code"),
                  table = document.createElement("table");
            title.textContent = name;
            code.textContent = of.line ? `${this.run.model}:${of.line}: ${of.text.trim()}` : "";
            for (const [what] of rows) {
                const tr = table.insertRow();
                tr.insertCell().textContent = what;
                tr.insertCell();
            }
            info.replaceChildren(title, code, table);
            if (note) {
                const p = document.createElement("p");
                p.textContent = note;
                info.append(p);
            }
        }
        rows.forEach(([, numbers], i) => {
            info.querySelector("table").rows[i].cells[1].textContent = Array.from(numbers, v => v.toPrecision(8)).join("  ");
        });
    }
    informBody() {
        const body = this.run.bodies[this.picked], pose = new Float64Array(7), rate = new Float64Array(7);
        this.motions[this.picked].value(this.t, pose, this.before, rate);
        const flat = this.run.dim === 2;
        const rows = [["position", pose.subarray(0, this.run.dim)],
                      ["velocity", rate.subarray(0, this.run.dim)],
                      flat ? ["angle, spin", [pose[2], rate[2]]] : ["quaternion", pose.subarray(3)]];
        if (!flat) rows.push(["spin", spin(pose, rate)]);
        const changing = (this.run.surfaces || []).find(s => s.body === this.picked);
        this.inform(`body ${this.picked}`, body.name, body, rows, !body.shape.moves ? null
            : !changing ? "Its shape changes with the time; it is drawn as at t = 0."
            : `Its shape changes with the time; it is drawn from ${changing.frames} times, to ${(100 * changing.off).toPrecision(2)} % between them.`);
    }
    informSystem() {
        const {system: s, item} = this.part, system = this.run.systems[s];
        const motion = this.motions[this.run.bodies.length + s];
        const x = new Float64Array(motion.rows), rate = new Float64Array(motion.rows);
        motion.value(this.t, x, this.before, rate);
        this.inform(`system ${s} ${item}`, `${system.name}: ${item}`, system,
                    system.coordinates.map((c, i) => [`${c.name}, rate`, [x[i], rate[i]]]), null);
    }
}

// The spin in world axes, 2 q' q* of a unit quaternion.
function spin(pose, rate) {
    const n = Math.hypot(pose[3], pose[4], pose[5], pose[6]) ** 2 || 1;
    const [w, x, y, z] = pose.subarray(3), [a, b, c, d] = rate.subarray(3);
    return [2 * (-a * x + b * w - c * z + d * y) / n,
            2 * (-a * y + b * z + c * w - d * x) / n,
            2 * (-a * z - b * y + c * x + d * w) / n];
}

// The whole motion as a picture, in an element of its own: what stands on the page, side by side.
function film(viewer, kind) {
    const parts = [viewer.scene && $("scene"), viewer.drawing && $("drawing")].filter(p => p);
    const out = document.createElement("pre");
    out.id = "movie";
    out.textContent = movie(viewer.run.end, t => {
        viewer.setTime(t);
        viewer.draw();
    }, parts, kind);
    document.body.append(out);
}

function start() {
    try {
        const viewer = new Viewer(readRun(fromBase64($("run").textContent)));
        // for the tests of the page, and for scripts of one's own
        window.impView = {
            run: viewer.run, viewer,
            setTime: (t, before) => { viewer.setTime(t, before); viewer.tell(); },
            pose: (name, t, before) => {
                let i = viewer.run.bodies.findIndex(b => b.name === name);
                if (i < 0) i = viewer.run.bodies.length + viewer.run.systems.findIndex(s => s.name === name);
                const motion = viewer.motions[i];
                return Array.from(motion.value(t, new Float64Array(motion.rows), before));
            },
            stats: () => {
                const f = viewer.frames;
                return {frames: f.length, ms: f.length > 1 ? (f.at(-1) - f[0]) / (f.length - 1) : 0,
                        log: viewer.log, t: viewer.t, playing: viewer.playing,
                        picked: viewer.picked, part: viewer.part, speed: viewer.speed};
            },
        };
        if (viewer.filmed) film(viewer, viewer.filmed);
    } catch (error) {
        $("trouble").hidden = false;
        $("trouble").textContent = `This run cannot be shown: ${error.message}`;
        window.impView = {error: String(error.message)};
    }
}

start();
