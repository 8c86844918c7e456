/** Says of an agent at work that it waits for another one, where it asked that one and has no answer yet. */

import { waitsFor } from "../pure/asking.js";
import { listed } from "../pure/words.js";
import { nameOf } from "./agents.js";
import { all, find, make, sign } from "./dom.js";

/**
 * @import { Ask } from "../pure/asking.js"
 * @import { Turn } from "../pure/types.js"
 */

/** @param {Iterable<Turn>} turns */
export function showAsking(turns) {
  const [known, asks] = [[...turns], all(document, "[data-asks]").map(askOf)];
  all(document, ".asking").forEach((note) => note.remove());
  for (const turn of known.filter(({ state }) => state === "running")) {
    const names = listed(waitsFor(turn, asks, known));
    const row = document.getElementById(`t-${turn.id}`);
    const working = row && find(row, ".working", HTMLElement);
    if (working) {
      working.textContent = names ? `is waiting for ${names}` : "is answering";
    } else if (names) {
      note(turn, `${nameOf(turn.agent)} is waiting for ${names}`);
    }
  }
}

/**
 * Where nothing of its answer has come yet, it stands beside what the turn took in.
 * @param {Turn} turn
 * @param {string} words
 */
function note(turn, words) {
  const article = document.getElementById(`m-${turn.input}`);
  const fate = article && find(article, `.fate[data-turn="${CSS.escape(turn.id)}"]:not([data-old])`, HTMLElement);
  fate?.after(make("p", "asking", sign("fate-waiting"), words));
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
