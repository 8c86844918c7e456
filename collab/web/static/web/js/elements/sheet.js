/** The preview of what shall be brought: all texts, one reason, and what comes of each. */

import { progress, requests, summary } from "../pure/bring.js";
import { notDone } from "../pure/deeds.js";
import { send } from "../net/send.js";
import { all, find, make } from "./dom.js";
import { localTimes } from "./local.js";
import { csrf, done } from "./outcome.js";
import { confirmWords, fetchForm } from "./panel.js";

export class Sheet {
  /** @param {HTMLDialogElement} dialog @param {HTMLFormElement} form @param {(left: string[]) => void} onEnd */
  constructor(dialog, form, onEnd) {
    this.dialog = dialog;
    this.form = form;
    this.onEnd = onEnd;
    this.busy = false;
    form.addEventListener("submit", (event) => void this.submitted(event));
    form.addEventListener("change", () => confirmWords(form));
    dialog.addEventListener("close", () => dialog.remove());
    dialog.addEventListener("cancel", (event) => this.busy && event.preventDefault());
    find(form, "[data-leave]", HTMLElement)?.addEventListener("click", (event) => {
      event.preventDefault();
      dialog.close();
    });
    confirmWords(form);
    localTimes(form);
  }

  /**
   * @param {URL} address
   * @param {HTMLElement} place
   * @param {(left: string[]) => void} onEnd gets those that could not be brought
   * @returns {Promise<Sheet | null>}
   */
  static async open(address, place, onEnd) {
    const form = await fetchForm(address.href);
    if (!form) {
      return null;
    }
    const dialog = make("dialog", "sheet", make("h2", "", "Bring to an agent"), form);
    dialog.setAttribute("aria-label", "Bring to an agent");
    place.append(dialog);
    dialog.showModal();
    return new Sheet(dialog, form, onEnd);
  }

  /** @param {SubmitEvent} event */
  async submitted(event) {
    event.preventDefault();
    if (this.busy) {
      return;
    }
    this.busy = true;
    const lines = all(this.form, "[data-bring]");
    const chosen = lines.map(({ dataset }) => ({ id: dataset.bring ?? "", revision: dataset.revision ?? "" }));
    const given = new FormData(this.form);
    const wishes = requests(chosen, String(given.get("audience") ?? ""), String(given.get("reason") ?? ""));
    /** @type {string[]} */
    const left = [];
    for (const [index, wish] of wishes.entries()) {
      this.say(progress(index, wishes.length));
      const answer = await send(wish, csrf());
      const line = lines[index];
      if (answer.ok) {
        line?.remove();
      } else if (line) {
        left.push(line.dataset.bring ?? "");
        outcome(line, notDone(answer.status, answer.detail));
      }
    }
    this.busy = false;
    this.end(wishes.length - left.length, left);
  }

  /** @param {number} brought @param {string[]} left */
  end(brought, left) {
    const words = summary(brought, left.length);
    this.say(words);
    if (left.length === 0) {
      this.dialog.close();
      done(words);
    }
    this.onEnd(left);
  }

  /** @param {string} words */
  say(words) {
    const place = find(this.form, "[data-progress]", HTMLElement);
    if (place) {
      place.hidden = false;
      place.textContent = words;
    }
  }
}

/** @param {HTMLElement} line @param {string} words */
function outcome(line, words) {
  const place = find(line, "[data-outcome-of]", HTMLElement);
  if (place) {
    place.hidden = false;
    place.textContent = words;
  }
}
