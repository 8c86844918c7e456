/** The row of an answer while it comes. It is in no live region: the answer is announced once, when it is whole. */

import { blocks, spans } from "../pure/streamed.js";
import { interrupted } from "../pure/words.js";
import { find, make } from "./dom.js";

/**
 * @import { Stream } from "../pure/frames.js"
 * @import { Block } from "../pure/streamed.js"
 * @import { Says } from "../pure/words.js"
 */

/** What each block of a row was made from. @type {WeakMap<Node, string>} */
const madeFrom = new WeakMap();

/**
 * @param {Stream} stream
 * @param {string} name
 * @returns {HTMLElement}
 */
export function streamRow(stream, name) {
  const monogram = make("span", "monogram", name.slice(0, 1).toUpperCase());
  monogram.ariaHidden = "true";
  const said = make("div", "who-said", make("h3", "author", name), make("p", "working", "is answering"));
  const text = make("div", "text");
  const article = make("article", "message", make("header", "head", monogram, said), text, make("p", "note"));
  article.dataset.kind = "agent";
  const row = make("li", "row streaming", article);
  row.id = `t-${stream.turn}`;
  row.ariaBusy = "true";
  update(row, stream);
  return row;
}

/**
 * What is made already stays: only the last block grows, so that nothing moves under the reader's eyes.
 * @param {HTMLElement} row
 * @param {Stream} stream
 */
export function update(row, stream) {
  const text = find(row, ".text", HTMLElement);
  if (!text) {
    return;
  }
  const laid = blocks(stream.text);
  laid.forEach((block, index) => {
    const before = text.childNodes[index];
    const source = JSON.stringify(block);
    if (before && madeFrom.get(before) === source) {
      return;
    }
    const node = nodeOf(block);
    madeFrom.set(node, source);
    before ? before.replaceWith(node) : text.append(node);
  });
  [...text.childNodes].slice(laid.length).forEach((node) => node.remove());
  text.hidden = stream.text === "";
}

/**
 * Nodes with text in them, never markup: what an agent says makes no HTML here.
 * @param {Block} block
 * @returns {HTMLElement}
 */
function nodeOf({ tag, lines, start, plain }) {
  if (tag === "pre") {
    return make("pre", "", make("code", "", lines.join("\n")));
  }
  if (tag === "ul" || tag === "ol") {
    const list = make(tag, "", ...lines.map((line) => make("li", "", ...said(line))));
    list instanceof HTMLOListElement && (list.start = start);
    return list;
  }
  return make(tag, "", ...lines.flatMap((line, index) => [...(index ? [make("br", "")] : []), ...(plain ? [line] : said(line))]));
}

/** @param {string} line @returns {(Node | string)[]} */
function said(line) {
  return spans(line).map(({ tag, text }) => {
    return tag === "a" ? make("span", "link-to-come", text) : tag ? make(tag, "", text) : text;
  });
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

/**
 * Something comes in again, after an attempt that broke off if this is not the first.
 * @param {HTMLElement} row
 * @param {number} attempt
 * @param {Says} says
 */
export function goesOn(row, attempt, says) {
  const words = interrupted(attempt, says);
  if (words) {
    remark(row, words);
    pause(row, false);
  }
}
