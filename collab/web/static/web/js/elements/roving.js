/** The transcript is one stop on the way by Tab: the message that one stands on. Up and Down lead to the others. */

import { all } from "./dom.js";

const CONTROLS = "a, summary, button";

export class Roving {
  /** @param {HTMLElement} transcript */
  constructor(transcript) {
    this.transcript = transcript;
    /** @type {HTMLElement | null} */
    this.now = null;
    transcript.addEventListener("focusin", (event) => this.entered(event));
    transcript.addEventListener("keydown", (event) => this.key(event));
  }

  /** @returns {HTMLElement[]} the messages that are seen */
  get messages() {
    return all(this.transcript, "[data-rows] .message").filter((message) => message.checkVisibility());
  }

  /** After something was rendered: nobody stands anywhere, so the newest is the one. @param {ParentNode} root */
  settle(root) {
    const inside = this.transcript.contains(document.activeElement);
    const stays = this.now?.isConnected && (inside || document.activeElement === null);
    const articles = root instanceof HTMLElement && root.matches(".message") ? [root] : all(root, "[data-rows] .message");
    articles.filter((article) => article !== this.now).forEach((article) => reach(article, false));
    this.stand(stays ? this.now : (this.messages.at(-1) ?? null));
  }

  /** @param {HTMLElement | null} article */
  stand(article) {
    if (this.now && this.now !== article) {
      reach(this.now, false);
    }
    this.now = article;
    if (article) {
      reach(article, true);
    }
  }

  /** @param {FocusEvent} event */
  entered(event) {
    const article = event.target instanceof Element ? event.target.closest("[data-rows] .message") : null;
    if (article instanceof HTMLElement && article !== this.now) {
      this.stand(article);
    }
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = event.target instanceof HTMLElement ? event.target : null;
    const article = target?.closest("[data-rows] .message");
    const down = event.key === "ArrowDown";
    const takes = (down || event.key === "ArrowUp") && !event.defaultPrevented && !event.ctrlKey && !event.altKey && !event.metaKey;
    if (!target || !(article instanceof HTMLElement) || !takes || target.closest("form, input, .menu, pre")) {
      return;
    }
    const messages = this.messages;
    const next = messages[messages.indexOf(article) + (down ? 1 : -1)];
    // What of a long message is out of sight is scrolled to first.
    if (next && this.sees(article, down)) {
      event.preventDefault();
      next.focus();
    }
  }

  /** @param {HTMLElement} article @param {boolean} end whether its end, not its beginning, is meant */
  sees(article, end) {
    const [at, edge] = [article.getBoundingClientRect(), this.transcript.getBoundingClientRect()];
    return end ? at.bottom <= edge.bottom : at.top >= edge.top;
  }
}

/** @param {HTMLElement} article @param {boolean} can whether Tab leads to it and into it */
function reach(article, can) {
  article.tabIndex = can ? 0 : -1;
  for (const control of all(article, CONTROLS)) {
    if (control.closest("form, .menu-list")) {
      continue;
    }
    can ? control.removeAttribute("tabindex") : control.setAttribute("tabindex", "-1");
  }
}
