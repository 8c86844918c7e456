/** Stopping agents and starting them afresh. */

import { notDone } from "../pure/deeds.js";
import { send } from "../net/send.js";
import { nameOf } from "./agents.js";
import { button, sign } from "./dom.js";
import { csrf, tell } from "./outcome.js";
import { isMine, who } from "./who.js";

/** @import { Stream } from "../pure/frames.js" */

export class Turns {
  /** @param {HTMLElement} session */
  constructor(session) {
    this.session = session;
    document.addEventListener("keydown", (event) => this.key(event));
    session.addEventListener("submit", (event) => this.submitted(event));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === "." && event.ctrlKey && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      void this.stop();
    }
  }

  /** The forms in the list of agents. @param {Event} event */
  submitted(event) {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.dataset.turns) {
      return;
    }
    event.preventDefault();
    form.closest("details")?.removeAttribute("open");
    void (form.dataset.turns === "new" ? this.afresh() : this.stop("session"));
  }

  /** @param {string} [scope] `session` for all of it */
  async stop(scope) {
    const answer = await this.ask("stop", scope ? { scope } : {});
    if (answer.ok) {
      tell(answer.body.stopped ? "Stopped. No answer comes of it" : "Nothing of yours was running");
    }
  }

  async afresh() {
    const answer = await this.ask("new", undefined);
    if (answer.ok) {
      tell(answer.body.stopped ? "Stopped and started afresh" : "Started afresh");
    }
  }

  /** @param {string} what @param {Record<string, unknown> | undefined} body */
  async ask(what, body) {
    const path = `/api/v1/sessions/${this.session.dataset.session}/${what}`;
    const answer = await send({ method: "POST", path, ...(body ? { body } : {}) }, csrf());
    if (!answer.ok) {
      tell(notDone(answer.status, answer.detail));
    }
    return answer;
  }

  /**
   * A button on the row of a working agent, for whoever may stop that turn.
   * @param {HTMLElement} row
   * @param {Stream} stream
   */
  offer(row, stream) {
    const viewer = who();
    const asked = document.getElementById(`m-${stream.input}`);
    const may = viewer.may.has("stop") && (viewer.reaches || (asked !== null && isMine(asked, viewer)));
    const head = row.querySelector(".head");
    const before = head?.querySelector(".stop");
    if (!may) {
      before?.remove();
    } else if (head && !before) {
      const node = button("", "stop", () => void this.stop());
      node.append(sign("stop"), "Stop");
      node.setAttribute("aria-label", `Stop ${nameOf(stream.agent)}`);
      node.setAttribute("aria-keyshortcuts", "Control+.");
      node.title = "Ctrl+.";
      head.append(node);
    }
  }
}
