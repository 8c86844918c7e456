/** Older messages, put above those on the page without moving what is being read. */

import { all, find } from "./dom.js";

/**
 * Fetches the page that the link leads to and takes its rows over. Where that fails the link leads there itself.
 * @param {HTMLAnchorElement} link
 * @param {HTMLElement} rows
 * @param {HTMLElement} scroller
 * @returns {Promise<boolean>} whether rows came
 */
export async function loadEarlier(link, rows, scroller) {
  const answer = await fetch(link.href).catch(() => null);
  if (!answer?.ok || answer.redirected) {
    location.assign(link.href);
    return false;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const below = scroller.scrollHeight - scroller.scrollTop;
  rows.prepend(...all(page, "[data-rows] > .row"));
  const next = find(page, "[data-earlier]", HTMLAnchorElement);
  if (next) {
    link.href = new URL(next.getAttribute("href") ?? "", link.href).href;
  } else {
    link.parentElement?.remove();
  }
  scroller.scrollTop = scroller.scrollHeight - below;
  return true;
}
