// SPDX-License-Identifier: GPL-3.0-or-later
// node examples.mjs IMP WASM: every example prints the same bytes as
// `imp run --backend=eval`, and has the same status, when WebAssembly runs it.
import {spawnSync} from "node:child_process";
import {readFileSync, readdirSync} from "node:fs";
import {createRequire} from "node:module";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const [imp, wasm] = process.argv.slice(2);

// imp.js and worker.js as one text, as the page has them
function worker() {
    const source = readFileSync(join(wasm, "imp.js"), "utf8") +
        readFileSync(join(root, "src/playground/worker.js"), "utf8");
    const module = {exports: {}};
    new Function("module", "exports", "require", "__dirname", "__filename", source)(
        module, module.exports, createRequire(import.meta.url), wasm, join(wasm, "imp.js"));
    return module.exports;
}

const models = readdirSync(join(root, "examples"), {recursive: true})
    .filter(f => f.endsWith(".imp")).map(f => `examples/${f}`).sort();
// models, and the data that they read
const all = readdirSync(join(root, "examples"), {recursive: true})
    .filter(f => /\.(imp|csv|json|jsonl)$/.test(f)).map(f => `examples/${f}`);
const files = Object.fromEntries(all.map(f => [`/${f}`, readFileSync(join(root, f), "utf8")]));
// Models that print residues of long double, which has 64 bits natively and 113 here: "path" in
// each line of `known`. There numbers below 1e-13 count as equal, and nothing else does.
const known = new Set(readFileSync(join(root, "tests/playground/known"), "utf8").split("\n").filter(l => l && !l.startsWith("#")));
const blurred = text => text.replace(/-?[0-9][0-9.]*e-([0-9]+)/g, (all, power) => Number(power) > 13 ? "~0" : all);
const {answer} = worker();
const begun = await answer({call: "begin", wasm: readFileSync(join(wasm, "imp.wasm")), files});
if (begun.failed) throw new Error(begun.failed);
let different = 0, native = 0, inWasm = 0;
for (const path of models) {
    let at = performance.now();
    const own = spawnSync(imp, ["run", "--backend=eval", "--threads=1", path], {cwd: root, encoding: "utf8", maxBuffer: 1 << 28});
    native += performance.now() - at;
    at = performance.now();
    const web = await answer({call: "plain", path});
    inWasm += performance.now() - at;
    const here = `${own.stdout}${own.stderr}status ${own.status}`;
    const there = web.failed ? `failed: ${web.failed}` : `${web.output}${web.said.map(s => s + "\n").join("")}${web.diagnostics}status ${web.status}`;
    const same = here === there || (known.has(path) && blurred(here) === blurred(there));
    if (here === there && known.delete(path)) console.log(`${path} agrees: take it from the list`);
    if (!same) {
        different++;
        const a = here.split("\n"), b = there.split("\n"), k = a.findIndex((line, i) => line !== b[i]);
        console.log(`${path}: line ${k + 1}\n  native ${a[k]}\n  wasm   ${b[k]}`);
    }
}
console.log(`${models.length} examples, ${different} differ; ${(native / 1000).toFixed(1)} s natively, ${(inWasm / 1000).toFixed(1)} s in WebAssembly`);
process.exit(different ? 1 : 0);
