// SPDX-License-Identifier: GPL-3.0-or-later
// Imp's colours for CodeMirror. The words come from Imp itself (play_words), so that no
// list can be out of date.
import {StreamLanguage, HighlightStyle, syntaxHighlighting} from "@codemirror/language";
import {Tag} from "@lezer/highlight";

const tags = Object.fromEntries(["keyword", "comment", "string", "number", "unit", "command", "name"].map(t => [t, Tag.define()]));

// [kind, name] of every word that Imp knows
function classes(words) {
    const of = new Map();
    for (const [kind, name] of words) {
        if (kind === "command") of.set(name, "command");
        else if (kind === "keyword" && /^[a-z]/.test(name)) of.has(name) || of.set(name, "keyword");
        else if (kind === "function" || kind === "shape") of.has(name) || of.set(name, "name");
    }
    return of;
}

export function impLanguage(words) {
    const of = classes(words);
    const language = StreamLanguage.define({
        name: "imp",
        startState: () => ({unit: false}),
        token(stream, state) {
            if (stream.eatSpace()) return null;
            if (stream.match(/^#.*/)) return "comment";
            if (stream.match(/^"([^"\\]|\\.)*"?/)) return "string";
            if (state.unit) {
                if (stream.eat("]")) {
                    state.unit = false;
                    return "unit";
                }
                stream.next();
                return "unit";
            }
            // a unit stands behind a number or a parenthesis
            if (stream.peek() === "[" && /[0-9)\]]\s*$/.test(stream.string.slice(0, stream.pos))) {
                stream.next();
                state.unit = !/^[^\]]*$/.test(stream.string.slice(stream.pos));
                return "unit";
            }
            if (stream.match(/^[0-9]+(\.(?!\.)[0-9]*)?([eE][+-]?[0-9]+)?/)) return "number";
            if (stream.match(/^[\p{L}_][\p{L}\p{N}\p{M}_]*/u)) return of.get(stream.current()) || null;
            stream.next();
            return null;
        },
        languageData: {commentTokens: {line: "#"}, closeBrackets: {brackets: ["(", "[", "{", "\""]}},
        tokenTable: tags,
    });
    const style = HighlightStyle.define(Object.entries(tags).map(([name, tag]) => ({tag, class: `tok-${name}`})));
    return [language, syntaxHighlighting(style)];
}
