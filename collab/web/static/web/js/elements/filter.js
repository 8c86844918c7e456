/** People, Agents or All: the rows change in place, the address says which, the reader stays where they are. */

import { place } from "../pure/rows.js";
import { all, find } from "./dom.js";

/** @import { EarshotTranscript } from "./transcript.js" */

export class Filter {
  /** @param {HTMLElement} session @param {EarshotTranscript} transcript */
  constructor(session, transcript) {
    this.session = session;
    this.transcript = transcript;
    this.asked = 0;
    if (session.dataset.live !== undefined) {
      addEventListener("popstate", () => void this.show(location.href));
    }
  }

  /** @param {Element} target @returns {boolean} whether it was one of the filter's links */
  clicked(target) {
    const link = target.closest("[data-show-link]");
    if (!(link instanceof HTMLAnchorElement) || this.session.dataset.live === undefined) {
      return false;
    }
    const show = link.dataset.showLink ?? "all";
    const address = new URL(location.href);
    address.searchParams.delete("show");
    address.hash = "";
    if (show !== "all") {
      address.searchParams.set("show", show);
    }
    history.pushState(null, "", address);
    void this.show(address.href);
    return true;
  }

  /** @param {string} href */
  async show(href) {
    const show = new URL(href).searchParams.get("show") ?? "all";
    const turn = ++this.asked;
    const answer = await fetch(href, { cache: "no-store" }).catch(() => null);
    if (!answer?.ok || answer.redirected) {
      location.assign(href);
      return;
    }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (turn === this.asked) {
      this.take(page, show);
    }
  }

  /** @param {Document} page @param {string} show */
  take(page, show) {
    const { scroller, rows } = this.transcript;
    if (!scroller || !rows) {
      return;
    }
    const anchor = this.transcript.follows ? null : topmost(scroller);
    const at = anchor?.getBoundingClientRect().top ?? 0;
    this.transcript.dataset.show = show;
    for (const link of all(document, "[data-show-link]")) {
      link.toggleAttribute("aria-current", false);
      if (link.dataset.showLink === show) {
        link.setAttribute("aria-current", "true");
      }
    }
    this.merge(page, rows);
    const earlier = page.querySelector(".earlier:has([data-earlier])");
    this.transcript.takeEarlier(earlier instanceof HTMLElement ? earlier : null);
    this.transcript.relay();
    if (anchor?.checkVisibility()) {
      scroller.scrollTop += anchor.getBoundingClientRect().top - at;
    }
  }

  /**
   * What is here is as new as what was fetched, and perhaps newer: only what is missing is taken, and what would
   * leave a gap is dropped.
   * @param {Document} page
   * @param {HTMLElement} rows
   */
  merge(page, rows) {
    const fetched = all(page, "[data-rows] > .row");
    const isWhole = page.querySelector("[data-earlier]") === null;
    const first = isWhole ? 0 : seqOf(fetched[0]);
    all(rows, ".row").filter((row) => seqOf(row) < first).forEach((row) => row.remove());
    for (const row of fetched) {
      const id = find(row, ".message", HTMLElement)?.id ?? "";
      if (!document.getElementById(id)) {
        const here = all(rows, ".row");
        rows.insertBefore(row, here[place(here.map(seqOf), seqOf(row))] ?? null);
      }
    }
  }
}

/** @param {HTMLElement | undefined} row @returns {number} */
function seqOf(row) {
  return Number((row && find(row, ".message", HTMLElement)?.dataset.seq) ?? 0);
}

/** @param {HTMLElement} scroller @returns {HTMLElement | null} the first message that is seen */
function topmost(scroller) {
  const edge = scroller.getBoundingClientRect().top;
  return all(scroller, "[data-rows] .message").find((one) => one.getBoundingClientRect().bottom > edge) ?? null;
}
