/** Shortcuts at the start of a message, translated where everybody can see it and take it back. */

import { command, hearing, named } from "../pure/shortcuts.js";
import { all, button, find } from "./dom.js";

/**
 * @import { Hearers } from "./hearers.js"
 * @import { Offer } from "../pure/shortcuts.js"
 *
 * @typedef {{token: string, value: string, before: string, written: boolean, typed: string, rest: string}} Translated
 */

/** What a command will do, said before Enter does it. @type {Record<string, string>} */
const MEANS = {
  "/stop": "Enter stops what runs for you, and takes back what of yours waits.",
  "/new": "Enter stops, then starts the agent afresh: what was said before is in no later request.",
};
/** What is said where a shortcut's hearers cannot be spoken to. @type {Record<string, string>} */
const CANNOT = {
  active_agent: "you cannot speak to an agent here, so nothing is sent",
  participants: "you cannot speak to people here, so nothing is sent",
};

export class Shortcuts {
  /** @param {HTMLElement} place @param {HTMLTextAreaElement} text @param {Hearers} hearers */
  constructor(place, text, hearers) {
    this.place = find(place, "[data-translated]", HTMLElement);
    this.text = text;
    this.hearers = hearers;
    /** @type {Translated | null} */
    this.now = null;
    /** A token that stands as ordinary text, since its translation was taken back. */
    this.literal = "";
  }

  /** The shortcut that a message came by, if its hearers are still those that it meant. @returns {string} */
  get source() {
    return this.now && this.now.value === this.hearers.audience ? this.now.token.toLowerCase() : "";
  }

  /**
   * @param {boolean} complete whether the text is sent as it stands
   * @param {boolean} stepsBack whether it became so by taking back what was typed
   * @returns {boolean} false where it may not go out: it asks for hearers that cannot be had
   */
  typed(complete = false, stepsBack = false) {
    const text = this.text;
    this.literal = this.literal && text.value.startsWith(this.literal) ? this.literal : "";
    if (this.now && text.value === "" && this.now.written && !stepsBack) {
      this.forget();
    } else if (this.now) {
      this.now.written = text.value !== "";
    }
    const found = this.literal ? null : hearing(text.value, complete);
    if (found) {
      // Whoever tries to send what cannot be is told once more.
      complete && this.hide();
      return this.translate(found.token, found.value, found.rest);
    }
    if (!this.now) {
      this.suggest(text.value);
    }
    return true;
  }

  /** Whether the text stands as the translation left it. */
  get isFresh() {
    return this.now !== null && this.text.value === this.now.rest;
  }

  /** @param {string} token @param {string} value @param {string} rest @returns {boolean} whether it could be */
  translate(token, value, rest) {
    const text = this.text;
    const { radios, chosen } = this.hearers;
    const radio = radios.find((one) => one.value === value);
    if (!radio) {
      this.say(`${token}: ${CANNOT[value]}.`, button("Take it as text", "again", () => this.asText(token)));
      return false;
    }
    const at = Math.max(0, text.selectionStart - (text.value.length - rest.length));
    this.now = { token, value, before: chosen?.value ?? "", written: false, typed: text.value, rest };
    text.value = rest;
    text.setSelectionRange(at, at);
    this.hearers.calm();
    this.hearers.choose(value);
    this.say(`${token}: ${radio.dataset.words}.`, button("Undo", "again", () => this.undo()));
    return true;
  }

  /** The text as it was typed, with what came since, and the hearers from before. */
  undo() {
    const text = this.text;
    if (this.now) {
      const { token, before, typed, rest } = this.now;
      const start = typed.slice(0, typed.length - rest.length);
      const at = start.length + text.selectionStart;
      this.now = null;
      this.literal = token;
      text.value = start + text.value;
      text.setSelectionRange(at, at);
      this.hearers.chooseNothing();
      this.hearers.choose(before);
      this.hide();
      text.focus();
    }
  }

  /** @param {string} written */
  suggest(written) {
    const told = command(written);
    if (told && !this.literal) {
      this.say(MEANS[told.token] ?? "", button("Take it as text", "again", () => this.asText(told.token)));
      return;
    }
    const offer = this.literal ? null : named(written, members());
    const radio = this.hearers.radios.find((one) => offer && stands(one, offer));
    if (offer && radio && radio !== this.hearers.chosen) {
      const take = button(radio.dataset.send ?? "", "again", () => {
        this.hearers.calm();
        this.hearers.choose(radio.value);
        this.hide();
        this.text.focus();
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
    this.text.focus();
  }

  /** The command that the text is, unless it shall be text. @returns {string} */
  get command() {
    return this.literal ? "" : (command(this.text.value)?.token ?? "");
  }

  /** Somebody chose hearers by hand: what a shortcut meant holds no more. */
  moved() {
    if (this.now && this.now.value !== this.hearers.audience) {
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

/**
 * @param {HTMLInputElement} radio
 * @param {Offer} offer
 * @returns {boolean} whether a choice is for who is named alone; an agent is asked by name or as the active one
 */
function stands(radio, { kind, handle }) {
  return kind === "agent" ? radio.dataset.agent === handle : radio.value === `participant:${handle}`;
}

/** @returns {{handle: string, name: string, kind: string}[]} */
function members() {
  return all(document, "[data-member]").map(({ dataset }) => {
    return { handle: dataset.member ?? "", name: dataset.name ?? "", kind: dataset.kind ?? "" };
  });
}
