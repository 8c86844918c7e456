/** Where people write: the chosen audience stands in words, colour and button; drafts stay with the tab. */

import { afterArrival, afterSend, forReply, isDirect } from "../pure/choice.js";
import { clientKey } from "../pure/keys.js";
import { unheard } from "../pure/words.js";
import { agents } from "./agents.js";
import { all, find } from "./dom.js";
import { keepDraft, keptDraft } from "./draft.js";
import { refreshChoices } from "./parts.js";
import { reveal } from "./reveal.js";
import { Shortcuts } from "./shortcuts.js";
import { calm, delivery, showSteering } from "./steering.js";

/**
 * @import { Option, Parent } from "../pure/choice.js"
 * @import { Wish } from "../pure/outbox.js"
 * @import { Turn } from "../pure/types.js"
 */

const NOBODY_YET = "Choose who hears this";
const KEYS = "Enter sends, Shift+Enter makes a new line";

export class EarshotComposer extends HTMLElement {
  connectedCallback() {
    const form = find(this, "form", HTMLFormElement);
    const text = find(this, "textarea", HTMLTextAreaElement);
    if (!form || !text) {
      return;
    }
    this.form = form;
    form.noValidate = true;
    this.text = text;
    this.replyTo = find(form, "[name=reply_to]", HTMLInputElement);
    this.pinBox = find(form, "[data-pin-box]", HTMLInputElement);
    form.addEventListener("submit", (event) => this.submitted(event));
    form.addEventListener("change", () => this.changed());
    text.addEventListener("input", () => this.typed());
    text.addEventListener("keydown", (event) => this.key(event));
    find(form, "[data-leave-reply]", HTMLElement)?.addEventListener("click", (event) => this.leaveReply(event));
    this.hadOthers = this.hasOthers;
    this.shortcuts = new Shortcuts(form, this);
    /** @type {Turn[]} */
    this.turns = [];
    this.restore();
    this.changed();
  }

  /** @returns {string} */
  get place() {
    return `earshot.draft.${this.closest("[data-session]")?.getAttribute("data-session") ?? ""}`;
  }

  /** @returns {HTMLInputElement[]} */
  get radios() {
    return all(this, "input[name=audience]").filter((node) => node instanceof HTMLInputElement);
  }

  /** @returns {Option[]} */
  get options() {
    return this.radios.map((radio) => ({ value: radio.value, toAgent: radio.dataset.toAgent !== undefined }));
  }

  /** @returns {HTMLInputElement | undefined} */
  get chosen() {
    return this.radios.find((radio) => radio.checked);
  }

  /** By the list of people, which is kept up to date. */
  get hasOthers() {
    return all(document, '[data-member][data-kind="human"]').length > 1;
  }

  /**
   * Puts the composer on an audience. What names several is fetched; what is for some people alone and cannot be
   * had leaves nothing chosen, so that it reaches nobody by a slip.
   * @param {string} value
   */
  choose(value) {
    const radio = this.radios.find((one) => one.value === value);
    if (radio) {
      radio.checked = true;
    } else if (value.includes(",") || isDirect(value)) {
      this.chooseNothing();
      void this.fetchChoice(value);
    }
    this.changed();
  }

  chooseNothing() {
    for (const radio of this.radios) {
      radio.checked = false;
    }
  }

  /** @param {string} value */
  async fetchChoice(value) {
    const slug = this.closest("[data-slug]")?.getAttribute("data-slug") ?? "";
    if (await refreshChoices(slug, value)) {
      this.changed();
    }
  }

  /** People or agents have come or gone. */
  gathered() {
    const came = this.hasOthers && !this.hadOthers;
    this.hadOthers = this.hasOthers;
    const written = Boolean(this.text?.value || this.replyTo?.value || this.pinBox?.checked);
    this.choose(came ? afterArrival(this.chosen?.value ?? "", written, this.options) : (this.chosen?.value ?? ""));
  }

  /** The button repeats the words; the pin stands only where something would fall back. */
  changed() {
    this.shortcuts?.moved();
    const chosen = this.chosen;
    const button = find(this, "[data-send-button]", HTMLButtonElement);
    const pin = find(this, "[data-pin]", HTMLElement);
    if (button) {
      button.textContent = chosen?.dataset.send ?? NOBODY_YET;
      button.disabled = !chosen;
    }
    if (pin) {
      pin.hidden = chosen?.dataset.toAgent === undefined || !this.hasOthers;
    }
    const [row, label] = [chosen?.closest(".who"), chosen?.labels?.[0]];
    if (row && label) {
      reveal(row, label);
    }
    showSteering(this, chosen?.value ?? "", this.turns);
    this.warn();
  }

  /** @param {Iterable<Turn>} turns those that are known */
  atWork(turns) {
    this.turns = [...turns];
    showSteering(this, this.chosen?.value ?? "", this.turns);
  }

  typed() {
    this.shortcuts?.typed();
    this.warn();
  }

  /** Naming an agent to people alone is allowed, and said to reach nobody but them. */
  warn() {
    const toAgent = this.chosen?.dataset.toAgent !== undefined;
    const warning = toAgent ? "" : unheard(this.text?.value ?? "", agents());
    this.hint(warning || KEYS);
    this.keep();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.isComposing) {
      return;
    }
    if (event.key === "Enter" && !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      this.form?.requestSubmit();
    } else if (event.key === "Escape") {
      this.text?.blur();
    } else if (event.key === "ArrowUp" && this.text?.value === "" && !event.shiftKey) {
      event.preventDefault();
      this.dispatchEvent(new CustomEvent("earshot:edit-last", { bubbles: true }));
    }
  }

  /** @param {SubmitEvent} event */
  submitted(event) {
    event.preventDefault();
    if (this.commanded()) {
      return;
    }
    this.shortcuts?.typed(true);
    const chosen = this.chosen;
    if (!this.text || !chosen || !this.text.value.trim()) {
      this.text?.focus();
      return;
    }
    this.dispatchEvent(new CustomEvent("earshot:send", { bubbles: true, detail: this.wish(chosen) }));
    this.text.value = "";
    this.shortcuts?.forget();
    if (!this.pinBox?.checked) {
      calm(this);
    }
    this.setReply("", "");
    this.choose(afterSend(chosen.value, this.pinBox?.checked ?? false, this.options, this.hasOthers));
    this.text.focus();
  }

  /** A text that is a command is done, not sent. @returns {boolean} */
  commanded() {
    const command = this.shortcuts?.command;
    if (!command || !this.text) {
      return false;
    }
    this.text.value = "";
    this.shortcuts?.forget();
    this.warn();
    this.dispatchEvent(new CustomEvent("earshot:command", { bubbles: true, detail: command }));
    return true;
  }

  /**
   * @param {HTMLInputElement} chosen
   * @returns {Wish}
   */
  wish(chosen) {
    return {
      key: clientKey((bytes) => crypto.getRandomValues(bytes)),
      text: this.text?.value ?? "",
      audience: chosen.value,
      dispatch: chosen.dataset.dispatch ?? "",
      words: chosen.dataset.words ?? "",
      tone: chosen.dataset.tone ?? "",
      icon: chosen.dataset.icon ?? "",
      replyTo: this.replyTo?.value ?? "",
      delivery: delivery(this),
      shortcut: this.shortcuts?.source ?? "",
    };
  }

  /**
   * @param {string} id
   * @param {string} words
   * @param {Parent} parent
   */
  reply(id, words, parent) {
    this.setReply(id, words);
    const me = this.closest("[data-me]")?.getAttribute("data-me") ?? "";
    const value = forReply(parent, me, this.options);
    if (!value && parent.audience === "participant") {
      this.chooseNothing();
    }
    this.choose(value);
    this.text?.focus();
  }

  /**
   * Brings words back to be looked at before they go out again.
   * @param {{text: string, audience: string, replyTo: string}} wish
   */
  bring(wish) {
    if (this.text) {
      this.text.value = wish.text;
    }
    this.setReply(wish.replyTo, wish.replyTo ? "Replying to an earlier message" : "");
    this.choose(wish.audience);
    this.text?.focus();
  }

  /** @param {Event} event */
  leaveReply(event) {
    event.preventDefault();
    this.setReply("", "");
    this.text?.focus();
  }

  /** @param {string} id @param {string} words */
  setReply(id, words) {
    const banner = find(this, "[data-replying]", HTMLElement);
    const place = find(this, "[data-replying-words]", HTMLElement);
    if (!this.replyTo || !banner || !place) {
      return;
    }
    this.replyTo.value = id;
    place.textContent = words;
    banner.hidden = id === "";
    this.keep();
  }

  keep() {
    keepDraft(this.place, {
      text: this.text?.value ?? "",
      audience: this.chosen?.value ?? "",
      replyTo: this.replyTo?.value ?? "",
      replyWords: find(this, "[data-replying-words]", HTMLElement)?.textContent ?? "",
    });
  }

  /** A kept draft comes back with its audience; what the server put there (a refusal, a reply) comes first. */
  restore() {
    const draft = keptDraft(this.place);
    if (!draft || !this.text || this.text.value || this.replyTo?.value) {
      return;
    }
    this.text.value = draft.text;
    this.setReply(draft.replyTo, draft.replyWords);
    this.choose(draft.audience);
  }

  /** @param {string} words */
  hint(words) {
    const place = find(this, "[data-hint]", HTMLElement);
    if (place && place.textContent !== words) {
      place.textContent = words;
      place.classList.toggle("warns", words !== KEYS);
    }
  }
}
