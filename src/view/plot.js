// SPDX-License-Identifier: MIT
// The page that shows a plot or a map (`plot ... { file = "x.html" }`).
import {Plot} from "./plot_draw.js";

const $ = id => document.getElementById(id);

// The command that runs the model at a point of a map. A column of a sweep is named after
// the param that varies.
function command(names, values) {
    const sets = names.map((name, i) => `--set ${name.split(".").at(-1)}=${values[i]}`);
    return `imp view ${sets.join(" ")} MODEL`;
}

function start() {
    try {
        const bytes = Uint8Array.from(atob($("run").textContent.trim()), c => c.charCodeAt(0));
        const data = JSON.parse(new TextDecoder().decode(bytes));
        $("title").textContent = data.title;
        const plot = new Plot($("plot"), data, {
            tell: text => { $("time").textContent = text; },
            pick: (names, values) => {
                $("command").hidden = false;
                $("command").textContent = `This point as a run: ${command(names, values)}`;
            },
        });
        window.impPlot = {data, plot};
    } catch (error) {
        $("trouble").hidden = false;
        $("trouble").textContent = `This plot cannot be shown: ${error.message}`;
        window.impPlot = {error: String(error.message)};
    }
}

start();
