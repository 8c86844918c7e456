/** Sends one message. The same key may go out any number of times: the server keeps one. */

import { spoken } from "../pure/choice.js";
import { failure } from "../pure/words.js";

/** Milliseconds until a post without an answer counts as lost; it goes out again under its key. */
const PATIENCE = 20000;

/**
 * @import { Wish } from "../pure/outbox.js"
 * @import { Message } from "../pure/types.js"
 *
 * @typedef {{message: Message} | {failure: {problem: string, again: boolean, byItself: boolean}, code: string}} Outcome
 */

/**
 * @param {string} session
 * @param {string} csrf
 * @param {Wish} wish
 * @returns {Promise<Outcome>}
 */
export async function post(session, csrf, wish) {
  /** @type {Response} */
  let answer;
  try {
    answer = await fetch(`/api/v1/sessions/${session}/messages`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRFToken": csrf },
      body: JSON.stringify(body(wish)),
      signal: AbortSignal.timeout(PATIENCE),
    });
  } catch {
    return { failure: failure(0, "", 0), code: "" };
  }
  const said = await answer.json().catch(() => ({}));
  if (answer.ok) {
    return { message: said };
  }
  const detail = typeof said.detail === "string" ? said.detail : "";
  const code = typeof said.code === "string" ? said.code : "";
  return { failure: failure(answer.status, detail, Number(answer.headers.get("Retry-After") ?? 0)), code };
}

/**
 * @param {Wish} wish
 * @returns {Record<string, unknown>}
 */
function body(wish) {
  return {
    text: wish.text,
    audience: spoken(wish.audience),
    client_key: wish.key,
    source: { client: "web", ...(wish.shortcut ? { shortcut: wish.shortcut } : {}) },
    ...(wish.delivery ? { delivery: wish.delivery } : {}),
    ...(wish.dispatch ? { dispatch: wish.dispatch } : {}),
    ...(wish.replyTo ? { reply_to: wish.replyTo } : {}),
  };
}
