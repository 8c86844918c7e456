/** The menu of a message: which lines this reader gets, and what they do. */

import { DONE, isTime, mayDo, notDone, request } from "../pure/deeds.js";
import { send } from "../net/send.js";
import { all, find } from "./dom.js";
import { csrf, done, tell } from "./outcome.js";
import { Panel } from "./panel.js";
import { fatesOf, isMine, who } from "./who.js";

/** Deeds that need no form: one press does them. */
const AT_ONCE = ["withdraw", "again"];

export class Deeds {
  /** @param {(turn: string) => boolean} runs whether a turn is at work */
  constructor(runs) {
    this.runs = runs;
    document.addEventListener("click", (event) => this.closeMenus(event.target));
    document.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("toggle", shown, true);
  }

  /**
   * Shows of each menu within what the reader may do now.
   * @param {ParentNode} root
   */
  settle(root) {
    const viewer = who();
    const articles = root instanceof HTMLElement && root.matches(".message") ? [root] : all(root, ".message");
    for (const article of articles) {
      const [mine, fates] = [isMine(article, viewer), fatesOf(article)];
      for (const line of all(article, ".menu-list > li:not(:last-child)")) {
        line.hidden = !mayDo(line.dataset, mine, viewer) || !isTime(line.dataset.when ?? "", fates, this.runs);
      }
      const again = all(article, ".menu-list > [data-when=over]")[0];
      for (const link of all(article, "[data-again]")) {
        link.hidden = again === undefined || again.hidden;
      }
    }
  }

  /**
   * @param {Element} target
   * @returns {boolean} whether it was one of ours
   */
  clicked(target) {
    const link = target.closest("[data-deed], [data-again]");
    const place = target.closest("[data-id]");
    if (!(link instanceof HTMLAnchorElement) || !(place instanceof HTMLElement)) {
      return false;
    }
    const id = place.dataset.id ?? "";
    this.closeMenus(null);
    const article = document.getElementById(`m-${id}`);
    const deed = link.dataset.deed ?? "again";
    if (AT_ONCE.includes(deed)) {
      void this.atOnce(deed, id);
    } else if (article) {
      void this.open(article, deed, link.href);
    } else {
      return false;
    }
    return true;
  }

  /**
   * @param {HTMLElement} article
   * @param {string} deed
   * @param {string} href the page of its form
   */
  async open(article, deed, href) {
    all(document, ".message[data-doing]").forEach((other) => Panel.of(other)?.close(false));
    if (!(await Panel.open(article, deed, href))) {
      location.assign(href);
    }
  }

  /** The reader's last message, to be edited. @returns {boolean} whether there is one */
  editLast() {
    const viewer = who();
    const last = all(document, "[data-rows] .message:not([data-deleted])").findLast((one) => isMine(one, viewer));
    const link = last ? find(last, "li:not([hidden]) > [data-deed=edit]", HTMLAnchorElement) : null;
    if (last && link) {
      last.scrollIntoView({ block: "nearest" });
      void this.open(last, "edit", link.href);
    }
    return link !== null;
  }

  /** @param {string} deed @param {string} id */
  async atOnce(deed, id) {
    const answer = await send(request(deed, id, {}), csrf());
    answer.ok ? done(DONE[deed] ?? "Done") : tell(notDone(answer.status, answer.detail));
  }

  /** @param {EventTarget | null} except a node whose own menu stays open */
  closeMenus(except) {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!(except instanceof Node && menu.contains(except))) {
        menu.removeAttribute("open");
      }
    }
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const menu = event.target instanceof Element ? event.target.closest("details.menu[open]") : null;
    if (!menu) {
      return;
    }
    if (event.key === "Escape") {
      menu.removeAttribute("open");
      find(menu, "summary", HTMLElement)?.focus();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const items = all(menu, ".menu-item").filter((item) => item.checkVisibility());
      const at = items.findIndex((item) => item === document.activeElement);
      const to = event.key === "ArrowDown" ? at + 1 : at - 1;
      event.preventDefault();
      items.at(at < 0 && to < 0 ? -1 : to % items.length)?.focus();
    } else if (event.key === " " && event.target instanceof HTMLAnchorElement) {
      event.preventDefault();
      event.target.click();
    }
  }
}

/**
 * A menu at the foot of what scrolls is brought into view.
 * @param {Event} event a `toggle`, which does not bubble
 */
function shown(event) {
  if (event.target instanceof HTMLDetailsElement && event.target.open && event.target.matches(".menu")) {
    find(event.target, ".menu-list", HTMLElement)?.scrollIntoView({ block: "nearest" });
  }
}
