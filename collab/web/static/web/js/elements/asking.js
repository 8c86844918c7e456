/** Says of an agent at work what it waits for: for another one that it asked, or for a word of the reader's. */

import { waitsFor } from "../pure/asking.js";
import { listed } from "../pure/words.js";
import { all, find } from "./dom.js";

/**
 * @import { Ask } from "../pure/asking.js"
 * @import { Turn } from "../pure/types.js"
 */

/** Whoever is at work has a row on the page, which says what it is at. @param {Iterable<Turn>} turns */
export function showAsking(turns) {
  const known = [...turns];
  const asks = all(document, "[data-asks]").map(askOf);
  for (const turn of known) {
    const row = document.getElementById(`t-${turn.id}`);
    const working = row && find(row, ".working", HTMLElement);
    if (working) {
      const mine = find(document, `.asks .ask[data-agent="${CSS.escape(turn.agent)}"]`, HTMLElement);
      const names = mine ? "your word" : listed(waitsFor(turn, asks, known));
      working.textContent = names ? `is waiting for ${names}` : "is answering";
    }
  }
}

/**
 * @param {HTMLElement} article
 * @returns {Ask}
 */
function askOf(article) {
  const { id = "", author = "", at = "" } = article.dataset;
  const fate = find(article, ".fate:not([data-old])", HTMLElement);
  const { name = "", disposition = "" } = fate?.dataset ?? {};
  const answered = document.querySelector(`article[data-answers="${CSS.escape(id)}"]`) !== null;
  return { id, author, at: Date.parse(at), name, disposition, answered };
}
