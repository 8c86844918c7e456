/** Sends, shows what is on its way, and keeps it in the tab until the page shows it. */

import * as box from "../pure/outbox.js";
import { post } from "../net/post.js";
import { find } from "./dom.js";
import { pendingRow } from "./pending.js";

/**
 * @import { Item, Wish } from "../pure/outbox.js"
 * @import { Message } from "../pure/types.js"
 * @import { EarshotTranscript } from "./transcript.js"
 * @import { EarshotComposer } from "./composer.js"
 */

export class Outbox {
  /**
   * @param {HTMLElement} session
   * @param {EarshotTranscript} transcript
   * @param {EarshotComposer} composer
   */
  constructor(session, transcript, composer) {
    this.session = session;
    this.transcript = transcript;
    this.composer = composer;
    this.place = `earshot.outbox.${session.dataset.session ?? ""}`;
    /** @type {Item[]} */
    this.items = box.restore(sessionStorage.getItem(this.place));
    /** The post that runs, or the last one. @type {Promise<void>} */
    this.last = Promise.resolve();
    session.addEventListener("earshot:send", (event) => this.send(/** @type {CustomEvent<Wish>} */ (event).detail));
    this.show();
  }

  get name() {
    const me = CSS.escape(this.session.dataset.me ?? "");
    return find(document, `[data-member="${me}"]`, HTMLElement)?.dataset.name ?? "You";
  }

  /** @param {Wish} wish */
  send(wish) {
    this.items = box.add(this.items, wish);
    this.show();
    this.transcript.toEnd();
    this.queue(wish);
  }

  /** One after the other: two posts under way at once may be kept in either order. @param {Wish} wish */
  queue(wish) {
    const run = () => this.post(wish);
    this.last = this.last.then(run, run);
  }

  /** @param {Wish} wish */
  async post(wish) {
    const csrf = find(document, "meta[name=csrf-token]", HTMLMetaElement)?.content ?? "";
    const outcome = await post(this.session.dataset.session ?? "", csrf, wish);
    if ("failure" in outcome && box.comesBack(outcome.code) && this.composer.isEmpty) {
      this.items = box.remove(this.items, wish.key);
      this.composer.bring(wish, `${outcome.failure.problem} Your text is kept.`);
    } else if ("failure" in outcome) {
      this.items = box.failed(this.items, wish.key, outcome.failure);
    } else if (document.getElementById(`m-${outcome.message.id}`)) {
      this.items = box.remove(this.items, wish.key);
    } else {
      this.items = box.sent(this.items, wish.key, outcome.message.id);
    }
    this.show();
  }

  /** The page shows this message of ours now. @param {Message} message */
  settle(message) {
    this.items = box.settle(this.items, message);
    this.show();
  }

  /** There is a line again: what never got an answer goes out under its old key. */
  retry() {
    box.waiting(this.items).forEach((key) => this.again(key));
    this.items = this.items.filter((item) => item.state !== "sent" || !document.getElementById(`m-${item.id}`));
    this.show();
  }

  /** @param {string} key */
  again(key) {
    const item = this.items.find((one) => one.key === key);
    if (item) {
      this.items = box.sending(this.items, key);
      this.show();
      this.queue(item);
    }
  }

  /** Takes an unsent message back into the composer. @param {string} key */
  edit(key) {
    const item = this.items.find((one) => one.key === key);
    if (item) {
      this.drop(key);
      this.composer.bring(item);
    }
  }

  /** @param {string} key */
  drop(key) {
    this.items = box.remove(this.items, key);
    this.show();
  }

  /** Rows for all that is on its way; only what changed is made anew, so that focus on a button stays. */
  show() {
    sessionStorage.setItem(this.place, JSON.stringify(this.items));
    const tail = this.transcript.tail ?? this.transcript;
    const keys = new Set(this.items.map((item) => item.key));
    tail.querySelectorAll(".pending").forEach((row) => keys.has(row.getAttribute("data-key") ?? "") || row.remove());
    for (const item of this.items) {
      const before = find(tail, `[data-key="${CSS.escape(item.key)}"]`, HTMLElement);
      if (before?.dataset.state === item.state) {
        continue;
      }
      const row = pendingRow(item, this.name, this);
      before ? before.replaceWith(row) : tail.append(row);
    }
    this.transcript.keepPlace();
  }
}
