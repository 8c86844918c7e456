/** A delivery's steps, fetched when somebody opens them. */

import { find } from "./dom.js";
import { localTimes } from "./local.js";

/**
 * @param {Event} event a `toggle`, which does not bubble: listen while it is captured
 */
export async function openTrail(event) {
  const details = event.target;
  if (!(details instanceof HTMLDetailsElement) || !details.open) {
    return;
  }
  const place = find(details, "[data-trail]", HTMLElement);
  if (!place?.dataset.trail) {
    return;
  }
  try {
    const answer = await fetch(`${place.dataset.trail}&part`);
    if (answer.ok && !answer.redirected) {
      place.innerHTML = await answer.text();
      localTimes(place);
    }
  } catch {
    // The link to the page of steps stays in its place.
  }
}
