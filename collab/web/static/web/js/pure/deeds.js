/**
 * What a viewer may do to a message, and the requests that do it. The server wrote beside each line of the menu what
 * it takes (collab/web/presenters/deeds.py); here it is only held against what this viewer may.
 *
 * @typedef {{may: Set<string>, reaches: boolean, me: string}} Who
 * @typedef {{own?: string, others?: string, when?: string}} Line
 * @typedef {{agent: string, state: string, turn: string, old: boolean}} Fate
 * @typedef {{method: string, path: string, body?: Record<string, unknown>}} Request
 */

import { dispatchOf, spoken } from "./choice.js";

/**
 * @param {Line} line
 * @param {boolean} mine whether the viewer said it
 * @param {Who} who
 * @returns {boolean}
 */
export function mayDo(line, mine, who) {
  const takes = mine ? line.own : line.others;
  return takes !== undefined && (mine || who.reaches) && takes.split(" ").filter(Boolean).every((word) => who.may.has(word));
}

/**
 * Whether a deed has something to work on.
 * @param {string} when `waits`, `over` or nothing
 * @param {Fate[]} fates
 * @param {(turn: string) => boolean} runs whether a turn is at work
 * @returns {boolean}
 */
export function isTime(when, fates, runs) {
  const newest = fates.filter((fate) => !fate.old);
  const waits = newest.some((fate) => fate.state === "waits");
  if (when === "waits") {
    return waits;
  }
  if (when === "over") {
    return !waits && !newest.some((fate) => runs(fate.turn)) && newest.some((fate) => fate.state === "over");
  }
  return true;
}

/**
 * The request behind a deed's form.
 * @param {string} deed
 * @param {string} id the message's
 * @param {Record<string, string>} fields
 * @returns {Request}
 */
export function request(deed, id, fields) {
  const path = `/api/v1/messages/${id}`;
  const revision = fields.revision ? { revision: Number(fields.revision) } : {};
  switch (deed) {
    case "edit":
      return { method: "PATCH", path, body: { text: fields.text ?? "", ...revision } };
    case "delete":
      return { method: "DELETE", path, ...given({ reason: fields.reason, answers: fields.answers }) };
    case "withdraw":
      return { method: "POST", path: `${path}/supersede` };
    case "again":
      return { method: "POST", path: `${path}/resend`, ...given({ agents: fields.agents ? fields.agents.split(" ") : "" }) };
    default:
      return { method: "POST", path: `${path}/reclassify`, body: { ...hearing(fields), ...revision } };
  }
}

/**
 * A body of what was given; none where nothing was.
 * @param {Record<string, string | string[] | undefined>} fields
 * @returns {{body?: Record<string, unknown>}}
 */
function given(fields) {
  const said = Object.entries(fields).filter(([, value]) => value);
  return said.length ? { body: Object.fromEntries(said) } : {};
}

/**
 * @param {Record<string, string>} fields
 * @returns {Record<string, unknown>}
 */
function hearing({ audience = "", reason = "", answers = "" }) {
  const dispatch = dispatchOf(audience);
  if (audience === "participants" && answers) {
    return { audience, reason, confirm: false, answers };
  }
  // The one button repeats whom it lets hear: pressing it is the confirmation.
  return { audience: spoken(audience), reason, confirm: audience !== "participants", ...(dispatch ? { dispatch } : {}) };
}

/** What is said once a deed is done. @type {Record<string, string>} */
export const DONE = {
  edit: "Saved",
  delete: "Deleted",
  withdraw: "Withdrawn",
  again: "Sent again",
  hearers: "Who hears it is changed",
};

/**
 * What is said where it was not: what happened, what was kept.
 * @param {number} status 0 for no answer at all
 * @param {string} detail the server's words, if it had some
 * @returns {string}
 */
export function notDone(status, detail) {
  if (status === 0) {
    return "Not done, there is no connection. Nothing was changed that we know of.";
  }
  if (status === 401) {
    return "Not done, you are signed out. Sign in, then try again.";
  }
  if (status >= 500) {
    return "Not done, the server had trouble.";
  }
  return `Not done. ${detail ? detail.charAt(0).toUpperCase() + detail.slice(1) : "The server refused it."}`;
}
