/** Where people write: the chosen audience stands in words, colour and button; drafts stay with the tab. */

import { afterSend, forReply } from "../pure/choice.js";
import { clientKey } from "../pure/keys.js";
import { unheard } from "../pure/words.js";
import { agents } from "./agents.js";
import { find } from "./dom.js";
import { keepDraft, keptDraft } from "./draft.js";
import { Hearers } from "./hearers.js";
import { reveal } from "./reveal.js";
import { Shortcuts } from "./shortcuts.js";
import { calm, delivery, showSteering } from "./steering.js";

/**
 * @import { Parent } from "../pure/choice.js"
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
    form.addEventListener("change", () => this.rechosen());
    text.addEventListener("input", (event) => this.typed(event instanceof InputEvent && event.inputType.startsWith("history")));
    text.addEventListener("keydown", (event) => this.key(event));
    find(form, "[data-leave-reply]", HTMLElement)?.addEventListener("click", (event) => this.leaveReply(event));
    /** @type {Turn[]} */
    this.turns = [];
    /** Why what came back was refused, said until other hearers are chosen. */
    this.refusal = "";
    this.hearers = new Hearers(this, () => this.changed());
    this.shortcuts = new Shortcuts(form, text, this.hearers);
    this.restore(this.hearers);
    this.hearers.changed();
  }

  /** @returns {string} */
  get place() {
    return `earshot.draft.${this.closest("[data-session]")?.getAttribute("data-session") ?? ""}`;
  }

  /** @returns {HTMLInputElement | undefined} */
  get chosen() {
    return this.hearers?.chosen;
  }

  /** @param {{value: string, send: string}} before what was chosen, before the choices came anew */
  gathered(before) {
    this.hearers?.gathered(before, Boolean(this.text?.value || this.replyTo?.value || this.pinBox?.checked));
  }

  /** Nothing stands there that other words would take the place of. */
  get isEmpty() {
    return !this.text?.value && !this.replyTo?.value;
  }

  rechosen() {
    this.refusal = "";
    this.hearers?.changed();
  }

  /** The button repeats the words; the pin stands only where something would fall back. */
  changed() {
    this.shortcuts?.moved();
    const chosen = this.chosen;
    const pin = find(this, "[data-pin]", HTMLElement);
    if (pin) {
      pin.hidden = !this.hearers?.toAgent || !this.hearers.hasOthers;
    }
    const [row, label] = [chosen?.closest(".who"), chosen?.labels?.[0]];
    if (row && label) {
      reveal(row, label);
    }
    this.steered();
    this.warn();
  }

  /** @param {Iterable<Turn>} turns those that are known */
  atWork(turns) {
    this.turns = [...turns];
    this.steered();
  }

  /** The button says what it will do: ask, or queue or steer while the agent is at work. */
  steered() {
    const chosen = this.chosen;
    const button = find(this, "[data-send-button]", HTMLButtonElement);
    const { audience = "", way } = this.hearers ?? {};
    const words = showSteering(this, audience, this.turns) || way?.dataset.send || NOBODY_YET;
    if (button && (button.textContent !== words || button.disabled === Boolean(chosen))) {
      button.textContent = words;
      button.disabled = !chosen;
    }
  }

  /** @param {boolean} stepsBack whether what was typed is taken back */
  typed(stepsBack) {
    this.shortcuts?.typed(false, stepsBack);
    this.warn();
  }

  /** Naming an agent that is not chosen is allowed, and said to reach nobody. */
  warn() {
    const warning = unheard(this.text?.value ?? "", agents().filter(({ handle }) => !this.hearers?.includes(handle)));
    this.hint(this.refusal || this.hearers?.lost || warning || KEYS);
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
    } else if (event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey) {
      // The browser takes back what was typed since, and knows nothing of the translation before it.
      if (this.shortcuts?.isFresh) {
        event.preventDefault();
        this.shortcuts.undo();
      }
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
    const may = this.shortcuts?.typed(true) ?? true;
    const [hearers, chosen] = [this.hearers, this.chosen];
    if (!this.text || !hearers || !chosen || !may || !this.text.value.trim()) {
      this.text?.focus();
      return;
    }
    this.dispatchEvent(new CustomEvent("earshot:send", { bubbles: true, detail: this.wish(chosen) }));
    this.text.value = "";
    this.refusal = "";
    this.shortcuts?.forget();
    if (!this.pinBox?.checked) {
      calm(this);
      hearers.calm();
    }
    this.setReply("", "");
    hearers.choose(afterSend(chosen.value, this.pinBox?.checked ?? false, hearers.options, hearers.hasOthers));
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
    const { dataset } = this.hearers?.way ?? chosen;
    return {
      key: clientKey((bytes) => crypto.getRandomValues(bytes)),
      text: this.text?.value ?? "",
      audience: this.hearers?.audience ?? "",
      dispatch: dataset.dispatch ?? "",
      words: dataset.words ?? "",
      tone: chosen.dataset.tone ?? "",
      icon: dataset.icon ?? "",
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
    const value = forReply(parent, me, this.hearers?.options ?? []);
    if (!value && parent.audience === "participant") {
      this.hearers?.chooseNothing();
    }
    this.hearers?.choose(value);
    this.text?.focus();
  }

  /**
   * Brings words back to be looked at before they go out again.
   * @param {{text: string, audience: string, dispatch: string, replyTo: string}} wish
   * @param {string} refusal why they did not go out as they were
   */
  bring(wish, refusal = "") {
    this.refusal = refusal;
    if (this.text) {
      this.text.value = wish.text;
    }
    this.setReply(wish.replyTo, wish.replyTo ? "Replying to an earlier message" : "");
    this.hearers?.chooseAs(wish.audience, wish.dispatch);
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
      audience: this.hearers?.audience ?? "",
      dispatch: this.hearers?.way?.dataset.dispatch ?? "",
      replyTo: this.replyTo?.value ?? "",
      replyWords: find(this, "[data-replying-words]", HTMLElement)?.textContent ?? "",
    });
  }

  /**
   * A kept draft comes back with its audience; what the server put there (a refusal, a reply) comes first.
   * @param {Hearers} hearers
   */
  restore(hearers) {
    const draft = keptDraft(this.place);
    if (!draft || !this.text || this.text.value || this.replyTo?.value) {
      return;
    }
    this.text.value = draft.text;
    this.setReply(draft.replyTo, draft.replyWords);
    draft.audience ? hearers.chooseAs(draft.audience, draft.dispatch) : hearers.lose("");
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
