/** The menu of a message: which lines this reader gets, and what they do. */

import { DONE, isTime, mayDo, notDone, request } from "../pure/deeds.js";
import { send } from "../net/send.js";
import { all, find } from "./dom.js";
import { closeMenus, watchMenus } from "./menus.js";
import { csrf, done, tell } from "./outcome.js";
import { Panel, fetchForm, fieldsOf } from "./panel.js";
import { fatesOf, isMine, who } from "./who.js";

/** Deeds that need no form: one press does them. Sending again does, where it goes to another agent than before. */
const AT_ONCE = ["withdraw", "again"];

export class Deeds {
  /** @param {(turn: string) => boolean} runs whether a turn is at work */
  constructor(runs) {
    this.runs = runs;
    watchMenus();
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
    closeMenus(null);
    const article = document.getElementById(`m-${id}`);
    const deed = link.dataset.deed ?? "again";
    if (AT_ONCE.includes(deed)) {
      void this.atOnce(deed, id, article, link.href);
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
    const form = await fetchForm(href);
    form ? this.show(article, deed, href, form) : location.assign(href);
  }

  /** @param {HTMLElement} article @param {string} deed @param {string} href @param {HTMLFormElement} form */
  show(article, deed, href, form) {
    all(document, ".message[data-doing]").forEach((other) => Panel.of(other)?.close(false));
    Panel.open(article, deed, href, form);
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

  /**
   * @param {string} deed
   * @param {string} id
   * @param {HTMLElement | null} article null for one that is further up than the page goes
   * @param {string} href the page of its form
   */
  async atOnce(deed, id, article, href) {
    const form = deed === "again" ? await fetchForm(href) : null;
    if (form?.dataset.asks !== undefined) {
      article ? this.show(article, deed, href, form) : location.assign(href);
      return;
    }
    const answer = await send(request(deed, id, form ? fieldsOf(form) : {}), csrf());
    answer.ok ? done(DONE[deed] ?? "Done") : tell(notDone(answer.status, answer.detail));
  }
}
