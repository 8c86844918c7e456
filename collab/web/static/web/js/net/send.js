/** One request to our own API, with its answer as words. */

/** Milliseconds until a request without an answer counts as lost. */
const PATIENCE = 20000;

/**
 * @import { Request } from "../pure/deeds.js"
 *
 * @typedef {{ok: boolean, status: number, detail: string, body: any}} Answer `status` is 0 where none came
 */

/**
 * @param {Request} request
 * @param {string} csrf
 * @returns {Promise<Answer>}
 */
export async function send({ method, path, body }, csrf) {
  try {
    const answer = await fetch(path, {
      method,
      headers: { "X-CSRFToken": csrf, ...(body ? { "Content-Type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(PATIENCE),
    });
    const said = await answer.json().catch(() => ({}));
    return { ok: answer.ok, status: answer.status, detail: typeof said.detail === "string" ? said.detail : "", body: said };
  } catch {
    return { ok: false, status: 0, detail: "", body: {} };
  }
}
