// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the pictures of a browser: PNG of 8 bits, RGB or RGBA, not interlaced.
import {inflateSync} from "node:zlib";

export function readPng(bytes) {
    let at = 8, width = 0, height = 0, channels = 0;
    const data = [];
    while (at < bytes.length) {
        const n = bytes.readUInt32BE(at), kind = bytes.toString("latin1", at + 4, at + 8);
        const part = bytes.subarray(at + 8, at + 8 + n);
        if (kind === "IHDR") {
            width = part.readUInt32BE(0);
            height = part.readUInt32BE(4);
            channels = part[9] === 6 ? 4 : 3;
        }
        if (kind === "IDAT") data.push(part);
        at += 12 + n;
    }
    const raw = inflateSync(Buffer.concat(data)), row = width * channels;
    const out = Buffer.alloc(row * height);
    for (let y = 0; y < height; y++) {
        const filter = raw[y * (row + 1)];
        for (let x = 0; x < row; x++) {
            const a = x >= channels ? out[y * row + x - channels] : 0;
            const b = y ? out[(y - 1) * row + x] : 0;
            const c = x >= channels && y ? out[(y - 1) * row + x - channels] : 0;
            const p = a + b - c;
            const near = Math.abs(p - a) <= Math.abs(p - b) && Math.abs(p - a) <= Math.abs(p - c) ? a
                : Math.abs(p - b) <= Math.abs(p - c) ? b : c;
            const add = [0, a, b, a + b >> 1, near][filter];
            out[y * row + x] = raw[y * (row + 1) + 1 + x] + add & 255;
        }
    }
    return {width, height, channels, data: out};
}

// The mean colour of a region, [red, green, blue].
export function mean(picture, x0, y0, x1, y1) {
    const sum = [0, 0, 0];
    for (let y = y0; y < y1; y++)
        for (let x = x0; x < x1; x++)
            for (let k = 0; k < 3; k++)
                sum[k] += picture.data[(y * picture.width + x) * picture.channels + k];
    return sum.map(s => s / ((x1 - x0) * (y1 - y0)));
}

// How many pixels of a region fulfil a condition on their colour.
export function count(picture, x0, y0, x1, y1, is) {
    let n = 0;
    for (let y = y0; y < y1; y++)
        for (let x = x0; x < x1; x++) {
            const at = (y * picture.width + x) * picture.channels;
            n += is(...picture.data.subarray(at, at + 3)) ? 1 : 0;
        }
    return n;
}
