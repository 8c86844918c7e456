/** Choosing several people-only messages, and bringing them to an agent. */

import { counted } from "../pure/bring.js";
import { mayDo } from "../pure/deeds.js";
import { all, button, find, make } from "./dom.js";
import { refresh } from "./parts.js";
import { Sheet } from "./sheet.js";
import { isMine, who } from "./who.js";

/** @import { EarshotTranscript } from "./transcript.js" */

/** As many as the server takes in one page. */
const MOST = 50;

export class Bring {
  /** @param {HTMLElement} session @param {EarshotTranscript} transcript */
  constructor(session, transcript) {
    this.session = session;
    this.transcript = transcript;
    /** @type {Set<string>} */
    this.chosen = new Set();
    session.addEventListener("keydown", (event) => this.key(event));
  }

  /** The link that starts it; it comes, goes and changes its words with who is here, and with what the reader may. */
  get start() {
    return find(this.session, "[data-bring-start]", HTMLAnchorElement);
  }

  /** Whom it may be brought to has changed, perhaps. */
  async named() {
    const focused = this.start?.matches(":focus") ?? false;
    await refresh(this.session.dataset.slug ?? "", "bring");
    if (focused) {
      this.start?.focus({ preventScroll: true });
    }
    if (this.on && !this.start) {
      this.end(false);
    }
  }

  get on() {
    return this.session.dataset.bringing !== undefined;
  }

  /** @param {Element} target @returns {boolean} whether it was the link that starts it */
  clicked(target) {
    if (!this.start || target.closest("[data-bring-start]") !== this.start) {
      return false;
    }
    this.on ? this.end() : this.begin();
    return true;
  }

  begin() {
    this.session.dataset.bringing = "";
    this.count = make("span", "bring-count", counted(0));
    this.count.setAttribute("role", "status");
    this.look = button("Look at them", "send", () => void this.show());
    const words = make("p", "bring-words", "Choose what people said among themselves. ", this.count);
    const bar = make("div", "bring-bar", words, this.look, button("Cancel", "quiet-button", () => this.end()));
    this.bar = make("div", "bring-place", make("div", "column", bar));
    this.session.querySelector("earshot-composer")?.before(this.bar);
    this.settle(this.session);
    this.counted();
    const boxes = all(this.session, ".pick-box input");
    const last = boxes.at(-1);
    if (last) {
      this.transcript.follows = false;
      last.focus();
    } else if (this.count) {
      this.count.textContent = "Nothing here is for people only and yours to bring.";
    }
  }

  /** @param {boolean} focuses whether the reader goes back to where it began */
  end(focuses = true) {
    delete this.session.dataset.bringing;
    this.chosen.clear();
    all(this.session, ".pick-box").forEach((box) => box.remove());
    this.bar?.remove();
    if (focuses) {
      this.start?.focus();
    }
  }

  /** Boxes on those that this reader may bring; on a message that is for others now, none. @param {ParentNode} root */
  settle(root) {
    if (!this.on) {
      return;
    }
    const viewer = who();
    const articles = root instanceof HTMLElement && root.matches(".message") ? [root] : all(root, "[data-rows] .message");
    for (const article of articles) {
      const line = find(article, "li:has(> [data-deed=hearers])", HTMLElement);
      const may = article.dataset.audience === "participants" && line && mayDo(line.dataset, isMine(article, viewer), viewer);
      if (may && !article.querySelector(".pick-box")) {
        article.prepend(this.box(article));
      } else if (!may) {
        this.chosen.delete(article.dataset.id ?? "");
      }
    }
    this.counted();
  }

  /** @param {HTMLElement} article @returns {HTMLElement} */
  box(article) {
    const id = article.dataset.id ?? "";
    const input = make("input", "");
    input.type = "checkbox";
    input.checked = this.chosen.has(id);
    input.setAttribute("aria-labelledby", `h-${id}`);
    input.setAttribute("aria-describedby", `x-${id}`);
    const text = find(article, ".text", HTMLElement);
    if (text) {
      text.id = `x-${id}`;
    }
    input.addEventListener("change", () => {
      input.checked ? this.chosen.add(id) : this.chosen.delete(id);
      this.counted();
    });
    return make("label", "pick-box", input);
  }

  counted() {
    if (this.count && this.look) {
      this.count.textContent = counted(this.chosen.size);
      this.look.disabled = this.chosen.size === 0 || this.chosen.size > MOST;
    }
  }

  async show() {
    const address = new URL(this.start?.href ?? "", location.href);
    this.chosen.forEach((id) => address.searchParams.append("m", id));
    const sheet = await Sheet.open(address, this.session, (left) => this.brought(left));
    if (!sheet) {
      location.assign(address);
    }
  }

  /** @param {string[]} left those that could not be brought: they stay chosen */
  brought(left) {
    this.chosen = new Set(left);
    if (left.length === 0) {
      this.end();
      return;
    }
    for (const input of all(this.session, ".pick-box input")) {
      if (input instanceof HTMLInputElement) {
        input.checked = left.includes(input.closest(".message")?.getAttribute("data-id") ?? "");
      }
    }
    this.counted();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === "Escape" && this.on && !(event.target instanceof HTMLTextAreaElement) && !document.querySelector("dialog[open]")) {
      this.end();
    }
  }
}
