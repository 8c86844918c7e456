/** The row of a message that the server has not shown yet. */

import { button, make, sign } from "./dom.js";

/**
 * @import { Item } from "../pure/outbox.js"
 *
 * @typedef {{again: (key: string) => void, edit: (key: string) => void, drop: (key: string) => void}} Actions
 */

const STATES = { sending: "Sending…", sent: "Sent", failed: "" };

/**
 * @param {Item} item
 * @param {string} name the author's
 * @param {Actions} actions
 * @returns {HTMLElement}
 */
export function pendingRow(item, name, actions) {
  const hearers = make("p", "hearers", sign(item.icon), make("span", "words", item.words));
  hearers.dataset.tone = item.tone;
  const monogram = make("span", "monogram", name.slice(0, 1).toUpperCase());
  monogram.ariaHidden = "true";
  const head = make("header", "head", monogram, make("div", "who-said", make("h3", "author", name), hearers));
  const article = make("article", "message", head, make("div", "text plain", item.text), foot(item, actions));
  article.dataset.audience = item.audience.split(":")[0];
  const row = make("li", "row pending", article);
  row.dataset.key = item.key;
  row.dataset.state = item.state;
  return row;
}

/**
 * @param {Item} item
 * @param {Actions} actions
 * @returns {HTMLElement}
 */
function foot(item, actions) {
  const words = make("span", "pending-words", item.problem || STATES[item.state]);
  if (item.state !== "failed") {
    return make("footer", "foot", words);
  }
  words.setAttribute("role", "alert");
  const choices = [
    ...(item.again ? [button("Try again", "again", () => actions.again(item.key))] : []),
    button("Edit", "again", () => actions.edit(item.key)),
    button("Discard", "again", () => actions.drop(item.key)),
  ];
  return make("footer", "foot failed", sign("fate-trouble"), words, ...choices);
}
