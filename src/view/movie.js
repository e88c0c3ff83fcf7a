// SPDX-License-Identifier: MIT
// The motion as an animated picture (GIF): `imp view --movie` opens the page with
// movie=1 in its address, and reads the picture, in base64, from the element
// `movie`.
/*! gifenc, Copyright (c) 2017 Matt DesLauriers, MIT License (LICENSES/gifenc.txt) */
import {GIFEncoder, quantize, applyPalette} from "gifenc";

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

// `draw(t)` draws the time t into `source`, a canvas. Returns the picture in base64.
export function movie(end, draw, source) {
    const speed = movieSpeed(end), n = Math.max(Math.round(end / speed * RATE), 1);
    const copy = document.createElement("canvas"), gif = GIFEncoder();
    let palette;
    for (let i = 0; i <= n; i++) {
        draw(end * i / n);
        copy.width = source.width;
        copy.height = source.height;
        const context = copy.getContext("2d", {willReadFrequently: true});
        context.fillStyle = getComputedStyle(document.body).backgroundColor;
        context.fillRect(0, 0, copy.width, copy.height);
        context.drawImage(source, 0, 0);
        const {data} = context.getImageData(0, 0, copy.width, copy.height);
        palette = quantize(data, 256);
        gif.writeFrame(applyPalette(data, palette), copy.width, copy.height,
                       {palette, delay: i < n ? 1000 / RATE : 1500});
    }
    gif.finish();
    return base64(gif.bytes());
}
