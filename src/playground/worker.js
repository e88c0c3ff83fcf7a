// SPDX-License-Identifier: GPL-3.0-or-later
// Imp in a worker: the page sends {id, call, ...}, this sends {id, ...} back. Stands behind
// emscripten's imp.js in one text; the tests run it in node, too.
"use strict";
let imp;

async function begin({wasm, files}) {
    const said = [];
    imp = await impModule({wasmBinary: wasm, print: s => said.push(s), printErr: s => said.push(s)});
    imp.said = said;
    for (const [path, text] of Object.entries(files)) write(path, text);
    imp.FS.mkdirTree("/out");
}

function write(path, text) {
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (folder) imp.FS.mkdirTree(folder);
    imp.FS.writeFile(path, text);
}

const text = (name, types = [], values = []) => imp.ccall(name, "string", types, values);
const lines = name => text(name).split("\n").filter(line => line).map(line => JSON.parse(line));

// All files below a folder, and the folder empty again.
function take(folder, into = []) {
    for (const name of imp.FS.readdir(folder)) {
        if (name === "." || name === "..") continue;
        const path = `${folder}/${name}`;
        if (imp.FS.isDir(imp.FS.stat(path).mode)) {
            take(path, into);
            imp.FS.rmdir(path);
        } else {
            into.push({name: path.slice("/out/".length), bytes: imp.FS.readFile(path)});
            imp.FS.unlink(path);
        }
    }
    return into;
}

function motions() {
    const list = [];
    for (let k = 0; ; k++) {
        const at = imp.ccall("play_motion", "number", ["number"], [k]);
        if (!at) return list;
        const size = imp.ccall("play_motion_size", "number", ["number"], [k]);
        list.push({name: text("play_motion_name", ["number"], [k]),
                   bytes: imp.HEAPU8.slice(at, at + size)});
    }
}

const calls = {
    begin,
    check({model, path}) {
        write(path, model);
        imp.ccall("play_check", "number", ["string"], [path]);
        return {diagnostics: lines("play_said")};
    },
    run({model, path, sets = ""}) {
        write(path, model);
        const began = performance.now();
        const status = imp.ccall("play_run", "number", ["string", "number", "string"], [path, 1, sets]);
        return {status, ms: performance.now() - began, output: text("play_output"),
                diagnostics: lines("play_said"), plots: lines("play_plots"), motions: motions(),
                files: take("/out"), said: imp.said.splice(0)};
    },
    // as `imp run --backend=eval` prints it
    plain({path}) {
        imp.FS.chdir("/");
        const status = imp.ccall("play_run", "number", ["string", "number", "string"], [path, 0, ""]);
        return {status, output: text("play_output"), diagnostics: text("play_said"), said: imp.said.splice(0)};
    },
    complete({model}) {
        const [word, ...words] = text("play_complete", ["string"], [model]).split("\n").filter(s => s);
        return {word: Number(word), words};
    },
    doc({model, path, name}) {
        write(path, model);
        return {text: text("play_doc", ["string", "string"], [path, name])};
    },
    explain: ({code}) => ({text: text("play_explain", ["string"], [code])}),
    words: () => ({words: text("play_words").split("\n").filter(s => s).map(s => s.split("\t"))}),
};

async function answer({id, call, ...rest}) {
    try {
        return {id, ...await calls[call](rest)};
    } catch (error) {
        return {id, failed: String(error && error.message || error)};
    }
}

// One call after the other: the first one starts Imp, which takes a while.
let last = Promise.resolve();
if (typeof self !== "undefined" && typeof window === "undefined")
    self.onmessage = e => {
        last = last.then(async () => self.postMessage(await answer(e.data)));
    };
if (typeof module !== "undefined") module.exports = {answer};
