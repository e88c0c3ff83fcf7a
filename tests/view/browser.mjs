// SPDX-License-Identifier: GPL-3.0-or-later
// Debian's chromium without a window, driven through a pipe by its own protocol
// (--remote-debugging-pipe): no package is needed for that.
import {spawn} from "node:child_process";
import {mkdtempSync, rmSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";

export class Browser {
    static async open(program) {
        const b = new Browser();
        b.folder = mkdtempSync(join(tmpdir(), "imp-view-"));
        b.child = spawn(program, [
            "--headless=new", "--no-sandbox", "--remote-debugging-pipe",
            "--disable-background-networking", "--no-first-run",
            "--enable-unsafe-swiftshader", "--hide-scrollbars",
            `--user-data-dir=${b.folder}`, "about:blank"],
            {stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"]});
        b.waiting = new Map();
        b.listeners = [];
        b.number = 0;
        let rest = "";
        b.child.stdio[4].setEncoding("utf8");
        b.child.stdio[4].on("data", text => {
            const parts = (rest + text).split("\0");
            rest = parts.pop();
            for (const part of parts) b.take(JSON.parse(part));
        });
        b.child.on("exit", () => {
            for (const {no} of b.waiting.values()) no(new Error("the browser has ended"));
        });
        const {targetInfos} = await b.call("Target.getTargets");
        const {targetId} = targetInfos.find(t => t.type === "page");
        const {sessionId} = await b.call("Target.attachToTarget", {targetId, flatten: true});
        b.session = sessionId;
        for (const part of ["Page", "Runtime", "Network", "Log"]) await b.call(`${part}.enable`);
        return b;
    }
    call(method, params = {}, session = this.session) {
        const id = ++this.number, message = {id, method, params};
        if (session) message.sessionId = session;
        this.child.stdio[3].write(JSON.stringify(message) + "\0");
        return new Promise((yes, no) => this.waiting.set(id, {yes, no}));
    }
    take(message) {
        if (message.id) {
            const {yes, no} = this.waiting.get(message.id);
            this.waiting.delete(message.id);
            if (message.error) no(new Error(message.error.message));
            else yes(message.result);
        } else {
            for (const listener of this.listeners) listener(message);
        }
    }
    on(method, act) {
        this.listeners.push(m => { if (m.method === method) act(m.params); });
    }
    // Opens a page and waits until it is loaded.
    async go(url) {
        const loaded = new Promise(yes => {
            const once = m => {
                if (m.method !== "Page.loadEventFired") return;
                this.listeners.splice(this.listeners.indexOf(once), 1);
                yes();
            };
            this.listeners.push(once);
        });
        await this.call("Page.navigate", {url});
        await loaded;
    }
    // The value of an expression in the page.
    async value(expression) {
        const {result, exceptionDetails} = await this.call("Runtime.evaluate",
            {expression, returnByValue: true, awaitPromise: true});
        if (exceptionDetails)
            throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
        return result.value;
    }
    // Two frames later everything has been drawn.
    async drawn() {
        await this.value("new Promise(y => requestAnimationFrame(() => requestAnimationFrame(y)))");
    }
    async key(key) {
        const text = key.length === 1 ? {text: key} : {};
        await this.call("Input.dispatchKeyEvent", {type: "keyDown", key, ...text});
        await this.call("Input.dispatchKeyEvent", {type: "keyUp", key});
        await this.drawn();
    }
    async click(x, y) {
        for (const type of ["mousePressed", "mouseReleased"])
            await this.call("Input.dispatchMouseEvent", {type, x, y, button: "left", clickCount: 1});
        await this.drawn();
    }
    async size(width, height, dark = false) {
        await this.call("Emulation.setDeviceMetricsOverride",
            {width, height, deviceScaleFactor: 1, mobile: width < 500});
        await this.call("Emulation.setEmulatedMedia",
            {features: [{name: "prefers-color-scheme", value: dark ? "dark" : "light"}]});
    }
    // The picture as PNG bytes, or of a region its mean colour (0 to 255).
    async picture() {
        const {data} = await this.call("Page.captureScreenshot", {format: "png"});
        return Buffer.from(data, "base64");
    }
    async close() {
        const ended = new Promise(yes => this.child.on("exit", yes));
        this.session = undefined;
        this.call("Browser.close").catch(() => {});
        const timer = setTimeout(() => this.child.kill("SIGKILL"), 5000);
        await ended;
        clearTimeout(timer);
        rmSync(this.folder, {recursive: true, force: true, maxRetries: 5});
    }
}
