/** The row of an answer while it comes. It is in no live region: the answer is announced once, when it is whole. */

import { find, make } from "./dom.js";

/** @import { Stream } from "../pure/frames.js" */

/**
 * @param {Stream} stream
 * @param {string} name
 * @returns {HTMLElement}
 */
export function streamRow(stream, name) {
  const monogram = make("span", "monogram", name.slice(0, 1).toUpperCase());
  monogram.ariaHidden = "true";
  const said = make("div", "who-said", make("h3", "author", name), make("p", "working", "is answering"));
  const text = make("div", "text plain");
  const article = make("article", "message", make("header", "head", monogram, said), text, make("p", "note"));
  article.dataset.kind = "agent";
  const row = make("li", "row streaming", article);
  row.id = `t-${stream.turn}`;
  row.ariaBusy = "true";
  update(row, stream);
  return row;
}

/**
 * Text is only ever added at its end, so that nothing moves under the reader's eyes.
 * @param {HTMLElement} row
 * @param {Stream} stream
 */
export function update(row, stream) {
  const text = find(row, ".text", HTMLElement);
  if (!text) {
    return;
  }
  const shown = text.textContent ?? "";
  if (stream.text.startsWith(shown)) {
    text.append(stream.text.slice(shown.length));
  } else {
    text.textContent = stream.text;
  }
  text.hidden = stream.text === "";
}

/**
 * Between two attempts nothing is being said: the row says so, and what came of the broken one stands back.
 * @param {HTMLElement} row
 * @param {boolean} paused
 */
export function pause(row, paused) {
  row.toggleAttribute("data-paused", paused);
}

/**
 * @param {HTMLElement} row
 * @param {string} words
 */
export function remark(row, words) {
  const note = find(row, ".note", HTMLElement);
  if (note) {
    note.textContent = words;
  }
}
