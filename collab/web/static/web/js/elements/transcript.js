/** The list of what was said: puts rows in order, follows the end only where the reader stood there. */

import { stillFollows } from "../pure/follow.js";
import { lay, place } from "../pure/rows.js";
import { fresh } from "../pure/words.js";
import { all, find, make, parse } from "./dom.js";
import { dayOf, localTimes, namedParents } from "./local.js";
import { loadEarlier } from "./earlier.js";
import { carry } from "./panel.js";
import { streamRow, update } from "./stream.js";

/** @import { Stream } from "../pure/frames.js" */

export class EarshotTranscript extends HTMLElement {
  constructor() {
    super();
    this.unread = 0;
    this.follows = true;
    this.lastTop = 0;
  }

  connectedCallback() {
    /** @type {HTMLElement} */
    this.scroller = find(this, ".scroll", HTMLElement) ?? this;
    /** @type {HTMLElement} */
    this.rows = find(this, "[data-rows]", HTMLElement) ?? this;
    /** @type {HTMLElement} */
    this.tail = find(this, "[data-tail]", HTMLElement) ?? this;
    this.pill = find(this, "[data-pill]", HTMLElement);
    this.pill?.addEventListener("click", () => this.toEnd());
    this.scroller.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.addEventListener("focusin", (event) => this.attended(event));
    find(this, "[data-earlier]", HTMLAnchorElement)?.addEventListener("click", (event) => void this.earlier(event));
    const watch = new ResizeObserver(() => this.keepPlace());
    watch.observe(this.scroller);
    all(this, ".measure").forEach((node) => watch.observe(node));
    localTimes(this);
    namedParents(this);
    this.lay();
    this.begin();
  }

  /** Starts at the message that the address names, else at the end. */
  begin() {
    const named = location.hash.startsWith("#m-") ? document.getElementById(location.hash.slice(1)) : null;
    if (named) {
      this.follows = false;
      named.scrollIntoView({ block: "center" });
    } else {
      this.toEnd();
    }
  }

  /**
   * A message, new or changed.
   * @param {string} id
   * @param {number} seq
   * @param {string} html
   * @param {boolean} counts whether it is news to this reader
   */
  put(id, seq, html, counts) {
    const article = parse(html);
    if (!article) {
      return;
    }
    const before = document.getElementById(`m-${id}`);
    if (before) {
      this.replace(before, article);
    } else {
      this.insert(article, seq);
      this.count(counts && article.checkVisibility());
    }
    this.settle(article);
  }

  /** @param {HTMLElement} before @param {HTMLElement} article */
  replace(before, article) {
    const focused = before.contains(document.activeElement);
    carry(before, article);
    before.replaceWith(article);
    if (focused && !article.contains(document.activeElement)) {
      article.focus({ preventScroll: true });
    }
  }

  /** @param {HTMLElement} article @param {number} seq */
  insert(article, seq) {
    this.querySelector("[data-empty]")?.remove();
    const rows = all(this.rows, ".row");
    const seqs = rows.map((row) => Number(find(row, ".message", HTMLElement)?.dataset.seq ?? 0));
    this.rows.insertBefore(make("li", "row", article), rows[place(seqs, seq)] ?? null);
  }

  /** @param {HTMLElement} node */
  settle(node) {
    localTimes(node);
    namedParents(node);
    this.lay();
    this.keepPlace();
  }

  /**
   * What became of a message before one agent.
   * @param {string} id
   * @param {string} message
   * @param {string} html
   */
  fate(id, message, html) {
    const fate = parse(html);
    const article = document.getElementById(`m-${message}`);
    if (!fate || !article) {
      return;
    }
    const before = document.getElementById(`d-${id}`);
    const open = before?.querySelector("details")?.open ?? false;
    const focused = before?.contains(document.activeElement) ?? false;
    if (before) {
      before.replaceWith(fate);
    } else {
      const own = all(article, ".fate");
      own.filter((one) => one.dataset.agent === fate.dataset.agent).forEach((one) => one.toggleAttribute("data-old", true));
      own.length ? own.at(-1)?.after(fate) : article.querySelector(".foot")?.prepend(fate);
    }
    fate.querySelector("details")?.toggleAttribute("open", open);
    if (focused) {
      fate.querySelector("summary")?.focus({ preventScroll: true });
    }
    localTimes(fate);
    this.keepPlace();
  }

  /** @param {Stream} stream @param {string} name @returns {HTMLElement} its row */
  stream(stream, name) {
    const before = document.getElementById(`t-${stream.turn}`);
    const row = before ?? streamRow(stream, name);
    if (before) {
      update(before, stream);
    } else {
      this.tail.prepend(row);
    }
    this.keepPlace();
    return row;
  }

  /** @param {string} turn */
  unstream(turn) {
    document.getElementById(`t-${turn}`)?.remove();
  }

  /** @param {Event} event */
  async earlier(event) {
    const link = event.currentTarget;
    if (!(link instanceof HTMLAnchorElement) || link.ariaBusy === "true") {
      return;
    }
    event.preventDefault();
    link.ariaBusy = "true";
    if (await loadEarlier(link, this.rows, this.scroller)) {
      this.relay();
    }
    link.ariaBusy = "false";
  }

  /**
   * The link to older messages, in place of the one that stands there.
   * @param {HTMLElement | null} line
   */
  takeEarlier(line) {
    this.querySelector(".earlier:has([data-earlier])")?.remove();
    if (line) {
      this.rows?.before(line);
      find(line, "[data-earlier]", HTMLAnchorElement)?.addEventListener("click", (event) => void this.earlier(event));
    }
  }

  /** After rows have come or gone. */
  relay() {
    localTimes(this);
    namedParents(this);
    this.lay();
    this.keepPlace();
    this.dispatchEvent(new CustomEvent("earshot:rows", { bubbles: true }));
  }

  /** Days and shared heads, again; of rows that a filter leaves out of sight, none. */
  lay() {
    const filtered = this.dataset.show !== "all";
    const rows = all(this.rows, ".row").filter((row) => !filtered || getComputedStyle(row).display !== "none");
    const said = rows.map((row) => {
      const { at = "", author = "", kind = "", answers } = find(row, ".message", HTMLElement)?.dataset ?? {};
      return { at: Date.parse(at), author, kind, answers: answers !== undefined };
    });
    const laid = lay(said, dayOf, Number(this.dataset.shareAHead) * 1000);
    const days = all(this.rows, ".day");
    rows.forEach((row, index) => {
      row.toggleAttribute("data-joined", laid[index]?.joined ?? false);
      this.layDay(row, laid[index]?.day ?? "", days);
    });
    days.forEach((day) => day.remove());
  }

  /** @param {HTMLElement} row @param {string} day @param {HTMLElement[]} spare lines that may be used again */
  layDay(row, day, spare) {
    if (!day) {
      return;
    }
    const before = row.previousElementSibling;
    const own = before instanceof HTMLElement && before.classList.contains("day") ? before : null;
    const line = own ?? make("li", "day", make("span", ""));
    const words = line.firstElementChild ?? line;
    if (words.textContent !== day) {
      words.textContent = day;
    }
    if (own) {
      spare.splice(spare.indexOf(own), 1);
    } else {
      row.before(line);
    }
  }

  /** Whoever is at a message's form must not be led away from it by what comes at the end. @param {FocusEvent} event */
  attended(event) {
    if (event.target instanceof Element && event.target.closest("form.panel")) {
      this.follows = false;
    }
  }

  scrolled() {
    this.follows = stillFollows(this.follows, this.lastTop, this.scroller);
    this.lastTop = this.scroller.scrollTop;
    if (this.follows) {
      this.count(false, true);
    }
  }

  /** After the page has changed: goes along with the end, or leaves the reader where they are. */
  keepPlace() {
    if (this.follows) {
      this.scroller.scrollTop = this.scroller.scrollHeight;
    }
  }

  toEnd() {
    this.follows = true;
    this.count(false, true);
    this.keepPlace();
  }

  /** @param {boolean} one @param {boolean} none */
  count(one, none = false) {
    this.unread = none ? 0 : this.unread + (one && !this.follows ? 1 : 0);
    const words = this.pill ? find(this.pill, "[data-pill-words]", HTMLElement) : null;
    if (this.pill && words) {
      words.textContent = fresh(this.unread);
      this.pill.hidden = this.unread === 0;
    }
  }
}
