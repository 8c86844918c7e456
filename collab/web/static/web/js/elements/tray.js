/** What waits before agents: asked for anew when something happens, and never behind what the messages say. */

import { find } from "./dom.js";
import { refresh } from "./parts.js";
import { fatesOf, isMine, who } from "./who.js";

/** Milliseconds in which what happens is asked for together. */
const TOGETHER = 250;

export class Tray {
  /** @param {string} slug */
  constructor(slug) {
    this.slug = slug;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** What is before agents has changed. @param {boolean} mine whether it may be of the reader's own */
  changed(mine) {
    if (mine || who().reaches) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void refresh(this.slug, "tray"), TOGETHER);
    }
  }

  /**
   * Something became of a message: a line that waits no more goes at once, unless somebody stands on it.
   * @param {string} id
   * @param {HTMLElement | null} article null for one that is further up than the page goes
   */
  fated(id, article) {
    const line = find(document, `.tray [data-id="${CSS.escape(id)}"]`, HTMLElement);
    const waits = article === null || fatesOf(article).some((fate) => fate.state === "waits");
    if (line?.dataset.waits !== undefined && !waits && !line.contains(document.activeElement)) {
      line.remove();
    }
    this.changed(line !== null || article === null || isMine(article, who()));
  }
}
