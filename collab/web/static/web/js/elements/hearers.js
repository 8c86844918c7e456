/** Whom the composer stands on: a radio group that is fetched anew when people, agents or rights come and go. */

import { afterArrival } from "../pure/choice.js";
import { lost } from "../pure/words.js";
import { all } from "./dom.js";
import { refreshChoices } from "./parts.js";

/** @import { Option } from "../pure/choice.js" */

export class Hearers {
  /** @param {HTMLElement} composer @param {() => void} onChange */
  constructor(composer, onChange) {
    this.composer = composer;
    this.onChange = onChange;
    this.hadOthers = this.hasOthers;
    /** What was lost, said until something is chosen again. */
    this.lost = "";
  }

  /** @returns {HTMLInputElement[]} */
  get radios() {
    return all(this.composer, "input[name=audience]").filter((node) => node instanceof HTMLInputElement);
  }

  /** @returns {Option[]} */
  get options() {
    return this.radios.map((radio) => ({ value: radio.value, toAgent: radio.dataset.toAgent !== undefined }));
  }

  /** @returns {HTMLInputElement | undefined} */
  get chosen() {
    return this.radios.find((radio) => radio.checked);
  }

  get toAgent() {
    return this.chosen?.dataset.toAgent !== undefined;
  }

  /** By the list of people, which is kept up to date. */
  get hasOthers() {
    return all(document, '[data-member][data-kind="human"]').length > 1;
  }

  /**
   * What is not there is asked for, for it may name several; what cannot be had leaves nothing chosen, and says so: no
   * words go to others by a slip.
   * @param {string} value empty to stay where it stands
   */
  choose(value) {
    const radio = this.radios.find((one) => one.value === value);
    if (radio) {
      radio.checked = true;
    } else if (value) {
      this.chooseNothing();
      void this.fetch(value);
    }
    this.changed();
  }

  chooseNothing() {
    for (const radio of this.radios) {
      radio.checked = false;
    }
  }

  /** @param {string} value */
  async fetch(value) {
    const slug = this.composer.closest("[data-slug]")?.getAttribute("data-slug") ?? "";
    if (await refreshChoices(slug, value)) {
      this.changed();
    }
    if (!this.chosen) {
      this.lose("");
    }
  }

  changed() {
    this.lost = this.chosen ? "" : this.lost;
    this.onChange();
  }

  /**
   * What was chosen can be spoken to no more: nothing takes its place until the writer says what.
   * @param {string} before the words of its button
   */
  lose(before) {
    this.chooseNothing();
    this.lost = lost(before, this.options.length > 0);
    this.onChange();
  }

  /**
   * People or agents have come or gone, or what the writer may do has changed.
   * @param {{value: string, send: string}} before what was chosen
   * @param {boolean} written whether there are words that were meant for it
   */
  gathered(before, written) {
    const [came, chosen] = [this.hasOthers && !this.hadOthers, this.chosen];
    this.hadOthers = this.hasOthers;
    if (before.value && (!chosen || (written && chosen.value === before.value && chosen.dataset.send !== before.send))) {
      this.lose(before.send);
      return;
    }
    this.choose(came ? afterArrival(chosen?.value ?? "", written, this.options) : (chosen?.value ?? ""));
  }
}
