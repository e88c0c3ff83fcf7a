// SPDX-License-Identifier: GPL-3.0-or-later
// node vtk.mjs IMP: collections of VTK files of runs. Their arrays have the lengths that the heads
// say, cells have points that are there, and points are where the recorded poses put the corners.
import assert from "node:assert/strict";
import {execFileSync, spawnSync} from "node:child_process";
import {mkdtempSync, readFileSync, rmSync} from "node:fs";
import {tmpdir} from "node:os";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";

const imp = process.argv[2], here = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "imp-vtk-"));

// One .vtp file: its arrays by name, with how many points and cells it says it has.
function read(path) {
    const bytes = readFileSync(path), from = bytes.indexOf("<AppendedData encoding=\"raw\">\n_") + 31;
    const xml = bytes.toString("utf8", 0, from), data = {};
    assert.equal(bytes.toString("utf8", bytes.length - 28), "\n</AppendedData>\n</VTKFile>\n");
    let section = "";
    for (const line of xml.split("\n")) {
        const part = /^<(Verts|Lines|Polys|Points|PointData|CellData|FieldData)>$/.exec(line);
        if (part) section = part[1];
        const m = /^<DataArray type="(\w+)" Name="(\w+)" .*offset="(\d+)"/.exec(line);
        if (!m) continue;
        const at = from + Number(m[3]), n = Number(bytes.readBigUInt64LE(at));
        const copy = new Uint8Array(bytes.subarray(at + 8, at + 8 + n)).buffer;
        data[`${section}/${m[2]}`] = m[1] === "Float64" ? new Float64Array(copy)
            : Array.from(new BigInt64Array(copy), Number);
    }
    const head = /NumberOfPoints="(\d+)" NumberOfVerts="(\d+)" NumberOfLines="(\d+)" NumberOfStrips="0" NumberOfPolys="(\d+)"/.exec(xml);
    const points = Number(head[1]);
    assert.equal(data["Points/Points"].length, 3 * points);
    let cells = 0;
    ["Verts", "Lines", "Polys"].forEach((kind, k) => {
        const of = data[`${kind}/connectivity`], ends = data[`${kind}/offsets`];
        assert.equal(ends.length, Number(head[2 + k]));
        assert.equal(ends.length ? ends.at(-1) : 0, of.length);
        assert.ok(ends.every((e, i) => e > (i ? ends[i - 1] : 0)) && of.every(i => i >= 0 && i < points));
        cells += ends.length;
    });
    for (const [name, list] of Object.entries(data)) {
        if (name.startsWith("CellData/")) assert.equal(list.length, cells);
        if (name.startsWith("PointData/")) assert.equal(list.length, 3 * points);
    }
    return data;
}

function collection(path) {
    const text = readFileSync(path, "utf8"), list = [];
    for (const [, t, part, file] of text.matchAll(/<DataSet timestep="([^"]*)" part="(\d)" file="([^"]*)"\/>/g))
        list.push({t: Number(t), part, data: read(join(dirname(path), file))});
    return list;
}

function view(model, every) {
    const path = join(folder, `${model}.pvd`);
    const said = execFileSync(imp, ["view", "--json", "--no-open", "--every", every, "-o", path, join(here, "models", `${model}.imp`)],
                              {encoding: "utf8", stdio: ["ignore", "pipe", "ignore"]});
    const record = said.split("\n").filter(l => l.startsWith("{")).map(l => JSON.parse(l)).find(r => r.command === "simulate");
    return [collection(path), record];
}

// The mean of a body's corners; those of a box and of a domino are about their mass centre.
function middle(data, body) {
    const mine = new Set();
    data["CellData/body"].slice(-data["Polys/offsets"].length).forEach((b, cell) => {
        if (b !== body) return;
        const ends = data["Polys/offsets"];
        for (let i = cell ? ends[cell - 1] : 0; i < ends[cell]; i++) mine.add(data["Polys/connectivity"][i]);
    });
    const sum = [0, 0, 0];
    for (const i of mine) for (let k = 0; k < 3; k++) sum[k] += data["Points/Points"][3 * i + k] / mine.size;
    return sum;
}

for (const [model, body, name, every] of [["box", 1, "crate", "0.0025"], ["dominoes", 1, "a", "0.015"]]) {
    const [files, record] = view(model, every);
    const scenes = files.filter(f => f.part === "0");
    let compared = 0;
    for (const {t, data} of scenes) {
        assert.equal(data["FieldData/TimeValue"][0], t);
        const i = record.t.indexOf(t);
        if (i < 0) continue;
        compared++;
        const here = middle(data, body);
        record[`${name}_position`][i].forEach((v, k) => assert.ok(Math.abs(v - here[k]) < 1e-6, `${model} at ${t}`));
    }
    assert.ok(compared > 15, `${compared} poses compared`);
    assert.ok(files.at(-1).t === record.t.at(-1) && scenes[0].t === 0);
    const marks = files.filter(f => f.part === "1").map(f => f.data);
    const sum = (data, what) => data[`PointData/${what}`].reduce((s, x) => s + Math.abs(x), 0);
    assert.ok(marks.some(m => sum(m, "impulse") > 0) && marks.some(m => sum(m, "force") > 0), "impulses and forces");
    console.log(`${model}: ${files.length} files, ${compared} poses`);
}

// A system: the rod and the spring are lines, which end where its formulas say.
const [files] = view("pendulum", "0.5");
for (const {data, part} of files) {
    if (part !== "0") continue;
    const p = data["Points/Points"];
    assert.ok(data["Lines/offsets"].length === 2 && data["Polys/offsets"].length === 2);
    assert.ok(Math.abs(Math.hypot(p[3], p[4]) - 1) < 1e-12, "the stick has the length 1");
    // the box about the end of the stick, turned with it: one of its corners
    const [x, y] = [p[3], p[4]], k = data["Polys/connectivity"][data["Polys/offsets"][0]];
    const [u, v] = [p[3*k] - x, p[3*k + 1] - y];
    assert.ok(Math.abs(-u*y + v*x + 0.15) < 1e-12 && Math.abs(u*x + v*y - 0.1) < 1e-12, "the corners of the box");
}
console.log(`pendulum: ${files.length} files`);

// What cannot be is told.
for (const [want, words] of [[/longer --every/, ["--every", "1e-7", "-o", join(folder, "x.pvd")]],
                             [/--every is for files/, ["--every", "1", "-o", join(folder, "x.html")]],
                             [/above 0/, ["--every", "0", "-o", join(folder, "x.pvd")]],
                             [/ends in .html/, ["-o", join(folder, "x.vtk")]]]) {
    const {status, stderr} = spawnSync(imp, ["view", "--no-open", ...words, join(here, "models", "box.imp")], {encoding: "utf8"});
    assert.ok(status >= 2 && want.test(stderr), `${words}: ${stderr}`);
}
rmSync(folder, {recursive: true});
