// SPDX-License-Identifier: GPL-3.0-or-later
// node search.mjs SITE BROWSER: the site's search finds pages from disk, and nothing is asked of a
// network.
import {join} from "node:path";
import {pathToFileURL} from "node:url";
import {Browser} from "../view/browser.mjs";

const [site, program] = process.argv.slice(2);
const browser = await Browser.open(program), asked = [], wrong = [];
browser.on("Network.requestWillBeSent", p => { if (!/^(file|data|blob|about):/.test(p.request.url)) asked.push(p.request.url); });
browser.on("Runtime.exceptionThrown", p => wrong.push(p.exceptionDetails.exception?.description || p.exceptionDetails.text));
let status = 0;
for (const [word, page] of [["chatter", "tutorial/05-chatter"], ["Delassus", "glossary"], ["E0102", "codes/E0102"]]) {
    await browser.go(`${pathToFileURL(join(site, "search.html")).href}?q=${word}`);
    let found = [];
    for (let k = 0; k < 100 && !found.some(l => l.includes(page)); k++) {
        await new Promise(yes => setTimeout(yes, 100));
        found = await browser.value("Array.from(document.querySelectorAll('#search-results a'), a => a.href)");
    }
    const there = found.some(l => l.includes(page));
    console.log(`${word}: ${found.length} pages${there ? "" : `, but not ${page}`}`);
    if (!there) status = 1;
}
if (asked.length || wrong.length) {
    console.log([...asked, ...wrong].join("\n"));
    status = 1;
}
await browser.close();
process.exit(status);
