// SPDX-License-Identifier: GPL-3.0-or-later
// node pictures.mjs BROWSER PAGE...: a picture of each view, picture.png beside it, at the middle
// of its run or at its second event.
import {writeFileSync} from "node:fs";
import {dirname, join} from "node:path";
import {pathToFileURL} from "node:url";
import {Browser} from "../../tests/view/browser.mjs";

const [program, ...pages] = process.argv.slice(2);
const browser = await Browser.open(program);
await browser.size(480, 360);
for (const page of pages) {
    await browser.go("about:blank");
    await browser.go(`${pathToFileURL(page).href}#bare=1`);
    const fine = await browser.value(`!!window.impView?.run && (() => {
        const {run} = impView, t = [...run.events.t].filter(t => t > 0.02 * run.end);
        impView.setTime(t.length ? Math.min(t[0] + 0.15 * run.end, run.end) : run.end / 2);
        return true;
    })()`);
    await browser.drawn();
    if (fine) writeFileSync(join(dirname(page), "picture.png"), await browser.picture());
    else console.log(`${page} shows nothing`);
}
await browser.close();
