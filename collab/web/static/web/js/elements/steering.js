/** While an agent works: whether what is written waits, or goes into its running turn. */

import { all, find } from "./dom.js";

/** @import { Turn } from "../pure/types.js" */

/**
 * Shows the pair where it means something, and says what each would do.
 * @param {ParentNode} composer
 * @param {string} audience the chosen one
 * @param {Iterable<Turn>} turns
 * @returns {string} the words for the button; empty where there is no such choice
 */
export function showSteering(composer, audience, turns) {
  const pair = find(composer, "[data-how]", HTMLElement);
  const steer = find(composer, "[name=delivery][value=steer]", HTMLInputElement);
  const queue = find(composer, "[name=delivery][value=queue]", HTMLInputElement);
  const words = find(composer, "[data-how-words]", HTMLElement);
  if (!pair || !steer || !queue || !words) {
    return "";
  }
  const running = [...turns].find((turn) => turn.state === "running" && turn.agent === pair.dataset.agent);
  const closed = running !== undefined && (running.window ?? "open") !== "open";
  pair.hidden = audience !== "active_agent" || running === undefined;
  steer.disabled = closed;
  if (closed || pair.hidden) {
    queue.checked = true;
  }
  const said = closed ? steer.dataset.closed : steer.checked ? steer.dataset.words : queue.dataset.words;
  if (words.textContent !== said) {
    words.textContent = said ?? "";
  }
  return pair.hidden ? "" : ((steer.checked ? steer : queue).dataset.send ?? "");
}

/**
 * How the next message goes out.
 * @param {ParentNode} composer
 * @returns {string} empty for the usual way
 */
export function delivery(composer) {
  const pair = find(composer, "[data-how]", HTMLElement);
  return pair && !pair.hidden && find(pair, "[value=steer]:checked", HTMLInputElement) ? "steer" : "";
}

/**
 * After a send it waits its turn again: steering is meant each time.
 * @param {ParentNode} composer
 */
export function calm(composer) {
  for (const radio of all(composer, "[name=delivery]")) {
    if (radio instanceof HTMLInputElement) {
      radio.checked = radio.value === "queue";
    }
  }
}
