/** Who is here and what they may do: fetched again when it has changed, or may have. */

import { refresh, refreshChoices } from "./parts.js";

/** @import { EarshotSession } from "./session.js" */

const FRESH = 30000;

export class Members {
  /** @param {EarshotSession} session */
  constructor(session) {
    this.session = session;
    this.at = Date.now();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** Presence fades without a frame: whoever starts to write gets it anew. */
  mayHaveChanged() {
    if (Date.now() - this.at > FRESH) {
      this.changed();
    }
  }

  changed() {
    this.at = Date.now();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.fetch(), 300);
  }

  async fetch() {
    const { session } = this;
    await refresh(session.slug, "people");
    session.deeds?.settle(session);
    void session.bring?.named();
    const { value, send } = session.composer?.hearers?.standing ?? { value: "", send: "" };
    if (await refreshChoices(session.slug, value)) {
      session.composer?.gathered({ value, send });
    }
    session.waiting();
  }
}
