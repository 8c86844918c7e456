/** Parts of the page that are fetched again when something about them has changed. */

import { all, find, parse } from "./dom.js";

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
    const place = placeIn(before);
    before.replaceChildren(...after.childNodes);
    place?.();
  }
}

/**
 * Where the reader stands in a part, to stand there again once it is made anew.
 * @param {HTMLElement} part
 * @returns {(() => void) | null}
 */
function placeIn(part) {
  const focused = document.activeElement;
  const line = focused?.closest("[data-id]");
  if (!(focused instanceof HTMLElement) || !(line instanceof HTMLElement) || !part.contains(line)) {
    return null;
  }
  const [id, deed] = [CSS.escape(line.dataset.id ?? ""), CSS.escape(focused.dataset.deed ?? "")];
  const text = find(document, "#text", HTMLElement);
  return () => (find(part, `[data-id="${id}"] [data-deed="${deed}"]`, HTMLElement) ?? text)?.focus({ preventScroll: true });
}

/**
 * The composer's choices, with one that is wished for. What was picked while they were on their way stays picked.
 * @param {string} slug
 * @param {string} wish the value that stands there now or shall; empty for none
 * @returns {Promise<boolean>} whether they changed
 */
export async function refreshChoices(slug, wish) {
  const place = find(document, '[data-part="who"]', HTMLElement);
  const html = place ? await fetchPart(slug, "who", `?chosen=${encodeURIComponent(wish)}`) : null;
  if (!place || html === null) {
    return false;
  }
  const picked = audiences(place).find((radio) => radio.checked)?.value ?? "";
  const ways = new Set(radios(place).filter((radio) => radio.checked).map(named));
  const focused = radios(place).filter((radio) => radio === document.activeElement).map(named)[0];
  const template = document.createElement("template");
  template.innerHTML = html;
  const legend = place.querySelector("legend");
  place.replaceChildren(...(legend ? [legend] : []), template.content);
  for (const radio of audiences(place)) {
    // Where nothing was wished for nothing may be chosen either: the server would begin with people.
    radio.checked = picked === wish || picked === "" ? radio.checked && wish !== "" : radio.value === picked;
  }
  for (const radio of radios(place)) {
    radio.checked ||= radio.dataset.way !== undefined && ways.has(named(radio));
    if (named(radio) === focused) {
      radio.focus();
    }
  }
  return true;
}

/**
 * @param {HTMLElement} place
 * @returns {HTMLInputElement[]}
 */
function radios(place) {
  return all(place, "input[type=radio]").filter((node) => node instanceof HTMLInputElement);
}

/**
 * @param {HTMLElement} place
 * @returns {HTMLInputElement[]} without the ways in which one of them may be called
 */
function audiences(place) {
  return radios(place).filter((radio) => radio.name === "audience");
}

/**
 * @param {HTMLInputElement} radio
 * @returns {string}
 */
function named(radio) {
  return `${radio.name} ${radio.value}`;
}
