// SPDX-License-Identifier: GPL-3.0-or-later
// The playground: editor, results, plots and motions of a model, all in one page. Imp runs in
// two workers: one checks while the user types, the other one runs and can be ended. Texts
// of models and of Imp are set as text, never as markup.
import {EditorView, keymap, lineNumbers, highlightActiveLine, highlightActiveLineGutter, drawSelection, hoverTooltip} from "@codemirror/view";
import {EditorState} from "@codemirror/state";
import {defaultKeymap, history, historyKeymap, indentWithTab} from "@codemirror/commands";
import {autocompletion, closeBrackets, completionKeymap} from "@codemirror/autocomplete";
import {bracketMatching, indentUnit} from "@codemirror/language";
import {setDiagnostics, lintKeymap, lintGutter} from "@codemirror/lint";
import {searchKeymap, highlightSelectionMatches} from "@codemirror/search";
import {impLanguage} from "./language.js";
import {toAddress, fromAddress} from "./link.js";
import {Plot} from "../view/plot_draw.js";

const $ = id => document.getElementById(id);
const QUICK = 1000; // ms: a model that runs so fast runs again by itself
const PAUSE = 250;  // ms without a key before the text is checked
const data = id => $(id).textContent;
const make = (tag, text, set = {}) => Object.assign(document.createElement(tag), text === undefined ? set : {textContent: text, ...set});

// -- Imp in a worker ---------------------------------------------------------

function wasmBytes() {
    const binary = atob(data("wasm").trim()), bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

class Worker_ {
    constructor(bytes, files) {
        this.bytes = bytes;
        this.files = files;
        this.start();
    }
    start() {
        const url = URL.createObjectURL(new Blob([data("worker")], {type: "text/javascript"}));
        this.worker = new Worker(url);
        URL.revokeObjectURL(url);
        this.waiting = new Map();
        this.next = 1;
        this.worker.onmessage = e => {
            this.waiting.get(e.data.id)?.(e.data);
            this.waiting.delete(e.data.id);
        };
        this.worker.onerror = e => this.end(e.message || "the worker has ended");
        this.ready = this.ask("begin", {wasm: this.bytes, files: this.files});
    }
    ask(call, rest = {}) {
        return new Promise(done => {
            const id = this.next++;
            this.waiting.set(id, done);
            this.worker.postMessage({id, call, ...rest});
        });
    }
    // Ends whatever it does; everybody who waits gets `failed`.
    end(why) {
        const {waiting} = this;
        this.worker.terminate();
        this.start();
        for (const done of waiting.values()) done({failed: why});
    }
}

// -- places in the text: Imp counts bytes, the editor UTF-16 units ------------

function placesOf(text) {
    if (/^[\x00-\x7f]*$/.test(text)) return byte => Math.min(byte, text.length);
    const at = [];
    let unit = 0;
    for (const sign of text) {
        const code = sign.codePointAt(0), n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        for (let i = 0; i < n; i++) at.push(unit);
        unit += sign.length;
    }
    return byte => byte < at.length ? at[byte] : unit;
}

// -- the page ------------------------------------------------------------------

class Playground {
    constructor() {
        this.examples = JSON.parse(data("models"));
        this.files = Object.fromEntries(Object.entries(this.examples).map(([p, t]) => [`/${p}`, t]));
        for (const [name, id] of [["style.css", "view-style"], ["body.html", "view-body"], ["viewer.min.js", "view-script"],
                                  ["plot.html", "plot-body"], ["plot.min.js", "plot-script"]])
            this.files[`/view/${name}`] = data(id);
        const bytes = wasmBytes();
        this.checker = new Worker_(bytes, this.files);
        this.runner = new Worker_(bytes, this.files);
        this.name = "examples/model.imp";
        this.urls = [];
        this.lastMs = Infinity;
        this.runs = 0;
        this.checks = 0;
    }
    async start() {
        const begun = await this.checker.ready;
        if (begun.failed) throw new Error(`Imp cannot be started here: ${begun.failed}`);
        const {words} = await this.checker.ask("words");
        this.editor(words);
        this.controls();
        await this.first();
    }
    editor(words) {
        const update = EditorView.updateListener.of(u => { if (u.docChanged) this.changed(); });
        this.view = new EditorView({parent: $("editor"), state: EditorState.create({doc: "", extensions: [
            lineNumbers(), history(), drawSelection(), highlightActiveLine(), highlightActiveLineGutter(),
            bracketMatching(), closeBrackets(), highlightSelectionMatches(), indentUnit.of("  "), lintGutter(),
            impLanguage(words), autocompletion({override: [c => this.complete(c)]}), hoverTooltip((v, pos) => this.hover(pos)),
            keymap.of([{key: "Mod-Enter", run: () => { this.run(); return true; }}, ...completionKeymap, ...lintKeymap,
                       ...searchKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
            EditorView.contentAttributes.of({"aria-label": "the model"}), update]})});
    }
    controls() {
        const select = $("examples");
        for (const path of Object.keys(this.examples).filter(p => p.endsWith(".imp"))) select.append(make("option", path.replace(/^examples\//, ""), {value: path}));
        select.addEventListener("change", () => this.show(select.value));
        $("run").addEventListener("click", () => this.run());
        $("stop").addEventListener("click", () => this.runner.end("stopped"));
        $("link").addEventListener("click", () => this.link());
        $("save").addEventListener("click", () => this.download(this.name.split("/").at(-1), new TextEncoder().encode(this.text())));
        $("theme").addEventListener("click", () => {
            const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
            root.dataset.theme = dark ? "light" : "dark";
        });
        const split = $("split");
        split.addEventListener("pointerdown", e => split.setPointerCapture(e.pointerId));
        split.addEventListener("pointermove", e => { if (e.buttons) $("left").style.width = `${Math.min(Math.max(e.clientX / innerWidth * 100, 15), 85)}%`; });
        split.addEventListener("keydown", e => {
            const by = e.key === "ArrowLeft" ? -3 : e.key === "ArrowRight" ? 3 : 0;
            if (by) $("left").style.width = `${Math.min(Math.max($("left").offsetWidth / innerWidth * 100 + by, 15), 85)}%`;
        });
        addEventListener("hashchange", () => this.first());
    }
    text() { return this.view.state.doc.toString(); }
    setText(text) { this.view.dispatch({changes: {from: 0, to: this.view.state.doc.length, insert: text}}); }
    async first() {
        const values = new URLSearchParams(location.hash.slice(1));
        if (values.has("m")) {
            try {
                this.name = "examples/model.imp";
                this.setText(await fromAddress(values.get("m")));
            } catch {
                this.state("this address does not hold a whole model: it has been cut or changed");
                if (!this.text()) this.show(this.opening());
                return;
            }
            this.lastMs = Infinity;
            await this.run();
        } else this.show(this.examples[values.get("example")] ? values.get("example") : this.opening());
    }
    opening() {
        const all = Object.keys(this.examples);
        return all.find(p => p === "examples/tutorial/ball.imp") || all[0];
    }
    show(path) {
        $("examples").value = path;
        this.name = path;
        this.setText(this.examples[path]);
        this.run();
    }
    state(text) { $("state").textContent = text; }
    async link() {
        const address = `${location.href.split("#")[0]}#m=${await toAddress(this.text())}`;
        window.history.replaceState(null, "", address);
        try {
            await navigator.clipboard.writeText(address);
            this.state("the address is in the clipboard");
        } catch {
            this.state("the address of the page holds the model now");
        }
    }
    changed() {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.check(), PAUSE);
    }
    async check() {
        const model = this.text();
        const {diagnostics, failed} = await this.checker.ask("check", {model, path: this.name});
        this.checks++;
        if (model !== this.text()) return;
        this.problems(failed ? [{severity: "error", code: "", message: failed, notes: []}] : diagnostics);
        if (!failed && !diagnostics.some(d => d.severity === "error") && this.lastMs < QUICK && !this.running && model !== this.ran) this.run();
    }
    // Squiggles and fix-its in the text, and the list below it.
    problems(diagnostics) {
        const text = this.text(), place = placesOf(text);
        const ours = diagnostics.filter(d => d.file === this.name);
        const apply = fix => view => view.dispatch({changes: {from: place(fix.lo), to: place(fix.hi), insert: fix.text}});
        const words = d => [d.message, d.label, ...d.notes.map(n => n.message), d.help].filter(t => t).join("\n");
        this.view.dispatch(setDiagnostics(this.view.state, ours.map(d => {
            const from = place(d.lo), to = Math.max(from, place(d.hi));
            return {from, to: Math.min(to === from ? from + 1 : to, text.length), severity: d.severity === "error" ? "error" : "warning",
                    source: d.code, renderMessage: () => make("pre", words(d)), message: d.message,
                    actions: d.fix ? [{name: d.fix.text ? `write ${d.fix.text}` : "remove it", apply: apply(d.fix)}] : []};
        })));
        $("problems").replaceChildren(...diagnostics.map(d => {
            const item = make("li", `${d.line ? `line ${d.line}: ` : ""}${words(d)}\n`, {className: d.severity});
            if (d.file === this.name && d.line) item.append(this.button("go there", () => {
                this.view.dispatch({selection: {anchor: place(d.lo)}, scrollIntoView: true});
                this.view.focus();
            }));
            if (d.fix && d.file === this.name) item.append(this.button(d.fix.text ? `write ${d.fix.text}` : "remove it", () => apply(d.fix)(this.view)));
            if (d.code) item.append(this.button(d.code, async () => {
                const {text: why} = await this.checker.ask("explain", {code: d.code});
                item.append(make("pre", why));
            }));
            return item;
        }));
    }
    button(text, act) {
        const button = make("button", text, {type: "button"});
        button.addEventListener("click", act);
        return button;
    }
    async run(sets = "") {
        if (this.running) this.runner.end("stopped");
        clearTimeout(this.timer);
        const model = this.text(), token = this.running = {};
        this.state("running ...");
        $("stop").disabled = false;
        const r = await this.runner.ask("run", {model, path: this.name, sets});
        if (this.running !== token) return;
        this.running = null;
        $("stop").disabled = true;
        this.runs++;
        this.ran = model;
        this.lastMs = r.failed ? Infinity : r.ms;
        if (r.failed) return this.state(r.failed === "stopped" ? "stopped" : `this run has ended: ${r.failed}`);
        const kinds = ["done", "an expectation failed", "the model is wrong", "the computation failed"];
        this.state(`${kinds[r.status] || r.status}, ${r.ms < 10 ? r.ms.toFixed(1) : Math.round(r.ms)} ms${sets ? ` with ${sets.split("\n").join(", ")}` : ""}`);
        this.results(r);
    }
    results(r) {
        for (const url of this.urls.splice(0)) URL.revokeObjectURL(url);
        this.problems(r.diagnostics);
        $("output").textContent = r.output + r.said.map(s => `${s}\n`).join("");
        $("views").replaceChildren(...r.motions.map(m => this.frame(m)));
        $("plots").replaceChildren();
        this.plots = r.plots.map(p => this.figure(p));
        $("files").replaceChildren(...r.files.map(f => {
            const item = make("li"), a = make("a", f.name, {href: this.url(f.bytes, f.name.endsWith(".html") ? "text/html" : "application/octet-stream"), download: f.name});
            item.append(a);
            return item;
        }));
    }
    url(bytes, type) {
        const url = URL.createObjectURL(new Blob([bytes], {type}));
        this.urls.push(url);
        return url;
    }
    frame({name, bytes}) {
        const title = name || this.name.split("/").at(-1).replace(/\.imp$/, "");
        const escaped = title.replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`);
        let binary = "";
        for (let i = 0; i < bytes.length; i += 8192) binary += String.fromCharCode(...bytes.subarray(i, i + 8192));
        const page = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>${escaped}</title><style>${data("view-style")}</style></head>` +
            `<body>${data("view-body")}<script id="run" type="application/octet-stream">${btoa(binary)}</scr` + `ipt><script>${data("view-script")}</scr` + `ipt></body></html>`;
        return make("iframe", undefined, {src: this.url(new TextEncoder().encode(page), "text/html"), title: `motion of ${title}`});
    }
    figure(plot) {
        const figure = make("figure"), caption = make("figcaption", plot.title), values = make("output"), box = make("div");
        caption.append(values);
        figure.append(caption, box);
        $("plots").append(figure);
        return new Plot(box, plot, {
            tell: text => { values.textContent = text; },
            // a point of a map: the model with these params
            pick: (names, x) => this.run(names.map((n, i) => `${n.split(".").at(-1)}=${x[i]}`).join("\n")),
        });
    }
    download(name, bytes) {
        make("a", undefined, {href: this.url(bytes, "text/plain"), download: name}).click();
    }
    async complete(context) {
        const word = context.matchBefore(/[\p{L}\p{N}_.]*/u);
        if (!context.explicit && (!word || word.from === word.to)) return null;
        const model = context.state.doc.sliceString(0, context.pos);
        const {words, word: at, failed} = await this.checker.ask("complete", {model});
        if (failed || !words.length) return null;
        return {from: placesOf(model)(at), options: words.map(label => ({label})), validFor: /^[\p{L}\p{N}_]*$/u};
    }
    async hover(pos) {
        const {doc} = this.view.state, line = doc.lineAt(pos), at = pos - line.from;
        const found = [...line.text.matchAll(/[\p{L}_][\p{L}\p{N}_]*/gu)].find(m => m.index <= at && at <= m.index + m[0].length);
        if (!found || line.text.slice(0, found.index).includes("#")) return null;
        const {text, failed} = await this.checker.ask("doc", {model: this.text(), path: this.name, name: found[0]});
        if (failed || !text) return null;
        return {pos: line.from + found.index, end: line.from + found.index + found[0].length, create: () => ({dom: make("pre", text)})};
    }
}

const page = new Playground();
window.impPlay = page; // for the tests of the page
page.started = page.start().catch(error => page.state(String(error.message || error)));
