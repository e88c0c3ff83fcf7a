// SPDX-License-Identifier: GPL-3.0-or-later
// node assemble.mjs SOURCE WASM PAGE: one HTML file of the playground's parts.
import {readFileSync, readdirSync, writeFileSync} from "node:fs";
import {join} from "node:path";

const [source, wasm, page] = process.argv.slice(2);
const read = (...path) => readFileSync(join(...path), "utf8");
const play = name => read(source, "src/playground", name), view = name => read(source, "src/view", name);

const models = Object.fromEntries(readdirSync(join(source, "examples"), {recursive: true})
    .filter(f => /\.(imp|csv|json|jsonl)$/.test(f)).map(f => `examples/${f.replaceAll("\\", "/")}`).sort()
    .map(f => [f, read(source, f)]));
// Nothing inside a script element may end it: "</" becomes "<\/" where that means the same, and
// parts that are HTML or JSON are told to be other types.
const script = text => text.replaceAll("</script", "<\\/script");
const json = value => JSON.stringify(value).replaceAll("<", "\\u003c");
const part = (id, text) => {
    if (/<\/script/i.test(text)) throw new Error(`${id} would end its element`);
    return `<script id="${id}" type="text/plain">${text}</script>\n`;
};

writeFileSync(page, `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Imp playground</title>
<style>
${view("style.css")}${play("page.css")}</style>
</head>
<body>
<div id="app">
${play("page.html")}</div>
<script id="models" type="application/json">${json(models)}</script>
${part("worker", script(read(wasm, "imp.js") + play("worker.js")))}${part("view-style", view("style.css"))}${part("view-body", view("body.html"))}${part("view-script", script(view("viewer.min.js")))}${part("plot-body", view("plot.html"))}${part("plot-script", script(view("plot.min.js")))}<script id="wasm" type="text/plain">${readFileSync(join(wasm, "imp.wasm")).toString("base64")}</script>
<script>
${script(play("page.min.js"))}</script>
</body>
</html>
`);
