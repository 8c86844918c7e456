/** Bringing several messages to an agent: which there are, and what came of each. */

import { request } from "./deeds.js";

/**
 * @typedef {{id: string, revision: string}} Chosen
 * @typedef {{ok: boolean, status: number, detail: string}} Answer
 */

/**
 * One request for each, in order: each is changed for itself.
 * @param {Chosen[]} chosen
 * @param {string} audience
 * @param {string} reason
 * @returns {import("./deeds.js").Request[]}
 */
export function requests(chosen, audience, reason) {
  return chosen.map(({ id, revision }) => request("hearers", id, { audience, reason, revision }));
}

/**
 * @param {number} done
 * @param {number} of
 * @returns {string}
 */
export function progress(done, of) {
  return of === 1 ? "Bringing it…" : `Bringing ${done + 1} of ${of}…`;
}

/**
 * What is said at the end.
 * @param {number} brought
 * @param {number} failed
 * @returns {string}
 */
export function summary(brought, failed) {
  const done = brought === 1 ? "One message brought" : `${brought} messages brought`;
  if (failed === 0) {
    return done;
  }
  const kept = failed === 1 ? "one could not be and stays chosen" : `${failed} could not be and stay chosen`;
  return brought === 0 ? `None was brought: ${kept}` : `${done}; ${kept}`;
}

/**
 * @param {number} count
 * @returns {string}
 */
export function counted(count) {
  return count === 1 ? "1 chosen" : `${count} chosen`;
}
