/** Whom the composer stands on: a radio group that is fetched anew when people, agents or rights come and go. */

import { afterArrival, takesMore } from "../pure/choice.js";
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
    return this.radios.map((radio) => ({
      value: radio.value,
      toAgent: radio.dataset.toAgent !== undefined,
      agent: radio.dataset.agent ?? "",
      takesMore: takesMore(radio.dataset.dispatch ?? ""),
    }));
  }

  /** @returns {HTMLInputElement | undefined} */
  get chosen() {
    return this.radios.find((radio) => radio.checked);
  }

  /** How the chosen agent is called, where that is a choice of its own; otherwise the chosen itself. */
  get way() {
    const chosen = this.chosen;
    return (chosen && waysOf(chosen).find((one) => one.checked)) ?? chosen;
  }

  /** What would be posted. */
  get audience() {
    return this.way?.dataset.way ?? this.way?.value ?? "";
  }

  /** What is chosen, for a later look whether it still is. */
  get standing() {
    return { value: this.chosen?.value ?? "", send: this.way?.dataset.send ?? "" };
  }

  get toAgent() {
    return this.chosen?.dataset.toAgent !== undefined;
  }

  /** Whether an agent hears what would be sent. @param {string} handle */
  includes(handle) {
    const { audience } = this;
    return audience === "everyone" || this.chosen?.dataset.agent === handle || audience.split(",").includes(`agent:${handle}`);
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

  /**
   * The choice, in the way in which words were meant before; if that is open no more nothing is chosen.
   * @param {string} audience
   * @param {string} dispatch
   */
  chooseAs(audience, dispatch) {
    const fits = (/** @type {HTMLInputElement} */ one) =>
      (one.dataset.way ?? one.value) === audience && (one.dataset.dispatch ?? "") === dispatch;
    const found = this.radios.flatMap((radio) => [...waysOf(radio), radio].filter(fits).map((way) => ({ radio, way })))[0];
    if (found) {
      found.way.checked = true;
      this.choose(found.radio.value);
    } else if (takesMore(dispatch)) {
      this.choose(audience);
    } else {
      this.lose("");
    }
  }

  /** Every agent is asked in its usual way again: another is meant each time. */
  calm() {
    for (const radio of this.radios) {
      const [first] = waysOf(radio);
      if (first) {
        first.checked = true;
      }
    }
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
    const now = this.standing;
    if (before.value && (!chosen || (written && now.value === before.value && now.send !== before.send))) {
      this.lose(before.send);
      return;
    }
    this.choose(came ? afterArrival(chosen?.value ?? "", written, this.options) : (chosen?.value ?? ""));
  }
}

/**
 * @param {HTMLInputElement} radio
 * @returns {HTMLInputElement[]} the ways in which the agent of a choice may be called, where there are several
 */
function waysOf(radio) {
  const place = radio.closest(".choice");
  return place ? all(place, "input[data-way]").filter((node) => node instanceof HTMLInputElement) : [];
}
