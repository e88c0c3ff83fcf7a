// SPDX-License-Identifier: MIT
// A WebM of pictures: browsers write a canvas as WebP, and a WebP without transparency is one key
// frame of VP8 (RFC 6386) in a RIFF container, so no encoder of video is needed, and nothing
// has to wait. Elements: RFC 8794 (EBML), RFC 9559 (Matroska).

// The key frame in a data URL of a WebP. Throws where the browser writes another format.
export function keyFrame(url) {
    const binary = atob(url.slice(url.indexOf(",") + 1));
    const name = at => binary.slice(at, at + 4);
    const size = at => binary.charCodeAt(at) + 256 * (binary.charCodeAt(at + 1) + 256 * (binary.charCodeAt(at + 2) + 256 * binary.charCodeAt(at + 3)));
    if (name(0) !== "RIFF" || name(8) !== "WEBP") throw new Error("this browser writes no WebP, which films need");
    for (let at = 12; at + 8 <= binary.length; at += 8 + size(at + 4) + size(at + 4) % 2)
        if (name(at) === "VP8 ") return Uint8Array.from(binary.slice(at + 8, at + 8 + size(at + 4)), c => c.charCodeAt(0));
    throw new Error("this browser writes no VP8, which films need");
}

function number(x) {
    const bytes = [];
    for (let v = x; v >= 1; v = Math.floor(v / 256)) bytes.unshift(v % 256);
    return bytes.length ? bytes : [0];
}

// A size as eight bytes, which any size fits.
function sizeOf(n) {
    const bytes = [1, 0, 0, 0, 0, 0, 0, 0];
    for (let i = 7, v = n; i > 0; i--, v = Math.floor(v / 256)) bytes[i] = v % 256;
    return bytes;
}

function joined(parts) {
    const all = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
    let at = 0;
    for (const p of parts) {
        all.set(p, at);
        at += p.length;
    }
    return all;
}

// An element: its identifier, and its content as bytes or as further elements.
function element(id, ...content) {
    const body = joined(content);
    return joined([number(id), sizeOf(body.length), body]);
}

const text = s => Uint8Array.from(s, c => c.charCodeAt(0));
function double(x) {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, x);
    return bytes;
}

// frames: key frames of VP8; ms: how long each is shown. A cluster holds one second.
export function webm(frames, width, height, ms) {
    const head = element(0x1a45dfa3, element(0x4286, number(1)), element(0x42f7, number(1)), element(0x42f2, number(4)),
        element(0x42f3, number(8)), element(0x4282, text("webm")), element(0x4287, number(2)), element(0x4285, number(2)));
    const info = element(0x1549a966, element(0x2ad7b1, number(1e6)), element(0x4489, double(frames.length * ms)),
        element(0x4d80, text("imp")), element(0x5741, text("imp")));
    const video = element(0xe0, element(0xb0, number(width)), element(0xba, number(height)));
    const tracks = element(0x1654ae6b, element(0xae, element(0xd7, number(1)), element(0x73c5, number(1)),
        element(0x83, number(1)), element(0x86, text("V_VP8")), element(0x23e383, number(Math.round(ms * 1e6))), video));
    const clusters = [], per = Math.max(1, Math.round(1000 / ms));
    for (let i = 0; i < frames.length; i += per) {
        const blocks = frames.slice(i, i + per).map((frame, k) => {
            const t = Math.round(k * ms);
            return element(0xa3, [0x81, t >> 8, t & 255, 0x80], frame);
        });
        clusters.push(element(0x1f43b675, element(0xe7, number(Math.round(i * ms))), ...blocks));
    }
    return joined([head, element(0x18538067, info, tracks, ...clusters)]);
}
