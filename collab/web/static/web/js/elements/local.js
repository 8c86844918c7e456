/** Puts what the server rendered for everybody into the reader's own terms: times, names, what it replies to. */

import { only } from "../pure/words.js";
import { all } from "./dom.js";

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const EXACT = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" });
const DAY = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long", year: "numeric" });

/**
 * @param {number} at
 * @returns {string}
 */
export function dayOf(at) {
  return DAY.format(at);
}

/** @param {ParentNode} root */
export function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]:not([data-local])")) {
    const at = new Date(time.getAttribute("datetime") ?? "");
    if (time.closest(".day") || Number.isNaN(at.getTime())) {
      continue;
    }
    time.textContent = (time.hasAttribute("data-seconds") ? EXACT : CLOCK).format(at);
    time.setAttribute("title", FULL.format(at));
    time.setAttribute("data-local", "");
  }
}

/**
 * @param {ParentNode} root
 * @param {string} me
 * @param {(handle: string) => string} nameOf
 */
export function ownNames(root, me, nameOf) {
  for (const words of all(root, "[data-people]")) {
    words.textContent = only((words.dataset.people ?? "").split(" ").filter(Boolean), me, nameOf);
  }
}

/** Side sessions that the reader is known to be in. @type {Set<string>} */
const mine = new Set();

/**
 * The way into a side session is shown where the page came with it, and to who opened it; to others after a reload.
 * @param {ParentNode} root
 * @param {string} me
 */
export function ownSides(root, me) {
  for (const link of all(root, "a[data-side]")) {
    const { author, kind } = link.closest("article")?.dataset ?? {};
    const side = link.dataset.side ?? "";
    if (!link.hidden || (author === me && kind === "human")) {
      mine.add(side);
    }
    link.hidden = !mine.has(side);
  }
}

/** @param {ParentNode} root */
export function namedParents(root) {
  for (const link of all(root, "[data-parent]")) {
    const parent = document.getElementById(`m-${link.dataset.parent}`);
    if (parent) {
      link.textContent = `In reply to ${parent.dataset.name}: ${excerpt(parent)}`;
    }
  }
}

/**
 * @param {HTMLElement} article
 * @returns {string}
 */
export function excerpt(article) {
  const text = article.querySelector(".text")?.textContent?.trim().replace(/\s+/g, " ") ?? "";
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
