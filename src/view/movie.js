// SPDX-License-Identifier: MIT
// The motion as a moving picture, a GIF or a WebM: `imp view --movie` opens the page with
// movie=gif or movie=webm in its address, and reads the picture, in base64, from the element
// `movie`.
/*! gifenc, Copyright (c) 2017 Matt DesLauriers, MIT License (LICENSES/gifenc.txt) */
import {GIFEncoder, quantize, applyPalette} from "gifenc";
import {keyFrame, webm} from "./webm.js";

const RATE = 25, SHORTEST = 2, LONGEST = 10; // frames a second; s

// How fast a run of `end` seconds is shown: as it is, if that takes neither too long
// nor an instant.
export function movieSpeed(end) {
    const shown = Math.min(Math.max(end, SHORTEST), LONGEST);
    return end > 0 ? end / shown : 1;
}

function base64(bytes) {
    const parts = [];
    for (let i = 0; i < bytes.length; i += 0x8000)
        parts.push(String.fromCharCode(...bytes.subarray(i, i + 0x8000)));
    return btoa(parts.join(""));
}

// The pictures on the page, one beside the other on one canvas.
function together(parts, copy) {
    const wide = parts.map(p => p.width), size = [wide.reduce((a, b) => a + b, 0), Math.max(...parts.map(p => p.height))];
    if (copy.width !== size[0] || copy.height !== size[1]) [copy.width, copy.height] = size;
    const context = copy.getContext("2d", {willReadFrequently: true, alpha: false});
    context.fillStyle = getComputedStyle(document.body).backgroundColor;
    context.fillRect(0, 0, copy.width, copy.height);
    parts.forEach((p, i) => context.drawImage(p, wide.slice(0, i).reduce((a, b) => a + b, 0), 0));
    return context;
}

// `draw(t)` draws the time t into `parts`, canvases. Returns the picture in base64.
export function movie(end, draw, parts, kind) {
    const speed = movieSpeed(end), n = Math.max(Math.round(end / speed * RATE), 1);
    const copy = document.createElement("canvas"), gif = kind === "webm" ? null : GIFEncoder(), frames = [];
    for (let i = 0; i <= n; i++) {
        draw(end * i / n);
        const context = together(parts, copy);
        if (!gif) {
            frames.push(keyFrame(copy.toDataURL("image/webp", 0.9)));
            continue;
        }
        const {data} = context.getImageData(0, 0, copy.width, copy.height), palette = quantize(data, 256);
        gif.writeFrame(applyPalette(data, palette), copy.width, copy.height,
                       {palette, delay: i < n ? 1000 / RATE : 1500});
    }
    if (!gif) return base64(webm(frames, copy.width, copy.height, 1000 / RATE));
    gif.finish();
    return base64(gif.bytes());
}
