// SPDX-License-Identifier: GPL-3.0-or-later
// node examples.mjs IMP: the run files of all examples. The pieces of everything that moves cover
// the run without gap and overlap, and poses are those that the same run records, to 1e-13 of their
// size. Models that record none are run once more, recording the poses of up to twelve movers.
import assert from "node:assert/strict";
import {spawn} from "node:child_process";
import {copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {availableParallelism, tmpdir} from "node:os";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";
import {motions, readRun} from "../../src/view/run.js";

const imp = process.argv[2], here = dirname(fileURLToPath(import.meta.url));
const examples = join(here, "../../examples"), only = process.argv[3];
const folder = mkdtempSync(join(tmpdir(), "imp-runs-"));
// Joints move poses back onto themselves after each step, by the rounding of a step.
// Of bodies smaller than one, followed in steps, a run keeps places to 1e-6 of their radius (balls_steps_trace.c).
const CLOSE = 1e-13, JOINT = 1e-12, STEPS = 1e-6;

const plain = name => name.replace(/[^\w]+/g, "_").replace(/_$/, "");

// Which mover, and which of its numbers, a recorded column shows; null: something else.
function shown(run, column) {
    const rows = {position: 0, angle: 2, quaternion: 3};
    for (let i = 0; i < run.bodies.length; i++)
        for (const [what, row] of Object.entries(rows))
            if (column.name === `${plain(run.bodies[i].name)}_${what}` && (what !== "angle" || run.dim === 2))
                return {mover: i, row, unit: what === "quaternion"};
    for (let s = 0; s < run.systems.length; s++) {
        const k = run.systems[s].coordinates.findIndex(c => column.name === plain(`${run.systems[s].name}.${c.name}`));
        if (k >= 0) return {mover: run.bodies.length + s, row: k, unit: false};
    }
    return null;
}

function cover(run, name) {
    run.motion.forEach((pieces, mover) => {
        const {begin, end} = pieces, n = begin.length;
        if (!n) return;
        assert.ok(begin[0] === 0 && end[n - 1] === run.end, `${name}: mover ${mover} goes from ${begin[0]} to ${end[n - 1]}, not ${run.end}`);
        for (let i = 0; i < n; i++) {
            assert.ok(end[i] > begin[i], `${name}: piece ${i} of mover ${mover} is empty`);
            assert.ok(!i || begin[i] === end[i - 1], `${name}: mover ${mover} at ${begin[i]}: the piece before ends at ${end[i - 1]}`);
        }
    });
}

// The greatest difference from the record, as a share of the size; how many numbers were compared.
function compare(run, name) {
    const all = motions(run), events = Float64Array.from(run.events.t);
    let worst = 0, seen = 0;
    for (const column of run.columns) {
        const of = shown(run, column);
        if (!of) continue;
        const motion = all[of.mover], pose = new Float64Array(motion.rows);
        // the size of the motion: places are sums of terms as great as the greatest of them
        const length = column.x.reduce((most, x) => Math.max(most, Math.abs(x)), 1);
        Array.from(run.t).forEach((t, i) => {
            let lo = 0, hi = events.length; // events from t - 1e-9 on
            while (lo < hi) { const m = lo + hi >> 1; if (events[m] < t - 1e-9 * Math.max(1, run.end)) lo = m + 1; else hi = m; }
            if (t > run.end || lo < events.length && events[lo] <= t + 1e-9 * Math.max(1, run.end)) return;
            const off = [false, true].map(before => {
                motion.value(t, pose, before);
                const size = of.unit ? Math.hypot(...pose.subarray(3)) : 1;
                let most = 0;
                for (let k = 0; k < column.width; k++)
                    most = Math.max(most, Math.abs(pose[of.row + k] / size - column.x[i * column.width + k]) / length);
                return most;
            });
            const least = Math.min(...off);
            if (least > worst) { worst = least; run.where = `${column.name} at t = ${t}`; }
            seen += column.width;
        });
    }
    return {worst, seen};
}

function runOf(path, name) {
    return new Promise(yes => {
        const child = spawn(imp, ["view", "--no-open", "--backend=eval", "-o", join(folder, `${name}.imprun`), path],
                            {stdio: ["ignore", "ignore", "pipe"], cwd: dirname(path)});
        let said = "";
        child.stderr.on("data", text => { said += text; });
        child.on("exit", status => yes({status, said}));
    });
}

// The model with more to record in each of its runs.
function recording(text, items) {
    return text.replace(/\bsimulate\s*\{[^{}]*\}/g, block => {
        const of = /\brecord\s*=\s*/.exec(block);
        if (!of) return block.replace("{", `{ record = (${items}) `);
        const head = block.slice(0, of.index + of[0].length), rest = block.slice(head.length);
        if (rest.startsWith("(")) return `${head}(${items}, ${rest.slice(1)}`;
        const one = /^\S+(?= {2}|\s*\n|\s*\})/.exec(rest);
        return one ? `${head}(${items}, ${one[0]})${rest.slice(one[0].length)}` : block;
    });
}

function itemsOf(run) {
    const what = run.dim === 2 ? ["position", "angle"] : ["position", "quaternion"];
    const moving = run.bodies.filter((b, i) => run.motion[i].begin.length).slice(0, 6);
    return [...moving.flatMap(b => what.map(w => `${b.name}.${w}`)),
            ...run.systems.flatMap(s => s.coordinates.map(c => `${s.name}.${c.name}`)).slice(0, 12)];
}

const load = file => readRun(new Uint8Array(readFileSync(join(folder, file))));
const count = run => run.columns.filter(c => shown(run, c)).length;
const models = readdirSync(examples, {recursive: true, encoding: "utf8"})
    .filter(f => f.endsWith(".imp") && (!only || f.includes(only)))
    .filter(f => /\bsimulate\b/.test(readFileSync(join(examples, f), "utf8")));
const jobs = [...models], poor = [];
let files = 0, numbers = 0, most = 0, where = "";
function look(name, file) {
    const steps = /\bengine *= *steps\b/.test(readFileSync(join(examples, file), "utf8"));
    const runs = readdirSync(folder).filter(f => f === `${name}.imprun` || f.startsWith(`${name}-`)).map(f => [f, load(f)]);
    for (const [f, run] of runs) {
        cover(run, f);
        const {worst, seen} = compare(run, f), bound = run.joints.length ? JOINT : steps ? STEPS : CLOSE;
        if (process.env.VERBOSE) console.log(f, worst, seen, run.where || "");
        assert.ok(worst <= bound, `${f}: ${run.where} is ${worst} off`);
        if (worst > most && bound === CLOSE) { most = worst; where = `${file}: ${run.where}`; }
        files++;
        numbers += seen;
    }
    return runs.map(r => r[1]);
}
async function work() {
    for (let file; (file = jobs.shift());) {
        const name = file.replace(/\W/g, "_"), path = join(examples, file);
        const {status, said} = await runOf(path, name);
        assert.ok(status === 0 || /E0833/.test(said), `${file}: ${said}`);
        const runs = look(name, file).filter(run => !count(run) && itemsOf(run).length);
        if (!runs.length) continue;
        // a copy beside which the files lie that it uses
        const other = join(folder, `${name}-copy`);
        mkdirSync(other);
        for (const f of readdirSync(dirname(path)))
            if (/\.(imp|csv)$/.test(f)) copyFileSync(join(dirname(path), f), join(other, f));
        writeFileSync(join(other, "m.imp"), recording(readFileSync(path, "utf8"), itemsOf(runs[0]).join(", ")));
        const again = await runOf(join(other, "m.imp"), `${name}+`);
        if (again.status !== 0 || !look(`${name}+`, file).some(count)) poor.push(`${file} ${again.said.slice(0, 300)}`);
    }
}
await Promise.all(Array.from({length: Math.min(4, availableParallelism())}, work));
for (const file of poor) console.log(`its poses are not recorded: ${file}`);
assert.ok(only || (files > 80 && numbers > 20000 && poor.length <= 3), `${files} runs, ${numbers} numbers`);
console.log(`${files} runs of ${models.length} models, ${numbers} numbers within ${most} (${where})`);
rmSync(folder, {recursive: true});
