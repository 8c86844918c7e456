/** Shortcuts at the start of a message, translated where everybody can see it and take it back. */

import { command, hearing, named } from "../pure/shortcuts.js";
import { all, button, find } from "./dom.js";

/**
 * What it needs of the composer.
 * @typedef {{text: HTMLTextAreaElement | null | undefined, radios: HTMLInputElement[], chosen: HTMLInputElement | undefined, choose(value: string): void, changed(): void}} Composer
 * @typedef {{token: string, value: string, before: string, written: boolean}} Translated
 */

/** What a command will do, said before Enter does it. @type {Record<string, string>} */
const MEANS = {
  "/stop": "Enter stops what runs for you, and takes back what of yours waits.",
  "/new": "Enter stops, then starts the agent afresh: what was said before is in no later request.",
};

export class Shortcuts {
  /** @param {HTMLElement} place @param {Composer} composer */
  constructor(place, composer) {
    this.place = find(place, "[data-translated]", HTMLElement);
    this.composer = composer;
    /** @type {Translated | null} */
    this.now = null;
    /** A token that stands as ordinary text, since its translation was taken back. */
    this.literal = "";
  }

  /** The shortcut that a message came by, if its hearers are still those that it meant. @returns {string} */
  get source() {
    return this.now && this.now.value === this.composer.chosen?.value ? this.now.token.toLowerCase() : "";
  }

  /** @param {boolean} complete whether the text is sent as it stands */
  typed(complete = false) {
    const text = this.composer.text;
    if (!text || !this.place) {
      return;
    }
    this.literal = this.literal && text.value.startsWith(this.literal) ? this.literal : "";
    if (this.now && text.value === "" && this.now.written) {
      this.forget();
    } else if (this.now) {
      this.now.written = text.value !== "";
    }
    const found = this.literal ? null : hearing(text.value, complete);
    if (found) {
      this.translate(found.token, found.value, found.rest);
    } else if (!this.now) {
      this.suggest(text.value);
    }
  }

  /** @param {string} token @param {string} value @param {string} rest */
  translate(token, value, rest) {
    const { text, radios, chosen } = this.composer;
    const radio = radios.find((one) => one.value === value);
    if (!radio || !text) {
      this.say(`${token}: you cannot speak to an agent here.`);
      return;
    }
    const at = Math.max(0, text.selectionStart - (text.value.length - rest.length));
    this.now = { token, value, before: chosen?.value ?? "", written: false };
    text.value = rest;
    text.setSelectionRange(at, at);
    this.composer.choose(value);
    this.say(`${token}: ${radio.dataset.words}.`, button("Undo", "again", () => this.undo()));
  }

  undo() {
    const text = this.composer.text;
    if (this.now && text) {
      const { token, before } = this.now;
      this.now = null;
      this.literal = token;
      text.value = `${token} ${text.value}`;
      this.composer.choose(before);
      this.hide();
      text.focus();
    }
  }

  /** @param {string} written */
  suggest(written) {
    const told = command(written);
    if (told && !this.literal) {
      this.say(MEANS[told.token] ?? "", button("Send it as text", "again", () => this.asText(told.token)));
      return;
    }
    const offer = this.literal ? null : named(written, members());
    const radio = this.composer.radios.find((one) => offer?.values.includes(one.value));
    if (offer && radio && radio !== this.composer.chosen) {
      const take = button(radio.dataset.send ?? "", "again", () => {
        this.composer.choose(radio.value);
        this.hide();
        this.composer.text?.focus();
      });
      this.say(`${offer.token}:`, take);
    } else {
      this.hide();
    }
  }

  /** @param {string} token */
  asText(token) {
    this.literal = token;
    this.hide();
    this.composer.text?.focus();
  }

  /** The command that the text is, unless it shall be text. @returns {string} */
  get command() {
    return this.literal ? "" : (command(this.composer.text?.value ?? "")?.token ?? "");
  }

  /** Somebody chose hearers by hand: what a shortcut meant holds no more. */
  moved() {
    if (this.now && this.now.value !== this.composer.chosen?.value) {
      this.forget();
    }
  }

  /** After a send, or when the text is gone. */
  forget() {
    this.now = null;
    this.literal = "";
    this.hide();
  }

  /** @param {string} words @param {...Node} more */
  say(words, ...more) {
    if (this.place && this.place.dataset.words !== words) {
      this.place.hidden = false;
      this.place.dataset.words = words;
      this.place.replaceChildren(words, ...(more.length ? [" ", ...more] : []));
    }
  }

  hide() {
    if (this.place && !this.place.hidden) {
      this.place.hidden = true;
      this.place.dataset.words = "";
      this.place.replaceChildren();
    }
  }
}

/** @returns {{handle: string, name: string, kind: string}[]} */
function members() {
  return all(document, "[data-member]").map(({ dataset }) => {
    return { handle: dataset.member ?? "", name: dataset.name ?? "", kind: dataset.kind ?? "" };
  });
}
