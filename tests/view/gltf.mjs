// SPDX-License-Identifier: GPL-3.0-or-later
// node gltf.mjs IMP: glTF files of runs. Their poses are those of the record to the precision of
// floats, every number lies in its bounds, triangles have corners that are there, and the validator
// of Khronos (npm ci in src/view) finds nothing.
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {mkdtempSync, readFileSync, rmSync} from "node:fs";
import {createRequire} from "node:module";
import {tmpdir} from "node:os";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";

const imp = process.argv[2], here = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "imp-gltf-"));
let validator = null;
try {
    validator = createRequire(join(here, "../../src/view/package.json"))("gltf-validator");
} catch {
    console.log("the validator is not there (npm ci in src/view): only our own checks");
}

function read(path) {
    const bytes = readFileSync(path), json = bytes.readUInt32LE(12);
    assert.equal(bytes.readUInt32LE(8), bytes.length);
    const gltf = JSON.parse(bytes.toString("utf8", 20, 20 + json)), block = bytes.subarray(28 + json);
    const width = {SCALAR: 1, VEC3: 3, VEC4: 4};
    gltf.numbers = gltf.accessors.map(a => {
        const view = gltf.bufferViews[a.bufferView], n = a.count * width[a.type];
        const part = block.buffer.slice(block.byteOffset + view.byteOffset, block.byteOffset + view.byteOffset + 4 * n);
        return a.componentType === 5126 ? new Float32Array(part) : new Uint32Array(part);
    });
    return gltf;
}

for (const model of ["box", "discs", "dominoes", "both"]) {
    const path = join(folder, `${model}.glb`);
    const said = execFileSync(imp, ["view", "--json", "--no-open", "-o", path, join(here, "models", `${model}.imp`)],
                              {encoding: "utf8", stdio: ["ignore", "pipe", "ignore"]});
    const record = said.split("\n").filter(l => l.startsWith("{")).map(l => JSON.parse(l)).find(r => r.command === "simulate");
    const gltf = read(path);
    for (const mesh of gltf.meshes) for (const p of mesh.primitives) {
        const corners = gltf.accessors[p.attributes.POSITION].count;
        assert.ok(gltf.numbers[p.indices].every(i => i < corners), "a corner that is not there");
    }
    let compared = 0;
    for (const {sampler, target} of gltf.animations[0].channels) {
        const {input, output} = gltf.animations[0].samplers[sampler], t = gltf.numbers[input], x = gltf.numbers[output];
        assert.ok(t.every((v, i) => !i || v > t[i - 1]), "times that do not grow");
        const of = record?.[`${gltf.nodes[target.node].name}_position`];
        if (target.path !== "translation" || !of) continue;
        record.t.forEach((time, k) => {
            const i = t.indexOf(Math.fround(time));
            if (i < 0) return;
            compared++;
            of[k].forEach((v, j) => assert.ok(Math.abs(v - x[3 * i + j]) <= 1e-6 * (1 + Math.abs(v)), `${model} at ${time}: ${v}, ${x[3 * i + j]}`));
        });
    }
    let found = "";
    if (validator) {
        const {issues} = await validator.validateBytes(new Uint8Array(readFileSync(path)));
        assert.deepEqual(issues.messages, [], `${model}: what the validator says`);
        found = ", valid";
    }
    console.log(`${model}: ${gltf.nodes.length} nodes, ${compared} poses${found}`);
}
rmSync(folder, {recursive: true});
