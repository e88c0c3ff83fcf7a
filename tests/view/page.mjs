// SPDX-License-Identifier: GPL-3.0-or-later
// Opens pages of `plot r { as = view }` in a browser, presses keys, and looks at
// what is drawn.
//   node page.mjs IMP BROWSER [PART]
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";
import {Browser} from "./browser.mjs";
import {count, mean, readPng} from "./png.mjs";

const [imp, program, only] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "imp-page-"));
const MAIN = [0, 40, 1000, 480]; // of the window: where bodies are drawn

for (const model of ["box", "discs", "ball", "pendulum", "dominoes", "both", "breathing", "crowd", "formulas", "map"])
    execFileSync(imp, ["run", "--out", folder, join(here, "models", `${model}.imp`)],
                 {stdio: ["ignore", "ignore", "inherit"]});

const browser = await Browser.open(program);
const wrong = [], asked = [];
browser.on("Runtime.exceptionThrown", p => wrong.push(p.exceptionDetails.exception?.description || p.exceptionDetails.text));
browser.on("Runtime.consoleAPICalled", p => wrong.push(`console.${p.type}`));
browser.on("Log.entryAdded", p => { if (p.entry.level === "error") wrong.push(p.entry.text); });
browser.on("Network.requestWillBeSent", p => asked.push(p.request.url));
browser.on("Page.javascriptDialogOpening", () => wrong.push("a dialog: a text of the model became script"));

const picture = async () => { await browser.drawn(); return readPng(await browser.picture()); };
const stats = () => browser.value("impView.stats()");
const hidden = id => browser.value(`document.getElementById("${id}").hidden`);

async function open(name, hash = "", width = 1000, height = 700, dark = false) {
    await browser.size(width, height, dark);
    await browser.go("about:blank");
    await browser.go(`file://${join(folder, name)}${hash}`);
    await browser.drawn();
}

// Poses of the page are those of the record, but at events.
async function poses() {
    const worst = await browser.value(`(() => {
        const {run, pose} = impView, events = [...run.events.t];
        let worst = 0, seen = 0;
        for (const c of run.columns) {
            const m = /^(.*)_(position|angle|quaternion|h)$/.exec(c.name);
            const at = {position: 0, angle: 2, quaternion: 3, h: 0}[m[2]];
            run.t.forEach((t, i) => {
                if (events.some(e => Math.abs(e - t) < 1e-9)) return;
                for (const before of [false, true]) {
                    const p = pose(m[1], t, before);
                    if (m[2] === "quaternion") {
                        const n = Math.hypot(...p.slice(3));
                        for (let k = 3; k < 7; k++) p[k] /= n;
                    }
                    let off = 0;
                    for (let k = 0; k < c.width; k++)
                        off = Math.max(off, Math.abs(p[at + k] - c.x[i * c.width + k]));
                    if (before) worst = Math.max(worst, Math.min(off, last)); else last = off;
                }
                seen++;
            });
        }
        return [worst, seen];
        var last;
    })()`);
    assert.ok(worst[0] < 1e-13, `poses differ by ${worst[0]}`);
    assert.ok(worst[1] > 25);
}

async function space() {
    await open("box.html");
    assert.equal(await browser.value("document.title"), "</title><script>alert(1)</script>");
    await poses();
    // the picture changes with the time
    const first = await picture();
    await browser.value("impView.setTime(0.9)");
    const later = await picture();
    let differ = 0;
    for (let i = 0; i < first.data.length; i++) differ += first.data[i] !== later.data[i] ? 1 : 0;
    assert.ok(differ > 2000, `only ${differ} bytes differ between two times`);
    // something is drawn in the middle: the crate's colour, warm
    const warm = (r, g, b) => r > 90 && r > g + 25 && g > b;
    assert.ok(count(first, ...MAIN, warm) > 300);
    // events by keys; the impulse is an arrow of its colour
    await browser.key("Home");
    await browser.key(".");
    const t = (await stats()).t;
    assert.equal(t, await browser.value("impView.run.events.t[0]"));
    const orange = (r, g, b) => r > 200 && g > 60 && g < 110 && b < 40;
    assert.ok(count(await picture(), ...MAIN, orange) > 10, "no arrow at an impact");
    await browser.key("i");
    assert.ok(count(await picture(), ...MAIN, orange) < 5, "an arrow without impulses");
    await browser.key("i");
    await browser.key(",");
    assert.equal((await stats()).t, 0);
    // picking names the body, its line and its pose
    const at = await browser.value(`(() => {
        const s = impView.viewer.scene, v = s.bodies[1].group.position.clone().project(s.camera);
        const b = s.canvas.getBoundingClientRect();
        return [b.left + (v.x + 1) / 2 * b.width, b.top + (1 - v.y) / 2 * b.height];
    })()`);
    await browser.click(...at);
    assert.equal((await stats()).picked, 1);
    const info = await browser.value("document.getElementById('info').innerText");
    assert.match(info, /^crate/);
    const line = readFileSync(join(here, "models", "box.imp"), "utf8").split("\n")
        .findIndex(text => text.startsWith("body crate")) + 1;
    assert.ok(info.includes(`box.imp:${line}: body crate : box`), info);
    assert.match(info, /position/);
    // a text of the model is no markup
    assert.ok(info.includes("<img src=x onerror=alert(2)>"), info);
    assert.equal(await browser.value("document.querySelectorAll('img').length"), 0);
    // all other keys; buttons do the same
    for (const key of ["n", "e", "a", "t", "f", "g", "c", "c", "c", "c", "d", "d", "+", "-", "ArrowRight", "ArrowLeft", "End", "r"])
        await browser.key(key);
    assert.equal(await hidden("lens"), false);
    assert.equal(await browser.value("document.querySelectorAll('#names span').length"), 3);
    await browser.key("h");
    assert.equal(await hidden("help"), false);
    assert.equal(await browser.value("document.querySelectorAll('#keys dt').length"),
                 await browser.value("document.querySelectorAll('#buttons button').length"));
    await browser.key("Escape");
    assert.equal(await hidden("help"), true);
    await browser.key("Home");
    await browser.key(" ");
    assert.equal((await stats()).playing, true);
    await new Promise(y => setTimeout(y, 400));
    await browser.key(" ");
    assert.ok((await stats()).t > 0.01, "playing does not move the time");
    const {ms} = await stats();
    console.log(`space: ${ms.toFixed(0)} ms a frame at 1000 x 700`);
}

async function plane() {
    await open("discs.html", "#t=0.4");
    await poses();
    assert.equal((await stats()).t, 0.4);
    // bodies that are let through each other are red while they overlap
    const {from, to} = await browser.value("(() => { const [a, b] = impView.viewer.overlaps[0]; return {from: a, to: b}; })()");
    const red = (r, g, b) => r > 170 && g < 90 && b < 90;
    await browser.value(`impView.setTime(${(from + to) / 2})`);
    assert.ok(count(await picture(), ...MAIN, red) > 500, "an overlap is not red");
    await browser.value(`impView.setTime(${from - 0.05})`);
    assert.ok(count(await picture(), ...MAIN, red) < 50, "red without an overlap");
    // the address keeps the time
    assert.match(await browser.value("location.hash"), new RegExp(`t=${from - 0.05}`));
    // a click on the time line goes there
    const box = await browser.value("(() => { const b = document.getElementById('line').getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()");
    await browser.click(box[0] + 74 + (box[2] - 86) / 2, box[1] + box[3] / 2);
    assert.ok(Math.abs((await stats()).t - 1) < 0.01);
    // the gap lens tells the overlap in doubles
    await browser.key("g");
    await browser.value(`impView.viewer.contact = 3; impView.setTime(${from}); impView.viewer.contact = 3`);
    await browser.drawn();
    assert.match(await browser.value("document.getElementById('gaptext').textContent"), /^pass: -?[0-9.e-]+ at t = /);
    // dark on a phone: the controls stay within the window
    await open("discs.html", "#t=0.4", 390, 800, true);
    const dark = mean(await picture(), 5, 60, 60, 120);
    assert.ok(Math.max(...dark) < 60, `dark is ${dark}`);
    assert.ok(await browser.value("document.documentElement.scrollWidth <= innerWidth"));
    assert.ok(await browser.value("document.getElementById('line').getBoundingClientRect().bottom <= innerHeight + 1"));
    await browser.size(1000, 700, false);
    const light = mean(await picture(), 700, 60, 760, 120);
    assert.ok(Math.min(...light) > 200, `light is ${light}`);
    console.log(`plane: ${(await stats()).ms.toFixed(0)} ms a frame`);
}

// Forces act at corners of the bodies, at any time, and are those of the record.
async function forces() {
    await open("dominoes.html");
    const {far, off, seen, rub} = await browser.value(`(() => {
        const {run, viewer, pose} = impView, of = name => run.columns.find(c => c.name === name).x;
        const events = [...run.events.t], normal = of("k_normal_force"), friction = of("k_friction_force");
        let far = 0, off = 0, seen = 0, rub = 0;
        run.t.forEach((t, i) => {
            if (events.some(e => Math.abs(e - t) < 1e-9)) return;
            for (const f of viewer.held.at(t)) {
                let near = Infinity;
                for (const body of ["a", "b"]) {
                    const [x, y, angle] = pose(body, t);
                    for (const [u, v] of [[1, 1], [1, -1], [-1, 1], [-1, -1]])
                        near = Math.min(near, Math.hypot(
                            x + Math.cos(angle) * u / 20 - Math.sin(angle) * v / 2 - f.at[0],
                            y + Math.sin(angle) * u / 20 + Math.cos(angle) * v / 2 - f.at[1]));
                }
                far = Math.max(far, near);
                if (f.contact !== 0) continue;
                const size = Math.hypot(...f.friction);
                off = Math.max(off, Math.abs(f.force - normal[i]), Math.abs(size - Math.abs(friction[i])));
                rub = Math.max(rub, size);
                seen++;
            }
        });
        return {far, off, seen, rub};
    })()`);
    assert.ok(seen > 10 && rub > 0.1, `${seen} forces, friction up to ${rub} N`);
    assert.ok(far < 2e-4, `a force acts ${far} m from the corners`);
    assert.ok(off < 0.02, `forces differ from the record by ${off} N`);
}

async function logarithm() {
    await open("ball.html");
    await poses();
    await browser.key("z");
    assert.equal((await stats()).log, true);
    // impacts of a self-similar approach have equal steps on this axis
    const steps = await browser.value(`(() => {
        const {timeline, events} = impView.viewer;
        const x = events.filter(e => e.kind === "impact").map(e => timeline.place(e.t));
        return x.slice(1).map((p, i) => p - x[i]);
    })()`);
    assert.ok(steps.length > 5);
    for (const step of steps) assert.ok(Math.abs(step / steps[0] - 1) < 1e-6, `steps ${steps}`);
    assert.ok(await browser.value("impView.viewer.timeline.pale.length > 1"));
    // a step goes a part of the way that is left, and never past the limit
    await browser.value("impView.setTime(0)");
    for (let i = 0; i < 5; i++) await browser.key("ArrowRight");
    const t = (await stats()).t;
    assert.ok(t > 0 && t < await browser.value("impView.viewer.limits[0].t"));
}

// Drawings follow the formulas of the coordinates, as doubles.
async function drawings() {
    await open("pendulum.html", "#t=0.5");
    const worst = await browser.value(`(() => {
        const {run, viewer: {drawing}} = impView, theta = run.columns[0].x;
        const events = [...run.events.t];
        let worst = 0;
        run.t.forEach((t, i) => {
            if (events.some(e => Math.abs(e - t) < 1e-9)) return;
            const now = new Map(drawing.figure(drawing.figures[0], t).map(([item, x]) => [item.name, x]));
            const [x, y] = [Math.sin(theta[i]), -Math.cos(theta[i])];
            worst = Math.max(worst, Math.abs(now.get("stick")[2] - x), Math.abs(now.get("stick")[3] - y),
                Math.abs(now.get("bob")[0] - x), Math.abs(now.get("bob")[2] - 0.1),
                Math.abs(now.get("hook")[0]), Math.abs(now.get("pull")[3] - y),
                Math.abs(now.get("crate")[1] - y), Math.abs(now.get("crate")[2] - theta[i]),
                Math.abs(now.get("link[3]")[0] - 0.75*x));
        });
        return worst;
    })()`);
    assert.ok(worst < 1e-13, `drawings differ by ${worst}`);
    // the corners of a shape are its own, from the first one counter-clockwise
    const corners = await browser.value(`[...impView.run.drawings[0].items.find(i => i.name === "crate").shape.corners]`);
    assert.deepEqual(corners, [-0.15, -0.1, 0.15, -0.1, 0.15, 0.1, -0.15, 0.1]);
    const blue = (r, g, b) => b > 180 && r < 100;
    assert.ok(count(await picture(), 0, 40, 600, 480, blue) > 1000, "nothing is drawn");
    await browser.key("e");
    assert.equal(await browser.value("impView.viewer.drawing.names"), true);
    // a click names the part, its system with its line, coordinates and rates
    const [x, y] = await browser.value(`(() => {
        const {drawing, t} = impView.viewer, {px, py} = drawing.seen, box = drawing.canvas.getBoundingClientRect();
        const x = new Map(drawing.figure(drawing.figures[0], t).map(([item, x]) => [item.name, x])).get("crate");
        return [box.left + px(x[0] + 0.1*Math.cos(x[2])), box.top + py(x[1] + 0.1*Math.sin(x[2]))];
    })()`);
    await browser.click(x, y);
    assert.deepEqual((await stats()).part, {system: 0, item: "crate"});
    const theta = await browser.value("impView.pose('p', impView.viewer.t)[0].toPrecision(8)");
    const told = await browser.value("document.getElementById('info').textContent");
    assert.ok(told.includes("p: crate") && told.includes("system p {") && told.includes(theta), told);
}

// `imp view --png` takes a picture without the controls.
async function still() {
    execFileSync(imp, ["view", "--png", "t=0.4", "-o", join(folder, "x.png"), join(here, "models", "discs.imp")],
                 {stdio: ["ignore", "ignore", "ignore"]});
    const still = readPng(readFileSync(join(folder, "x.png")));
    assert.equal(still.width, 1200);
    // two discs overlap at that time
    const red = (r, g, b) => r > 170 && g < 90 && b < 90;
    assert.ok(count(still, 0, 0, still.width, still.height, red) > 5000, "no disc in the picture");
    const corner = mean(still, 2, 2, 40, 20);
    assert.ok(Math.min(...corner) > 200, `the corner is ${corner}`);
}

// The moving picture has a frame for every 1/25 s, of things that move.
async function film() {
    const gif = join(folder, "discs.gif");
    execFileSync(imp, ["view", "--movie", gif, join(here, "models", "discs.imp")],
                 {stdio: ["ignore", "ignore", "inherit"]});
    const data = readFileSync(gif);
    assert.equal(data.subarray(0, 6).toString("latin1"), "GIF89a");
    assert.equal(data.at(-1), 0x3b);
    let frames = 0;
    for (let at = 0; (at = data.indexOf(Buffer.from([0x21, 0xf9, 4]), at)) >= 0; at++) frames++;
    assert.ok(frames >= 51 && frames < 60, `${frames} frames`); // a chance match or two
}

// The same as a WebM, which the browser plays: its length, and pictures that differ.
async function video() {
    const path = join(folder, "discs.webm");
    execFileSync(imp, ["view", "--movie", path, join(here, "models", "discs.imp")], {stdio: ["ignore", "ignore", "inherit"]});
    writeFileSync(join(folder, "video.html"), "<video id=v src=discs.webm muted></video>");
    await browser.go(`file://${join(folder, "video.html")}`);
    const seen = await browser.value(`(async () => {
        const v = document.getElementById("v"), shot = document.createElement("canvas");
        const event = name => new Promise((yes, no) => { v.addEventListener(name, yes, {once: true}); v.onerror = () => no(v.error.message); });
        if (v.readyState < 2) await event("loadeddata");
        [shot.width, shot.height] = [v.videoWidth, v.videoHeight];
        v.play();
        const sums = [];
        for (let k = 0; k < 6; k++) {
            await new Promise(yes => v.requestVideoFrameCallback(yes));
            await new Promise(yes => setTimeout(yes, 120));
            sums.push(v.currentTime);
        }
        return {width: v.videoWidth, height: v.videoHeight, duration: v.duration, times: sums};
    })()`);
    assert.ok(Math.abs(seen.duration - 2.04) < 0.01, `it lasts ${seen.duration} s`);
    assert.ok(seen.width > 600 && seen.height > 300, `${seen.width} x ${seen.height}`);
    assert.ok(seen.times.at(-1) > seen.times[0], "it does not play");
}

// A body and a system: the scene and the drawing stand side by side, at one time.
async function both() {
    await open("both.html");
    const width = id => browser.value(`document.getElementById("${id}").getBoundingClientRect().width`);
    assert.ok(Math.abs(await width("scene") - 580) < 2 && Math.abs(await width("drawing") - 420) < 2, "two parts");
    const before = await picture();
    await browser.value("impView.setTime(0.45)");
    const after = await picture();
    for (const [what, x0, x1] of [["bodies", 0, 570], ["systems", 590, 1000]]) {
        const a = mean(before, x0, 40, x1, 240), b = mean(after, x0, 40, x1, 240);
        assert.ok(Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) > 0.01, `the picture of ${what} does not change`);
    }
    assert.ok(await browser.value("Math.abs(impView.pose('pendulum', 0.45)[0]) < 1"), "the pendulum's coordinate");
    await open("both.html", "", 400, 700);
    assert.ok(await width("scene") > 390 && await width("drawing") > 390, "one above the other on a phone");
}

// A level set with t is drawn as it is then: a disc whose radius doubles.
async function breathing() {
    await open("breathing.html");
    const radius = t => browser.value(`(impView.setTime(${t}), impView.viewer.draw(), (() => {
        const p = impView.viewer.scene.bodies[0].group.children[0].geometry.attributes.position.array;
        return Math.hypot(p[0], p[1]);
    })())`);
    for (const t of [0, 0.3, 1]) assert.ok(Math.abs(await radius(t) - 0.2 * (1 + t)) < 1e-6, `the radius at ${t}`);
    await browser.value("impView.setTime(0)");
    const grey = (r, g, b) => Math.abs(r - g) < 25 && b > r && r < 200, before = count(await picture(), ...MAIN, grey);
    await browser.value("impView.setTime(1)");
    const after = count(await picture(), ...MAIN, grey);
    assert.ok(after > 3 * before, `its picture grows from ${before} to ${after}`);
}

// Many discs: poses are those of the record, two bodies are named at an impact, a click picks one of
// them, and a frame does not cost a call per body.
async function crowd() {
    await open("crowd.html");
    const {worst, seen} = await browser.value(`(() => {
        const {run, pose} = impView;
        let worst = 0, seen = 0;
        for (const c of run.columns) {
            const m = /^disc_(\\d+)_(position|angle)$/.exec(c.name), first = m[2] === "angle" ? 2 : 0;
            run.t.forEach((t, i) => {
                const p = pose("disc[" + m[1] + "]", t);
                for (let k = 0; k < c.width; k++) worst = Math.max(worst, Math.abs(p[first + k] - c.x[i * c.width + k]));
                seen++;
            });
        }
        return {worst, seen};
    })()`);
    assert.ok(seen > 100 && worst < 1e-13, `poses differ by ${worst}`);
    for (let k = 0; k < 3; k++) await browser.key(".");
    assert.match(await browser.value("document.getElementById('flag').textContent"), /^impact (disc|low|high|left|right)[^ ]*\|disc\[\d+\]/);
    const met = await browser.value("(() => { const v = impView.viewer; return v.events[2].bodies.filter(i => v.run.bodies[i].kind === 'moving'); })()");
    const at = await browser.value(`(() => {
        const s = impView.viewer.scene, x = s.pose(${met[0]}, impView.viewer.t).x;
        const half = s.camera.top, b = s.canvas.getBoundingClientRect();
        return [b.left + (0.5 + (x[0] - s.camera.position.x) / 2 / s.camera.right) * b.width,
                b.top + (0.5 - (x[1] - s.camera.position.y) / 2 / half) * b.height];
    })()`);
    await browser.click(...at);
    assert.equal((await stats()).picked, met[0]);
    await browser.key("e");
    assert.equal(await browser.value("[...document.querySelectorAll('#names span')].map(s => s.textContent).includes(impView.run.bodies[impView.viewer.picked].name)"), true);
    assert.ok(await browser.value("impView.viewer.scene.renderer.info.render.calls") < 60, "calls in a frame");
    assert.ok(await browser.value("impView.run.contacts.length") === 1);
    // two colours of discs in the middle
    const middle = await picture(), blue = (r, g, b) => b > 180 && r < 110, red = (r, g, b) => r > 180 && g < 120 && b < 110;
    assert.ok(count(middle, ...MAIN, blue) > 500 && count(middle, ...MAIN, red) > 500, "no discs");
    console.log(`crowd: ${(await stats()).ms.toFixed(0)} ms a frame of 500 discs`);
}

// Level sets from their formulas (key m): the silhouettes of the meshes but for their sides, and
// nearly the same light; in the plane, too, where a formula has t.
async function formulas() {
    await open("formulas.html", "#t=0.6");
    const compare = (one, other, ground) => {
        let bodies = 0, edges = 0, differ = 0;
        for (let y = MAIN[1]; y < MAIN[3]; y++)
            for (let x = MAIN[0]; x < MAIN[2]; x++) {
                const at = (y * one.width + x) * one.channels;
                const a = one.data.subarray(at, at + 3), b = other.data.subarray(at, at + 3);
                const far = (p, q) => Math.max(...[0, 1, 2].map(k => Math.abs(p[k] - q[k])));
                const inA = far(a, ground) > 60, inB = far(b, ground) > 60; // covered by half
                bodies += inA;
                edges += inA !== inB;
                differ += inA && inB && far(a, b) > 40;
            }
        return {bodies, edges, differ};
    };
    const meshes = await picture();
    await browser.key("m");
    const rays = await picture(), ground = [0, 1, 2].map(k => meshes.data[(60 * meshes.width + 20) * meshes.channels + k]);
    const space = compare(meshes, rays, ground);
    assert.ok(space.bodies > 20000 && space.edges < 0.01 * space.bodies && space.differ < 0.04 * space.bodies, JSON.stringify(space));
    assert.equal(await browser.value("document.querySelectorAll('#buttons button[aria-pressed=true]').length"), 2);
    console.log(`formulas: ${(await stats()).ms.toFixed(0)} ms a frame of five bodies along rays`);
    await open("breathing.html", "#t=1");
    const outline = await picture();
    await browser.key("m");
    const plane = compare(outline, await picture(), [0, 1, 2].map(k => outline.data[(60 * outline.width + 20) * outline.channels + k]));
    assert.ok(plane.bodies > 2000 && plane.edges < 0.02 * plane.bodies, JSON.stringify(plane));
}

// The address keeps the time, the axis, the lens and the camera: a page that is opened with it shows
// the same. On paper there are no buttons.
async function address() {
    await open("box.html");
    await browser.value("impView.setTime(0.4051)");
    for (const key of ["z", "g", "m"]) await browser.key(key);
    for (const [type, x] of [["mousePressed", 300], ["mouseMoved", 420], ["mouseReleased", 420]])
        await browser.call("Input.dispatchMouseEvent", {type, x, y: 200, button: "left", buttons: 1, clickCount: 1});
    await browser.drawn();
    const state = `(() => { const {viewer} = impView, {camera} = viewer.scene;
        return [viewer.t, viewer.log, document.getElementById("lens").hidden, viewer.scene.show.marching,
                ...camera.position.toArray().map(x => x.toFixed(3))]; })()`;
    const hash = await browser.value("location.hash"), here = await browser.value(state);
    assert.match(hash, /^#t=0.4051&log=1&lens=1&formula=1&camera=/);
    await open("box.html", hash);
    assert.deepEqual(await browser.value(state), here);
    assert.match(await browser.value("document.getElementById('time').textContent"), /^t = 0\.405100000000 s$/);
    await browser.key("r");
    assert.ok(!(await browser.value("location.hash")).includes("camera"));
    const {data} = await browser.call("Page.printToPDF", {landscape: true, printBackground: true});
    assert.ok(data.length > 20000, `a print of ${data.length} bytes`);
    await browser.call("Emulation.setEmulatedMedia", {media: "print"});
    assert.equal(await browser.value("getComputedStyle(document.getElementById('buttons')).display"), "none");
    await browser.call("Emulation.setEmulatedMedia", {media: ""});
}

// A click on a map tells the command that runs the point.
async function map() {
    await open("map.html");
    const box = await browser.value("(() => { const b = document.getElementById('plot').querySelector('canvas').getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()");
    await browser.click(box[0] + box[2] / 2, box[1] + box[3] / 2);
    assert.match(await browser.value("document.getElementById('command').textContent"), /imp view --set e=0\.\d+ --set h=[\d.]+ MODEL/);
}

// A page whose run file was damaged says so, and nothing else.
async function damaged() {
    const text = readFileSync(join(folder, "ball.html"), "utf8");
    const at = text.indexOf("octet-stream") + 3000;
    const other = text[at] === "A" ? "B" : "A";
    writeFileSync(join(folder, "bad.html"), text.slice(0, at) + other + text.slice(at + 1));
    await open("bad.html");
    assert.match(await browser.value("document.getElementById('trouble').innerText"), /cannot be shown: .*changed/);
}

try {
    const parts = [space, plane, forces, logarithm, drawings, still, film, video, both, breathing, crowd, formulas, address, map, damaged];
    for (const part of parts.filter(p => !only || p.name === only)) {
        const begin = performance.now();
        await part();
        assert.deepEqual(wrong, [], part.name);
        console.log(`${part.name}: ${((performance.now() - begin) / 1000).toFixed(1)} s`);
    }
    const outside = asked.filter(url => !url.startsWith("file:") && !url.startsWith("about:"));
    assert.deepEqual(outside, []);
} finally {
    await browser.close();
    rmSync(folder, {recursive: true, force: true});
}
