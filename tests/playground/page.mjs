// SPDX-License-Identifier: GPL-3.0-or-later
// node page.mjs PAGE CHROMIUM: the playground in Debian's chromium, from disk.
import {writeFileSync} from "node:fs";
import {pathToFileURL} from "node:url";
import {Browser} from "../view/browser.mjs";

const [page, program, picture] = process.argv.slice(2);
const browser = await Browser.open(program);
let checks = 0;
const troubles = [], requests = [];

function is(what, got, want) {
    checks++;
    if (JSON.stringify(got) !== JSON.stringify(want)) throw new Error(`${what}: ${JSON.stringify(got)}, not ${JSON.stringify(want)}`);
}
function holds(what, got) {
    checks++;
    if (!got) throw new Error(`${what} does not hold`);
}
const frames = new Set(); // sessions of frames, which are pages of their own
browser.on("Target.attachedToTarget", async p => {
    if (p.targetInfo.type !== "iframe") return;
    await browser.call("Runtime.enable", {}, p.sessionId);
    frames.add(p.sessionId);
});
browser.on("Target.detachedFromTarget", p => frames.delete(p.sessionId));
await browser.call("Target.setAutoAttach", {autoAttach: true, waitForDebuggerOnStart: false, flatten: true});
// Waits until the expression is true in some frame of the page.
async function inFrame(what, expression) {
    for (let k = 0; k < 200; k++, await new Promise(yes => setTimeout(yes, 50)))
        for (const session of frames) {
            const {result} = await browser.call("Runtime.evaluate", {expression, returnByValue: true}, session).catch(() => ({}));
            if (result?.value === true) return checks++;
        }
    throw new Error(`${what}: not in any frame`);
}
const value = text => browser.value(text);
async function until(what, condition, seconds = 30) {
    for (const end = Date.now() + 1000 * seconds; Date.now() < end; await new Promise(yes => setTimeout(yes, 50)))
        if (await value(condition)) return checks++;
    throw new Error(`${what}: not within ${seconds} s; the page says ${await value("document.getElementById('state').textContent")}`);
}
const state = "document.getElementById('state').textContent", output = "document.getElementById('output').textContent";
const type = text => value(`impPlay.setText(${JSON.stringify(text)})`);
const idle = "!impPlay.running && impPlay.ran === impPlay.text()";

try {
    browser.on("Runtime.exceptionThrown", p => troubles.push(p.exceptionDetails.exception?.description || p.exceptionDetails.text));
    browser.on("Log.entryAdded", p => { if (p.entry.level === "error") troubles.push(p.entry.text); });
    browser.on("Network.requestWillBeSent", p => { if (!/^(file|blob|data|about):/.test(p.request.url)) requests.push(p.request.url); });
    await browser.call("Emulation.setDeviceMetricsOverride", {width: 1200, height: 800, deviceScaleFactor: 1, mobile: false});
    const began = Date.now();
    await browser.go(pathToFileURL(page).href);
    await value("impPlay.started.then(() => 1)");
    await until("the first example has run", `impPlay.runs > 0 && ${idle}`);
    console.log(`ready and run after ${Date.now() - began} ms`);
    holds("the ball chatters to its limit", (await value(output)).includes("limit of chatter at"));
    is("its motion is shown", await value("document.querySelectorAll('#views iframe').length"), 1);
    await inFrame("the viewer runs in its frame", "window.impView?.run?.bodies.length === 2");
    await inFrame("and goes to a time", "(impView.setTime(0.25), impView.stats().t === 0.25)");

    // a mistake: told while typing, mended by its fix-it
    const runs = await value("impPlay.runs");
    await type("use shapes\nbody µ : circl(1) { mass = 1 }\nlet a = 2 [m]\nshow a\n");
    await until("a mistake is listed", "document.querySelector('#problems li')?.textContent.includes('circle')");
    holds("and underlined", await value("document.querySelectorAll('.cm-lintRange-error').length") > 0);
    is("at its place", await value("document.querySelector('.cm-lintRange-error').textContent"), "circl");
    is("a wrong text does not run", await value("impPlay.runs"), runs);
    await value("Array.from(document.querySelectorAll('#problems button')).find(b => b.textContent === 'write circle').click()");
    await until("the fix-it mends it, and the model runs by itself", `${idle} && impPlay.text().includes('circle(1)') && ${output}.includes('a = 2 m')`);
    is("nothing is wrong then", await value("document.querySelectorAll('#problems li').length"), 0);

    // colours, documentation, completion
    holds("keywords have a colour", await value("document.querySelectorAll('.tok-keyword').length") > 0);
    holds("units have a colour", await value("document.querySelectorAll('.tok-unit').length") > 0);
    holds("names are explained", (await value("impPlay.checker.ask('doc', {model: impPlay.text(), path: impPlay.name, name: 'simulate'}).then(r => r.text)")).includes("simulate"));
    holds("words are completed", (await value("impPlay.checker.ask('complete', {model: 'let r = simul'}).then(r => r.words)")).includes("simulate"));

    // plots and maps
    await value("impPlay.show('examples/tutorial/map.imp')");
    await until("a map is drawn", `${idle} && impPlay.plots?.some(p => p.isMap)`);
    const cells = await value("(p => new Set(p.z.values).size)(impPlay.plots.find(p => p.isMap))");
    holds("of several verdicts", cells > 1);
    await value("(p => { p.under(200, 120); p.click(200, 120); })(impPlay.plots.find(p => p.isMap))");
    await until("a click on a point runs it", `!impPlay.running && ${state}.includes('with ')`);

    // links
    const text = "let c = 3 [m] # <script>alert(1)</script> é\nshow c\n";
    await type(text);
    await value("impPlay.link()");
    const address = await value("location.href");
    await type("show 1\n");
    await browser.go("about:blank");
    await browser.go(address);
    await value("impPlay.started.then(() => 1)");
    is("a link holds the model", await value("impPlay.text()"), text);
    await until("and runs it", `${output}.includes('c = 3 m')`);
    await value(`location.hash = ${JSON.stringify(new URL(address).hash.slice(0, -9))}`);
    await until("a link that was cut is told", `${state}.includes('cut or changed')`);

    // an endless run can be stopped, and the next one works
    await type("use shapes\nworld { gravity = (0, -9.81) }\nbody floor : half_plane { fixed = true }\nbody ball : circle(0.1) { mass = 1 position = (0, 1) velocity = (0, 0) }\ncontact b : floor | ball { restitution = 1 }\nlet r = simulate { until = 1e7 }\nshow r.t\n");
    await value("void impPlay.run()");
    await new Promise(yes => setTimeout(yes, 500));
    holds("it runs", await value("impPlay.running !== null"));
    await value("document.getElementById('stop').click()");
    await until("it is stopped", `${state} === 'stopped'`);
    await type("show 6*7\n");
    await value("void impPlay.run()");
    await until("and the next run works", `${output}.includes('= 42')`);

    if (picture) {
        await value("impPlay.show('examples/tutorial/ball.imp')");
        await until("again", idle);
        await new Promise(yes => setTimeout(yes, 1000));
        writeFileSync(picture, Buffer.from((await browser.call("Page.captureScreenshot", {format: "png"})).data, "base64"));
    }
    is("no error in the console", troubles, []);
    is("no request to a network", requests, []);
    console.log(`${checks} checks`);
} finally {
    await browser.close();
}
process.exit(0);
