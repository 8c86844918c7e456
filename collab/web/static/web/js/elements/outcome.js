/** The one line that says what came of what the reader just did. It is a status: read aloud once, politely. */

import { find } from "./dom.js";

/** Milliseconds that it stays. */
const STAYS = 12000;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** @param {string} words */
export function tell(words) {
  const place = find(document, "[data-outcome]", HTMLElement);
  if (!place) {
    return;
  }
  clearTimeout(timer);
  place.hidden = false;
  place.textContent = words;
  timer = setTimeout(() => {
    place.hidden = true;
    place.textContent = "";
  }, STAYS);
}

/**
 * Says what was done. A page that hears nothing of what happens is loaded anew, to show it.
 * @param {string} words
 */
export function done(words) {
  if (document.querySelector("[data-live]")) {
    tell(words);
  } else {
    location.reload();
  }
}

/** @returns {string} */
export function csrf() {
  return find(document, "meta[name=csrf-token]", HTMLMetaElement)?.content ?? "";
}
