// SPDX-License-Identifier: MIT
// A run file (docs/run-file.md): reading it, and the motion at any time. Nothing
// here knows how it is shown.

const HEAD = 32;
const TYPES = {
    f64: Float64Array, f32: Float32Array, u32: Uint32Array, u16: Uint16Array,
    u8: Uint8Array
};

function crc32(bytes) {
    const table = new Uint32Array(256);
    for (let i = 0; i < 256; i++) {
        let c = i;
        for (let k = 0; k < 8; k++) c = c & 1 ? c >>> 1 ^ 0xedb88320 : c >>> 1;
        table[i] = c;
    }
    let crc = 0xffffffff;
    for (let i = 0; i < bytes.length; i++)
        crc = crc >>> 8 ^ table[(crc ^ bytes[i]) & 255];
    return (crc ^ 0xffffffff) >>> 0;
}

// The value with every {"TYPE": [offset, count]} replaced by its numbers.
function resolved(value, block) {
    if (Array.isArray(value)) return value.map(v => resolved(v, block));
    if (value === null || typeof value !== "object") return value;
    const keys = Object.keys(value);
    if (keys.length === 1 && TYPES[keys[0]] && Array.isArray(value[keys[0]])) {
        const Type = TYPES[keys[0]], [offset, count] = value[keys[0]];
        if (!(offset >= 0 && count >= 0 && offset % 8 === 0 &&
              offset + count * Type.BYTES_PER_ELEMENT <= block.byteLength))
            throw new Error("the run file refers to numbers that it lacks");
        return new Type(block, offset, count);
    }
    const out = {};
    for (const key of keys) out[key] = resolved(value[key], block);
    return out;
}

// The run that the bytes of a run file hold. Throws an Error that says what is
// wrong with them.
export function readRun(bytes) {
    const text = new TextDecoder();
    if (bytes.length < HEAD || text.decode(bytes.subarray(0, 8)) !== "IMPRUN1\n")
        throw new Error("this is no run file");
    const head = new DataView(bytes.buffer, bytes.byteOffset, HEAD);
    const size = at => Number(head.getBigUint64(at, true));
    const nJson = size(8), nBlock = size(16);
    if (bytes.length !== HEAD + nJson + nBlock)
        throw new Error("the run file is cut short");
    const rest = bytes.subarray(HEAD);
    if (crc32(rest) !== size(24))
        throw new Error("the run file has been changed: its checksum is wrong");
    const block = rest.slice(nJson).buffer;
    const run = resolved(JSON.parse(text.decode(rest.subarray(0, nJson))), block);
    if (run.version !== 1)
        throw new Error(`the run file has version ${run.version}, ` +
                        "which needs a newer viewer");
    return run;
}

// The pieces of one mover. rows: numbers of a pose. first: the pose of a mover
// without pieces.
export class Motion {
    constructor(pieces, rows, first) {
        this.p = pieces;
        this.rows = rows;
        this.first = first;
        const n = pieces.begin.length;
        this.at = new Uint32Array(n + 1);
        for (let i = 0, at = 0; i < n; i++) {
            for (let r = 0; r < rows; r++) at += pieces.order[i * rows + r] + 1;
            this.at[i + 1] = at;
        }
    }
    // The number of the last piece that begins at t or before. before: of the
    // one that ends at t, where an event lies between both.
    piece(t, before) {
        const {begin} = this.p;
        let from = 0, to = begin.length;
        while (from < to) {
            const middle = from + to >> 1;
            if (before ? begin[middle] < t : begin[middle] <= t) from = middle + 1;
            else to = middle;
        }
        return Math.max(0, from - 1);
    }
    // The pose at time t, into out; rate: its time derivative, too.
    value(t, out, before, rate) {
        const {p, rows} = this;
        if (!p.begin.length) {
            for (let r = 0; r < rows; r++) {
                out[r] = this.first[r];
                if (rate) rate[r] = 0;
            }
            return out;
        }
        const i = this.piece(t, before);
        const time = Math.min(Math.max(t, p.begin[i]), p.end[i]);
        let at = this.at[i];
        for (let r = 0; r < rows; r++) {
            const order = p.order[i * rows + r];
            if (p.basis === "power") {
                const s = time - p.base[i];
                let x = 0, v = 0;
                for (let k = order; k >= 0; k--) {
                    v = v * s + x;
                    x = x * s + p.c[at + k];
                }
                out[r] = x;
                if (rate) rate[r] = v;
            } else {
                chebyshev(p.c, at, order, p.begin[i], p.end[i], time, r, out,
                          rate);
            }
            at += order + 1;
        }
        return out;
    }
}

// Clenshaw's sum of a Chebyshev series and of its derivative.
function chebyshev(c, at, order, begin, end, t, r, out, rate) {
    const x = (2 * t - begin - end) / (end - begin);
    let b1 = 0, b2 = 0, d1 = 0, d2 = 0;
    for (let k = order; k >= 1; k--) {
        const d = 2 * x * d1 - d2 + 2 * b1, b = 2 * x * b1 - b2 + c[at + k];
        d2 = d1;
        d1 = d;
        b2 = b1;
        b1 = b;
    }
    out[r] = x * b1 - b2 + c[at];
    if (rate) rate[r] = (b1 + x * d1 - d2) * 2 / (end - begin);
}

// The motions of all bodies, then of all systems.
export function motions(run) {
    const rows = run.dim === 2 ? 3 : 7;
    return run.motion.map((pieces, i) => {
        const body = run.bodies[i];
        const system = body ? null : run.systems[i - run.bodies.length];
        return new Motion(pieces, body ? rows : system.coordinates.length,
                          body ? body.pose : system.coordinates.map(() => 0));
    });
}

// One event. Its points are made when they are asked for: there may be a million events.
class RunEvent {
    constructor(events, i, point) {
        this.of = events;
        this.i = i;
        this.point = point;
        this.t = events.t[i];
        this.contact = events.contact[i];
        this.kind = events.kinds[events.kind[i]];
    }
    get class() { return this.of.classes[this.of.class[this.i]]; }
    get impulse() { return this.of.impulse[this.i]; }
    get points() {
        return Array.from({length: this.of.points[this.i]}, (_, k) => {
            const p = this.of.point.subarray(7 * (this.point + k), 7 * (this.point + k) + 7);
            return {at: p.subarray(0, 3), normal: p.subarray(3, 6), impulse: p[6]};
        });
    }
    // The two that met where a contact stands for many pairs, else undefined.
    get bodies() {
        return this.of.bodies?.length ? Array.from(this.of.bodies.subarray(2 * this.i, 2 * this.i + 2)) : undefined;
    }
}

// Events as objects, in the order of time.
export function events(run) {
    const e = run.events, list = [];
    for (let i = 0, point = 0; i < e.t.length; point += e.points[i++])
        list.push(new RunEvent(e, i, point));
    return list;
}

// The number of the first event after time t; with `same`, at or after it.
export function firstAfter(list, t, same) {
    let from = 0, to = list.length;
    while (from < to) {
        const middle = from + to >> 1;
        if (same ? list[middle].t < t : list[middle].t <= t) from = middle + 1;
        else to = middle;
    }
    return from;
}

// Events that close a contact, or say how a closed one goes on; and those that
// open it.
const CLOSES = new Set(["slide", "stick", "slip", "reverse", "pressed"]);
const OPENS = new Set(["leave", "liftoff", "impact without collision", "compliant"]);
export const closes = kind => CLOSES.has(kind);
export const opens = kind => OPENS.has(kind);

// The forces of contacts that stay closed, at any time: between two instants of
// one step along straight lines.
export class Forces {
    constructor(forces) {
        this.f = forces;
        this.of = []; // per point that is held: its entries, in the order of time
        Array.from(forces.number, (number, i) => (this.of[number] ||= []).push(i));
    }
    greatest() {
        let most = 0;
        for (let i = 6; i < this.f.point.length; i += 7)
            most = Math.max(most, Math.abs(this.f.point[i]));
        return most;
    }
    // {contact, at, normal, force, friction} of every point that is held at time t; friction
    // acts on the second body.
    at(t) {
        const list = [];
        for (const entries of this.of) {
            let from = 0, to = entries ? entries.length : 0;
            while (from < to) {
                const middle = from + to >> 1;
                if (this.f.t[entries[middle]] <= t) from = middle + 1;
                else to = middle;
            }
            const found = from && this.between(entries[from - 1], entries[from], t);
            if (found) list.push(found);
        }
        return list;
    }
    between(i, j, t) {
        const {contact, point, friction, since} = this.f;
        const together = j !== undefined && since[j] > since[i];
        if (!together && this.f.t[i] < t) return null;
        const share = together ? (t - this.f.t[i]) / (this.f.t[j] - this.f.t[i]) : 0;
        const mix = (data, n) => Array.from({length: n}, (_, k) => {
            const here = data[n * i + k];
            return share > 0 ? here + share * (data[n * j + k] - here) : here;
        });
        const now = mix(point, 7);
        return {contact: contact[i], at: now.slice(0, 3), normal: now.slice(3, 6), force: now[6],
                friction: mix(friction, 2)};
    }
}
