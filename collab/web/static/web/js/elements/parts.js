/** Parts of the page that are fetched again when something about them has changed. */

import { find, parse } from "./dom.js";

/**
 * @param {string} slug
 * @param {string} name
 * @param {string} query
 * @returns {Promise<string | null>} null where it could not be had: the part on the page stays
 */
async function fetchPart(slug, name, query) {
  try {
    const answer = await fetch(`/s/${encodeURIComponent(slug)}/part/${name}${query}`);
    return answer.ok && !answer.redirected ? await answer.text() : null;
  } catch {
    return null;
  }
}

/**
 * Replaces a part that is one element, or takes it away where it is empty now.
 * @param {string} slug
 * @param {string} name
 */
export async function refresh(slug, name) {
  const before = find(document, `[data-part="${name}"]`, HTMLElement);
  const html = before ? await fetchPart(slug, name, "") : null;
  if (!before || html === null) {
    return;
  }
  const after = parse(html);
  if (after) {
    before.replaceChildren(...after.childNodes);
  }
}

/**
 * The composer's choices, with the one that stands there now kept.
 * @param {string} slug
 * @param {string} chosen
 * @returns {Promise<boolean>} whether they changed
 */
export async function refreshChoices(slug, chosen) {
  const place = find(document, '[data-part="who"]', HTMLElement);
  const html = place ? await fetchPart(slug, "who", `?chosen=${encodeURIComponent(chosen)}`) : null;
  if (!place || html === null) {
    return false;
  }
  const template = document.createElement("template");
  template.innerHTML = html;
  const legend = place.querySelector("legend");
  place.replaceChildren(...(legend ? [legend] : []), template.content);
  return true;
}
