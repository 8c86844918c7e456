/** What is known of the session's agents, said where it matters: beside what waits and beside what failed. */

import { turnWords, waitingWords } from "../pure/words.js";
import { all, find, make, sign } from "./dom.js";
import { pause, remark } from "./stream.js";

/**
 * @import { Turn } from "../pure/types.js"
 * @import { Says } from "../pure/words.js"
 */

/**
 * @param {string} handle
 * @returns {string}
 */
export function nameOf(handle) {
  const member = find(document, `[data-member="${CSS.escape(handle)}"]`, HTMLElement);
  return member?.dataset.name ?? handle;
}

/** @returns {{handle: string, name: string}[]} */
export function agents() {
  return all(document, '[data-member][data-kind="agent"]').map(({ dataset }) => {
    return { handle: dataset.member ?? "", name: dataset.name ?? "" };
  });
}

/**
 * @param {Turn} turn
 * @param {Says} says
 */
export function showTurn(turn, says) {
  const words = turnWords(turn, nameOf(turn.agent), says);
  const row = document.getElementById(`t-${turn.id}`);
  if (row) {
    remark(row, words);
    pause(row, turn.attempts.at(-1)?.state === "failed");
  }
  const article = document.getElementById(`m-${turn.input}`);
  if (!article) {
    return;
  }
  all(article, ".turn-note").filter((note) => note.dataset.of === turn.id).forEach((note) => note.remove());
  // Beside the delivery that it took in, and no longer than that is the newest before its agent.
  const fate = find(article, `.fate[data-turn="${CSS.escape(turn.id)}"]:not([data-old])`, HTMLElement);
  if (fate && words && turn.state !== "running") {
    const note = make("p", "turn-note", sign("fate-trouble"), words);
    note.dataset.of = turn.id;
    fate.after(note);
  }
}

/**
 * Marks what was taken into a running turn on its way.
 * @param {Turn} turn
 */
export function showSteers(turn) {
  for (const id of turn.steers ?? []) {
    const article = document.getElementById(`m-${id}`);
    const fate = article ? find(article, `.fate[data-agent="${CSS.escape(turn.agent)}"]:not([data-old])`, HTMLElement) : null;
    if (fate && !fate.parentElement?.querySelector(".steered")) {
      fate.after(make("p", "steered", sign("steer"), `Steered ${nameOf(turn.agent)} while it was at work`));
    }
  }
}

/**
 * Says of all that waits what it waits for.
 * @param {Iterable<Turn>} turns
 * @param {Says} says
 */
export function showWaiting(turns, says) {
  const running = [...turns].filter((turn) => turn.state === "running");
  for (const fate of all(document, '.fate[data-disposition="queued"]:not([data-told])')) {
    const { agent = "", name = "" } = fate.dataset;
    const words = find(fate, ".words", HTMLElement);
    const message = fate.closest(".message")?.getAttribute("data-audience");
    if (!words || message === "everyone") {
      continue;
    }
    words.dataset.own ??= words.textContent ?? "";
    const away = find(document, `[data-member="${CSS.escape(agent)}"]`, HTMLElement)?.dataset.away !== undefined;
    const busy = running.some((turn) => turn.agent === agent);
    words.textContent = waitingWords(name, { busy, away }, says) || words.dataset.own;
  }
}
