/** Who the reader is in this session, as the list of members (which is kept up to date) says it. */

import { find } from "./dom.js";

/** @import { Fate, Who } from "../pure/deeds.js" */

/** @returns {Who} */
export function who() {
  const place = find(document, "[data-may]", HTMLElement);
  return {
    may: new Set((place?.dataset.may ?? "").split(" ").filter(Boolean)),
    reaches: place?.dataset.reaches !== undefined,
    me: find(document, "[data-me]", HTMLElement)?.dataset.me ?? "",
  };
}

/**
 * @param {HTMLElement} article
 * @param {Who} viewer
 * @returns {boolean} whether the viewer said it
 */
export function isMine(article, viewer) {
  return article.dataset.author === viewer.me && article.dataset.kind === "human";
}

/**
 * @param {HTMLElement} article
 * @returns {Fate[]}
 */
export function fatesOf(article) {
  return [...article.querySelectorAll(".fate")].map((node) => {
    const { agent = "", state = "", turn = "", disposition, old } = node instanceof HTMLElement ? node.dataset : {};
    // Only what was shown is at work in its turn; what was to steer one and did not is over, whatever that does.
    return { agent, state, turn: disposition === "delivered" ? turn : "", old: old !== undefined };
  });
}
