/**
 * What may stand at the very start of a message in place of a choice (specification B, "Client shortcuts"). It is
 * translated before the reader's eyes, never by the server; anywhere else it is ordinary text.
 *
 * @typedef {{do: "hear", token: string, value: string, rest: string}} Hear
 * @typedef {{do: "command", token: string}} Command
 * @typedef {{do: "offer", token: string, kind: string, handle: string}} Offer
 */

/** @type {Record<string, string>} */
const HEARERS = { "/human": "participants", "#lowkey": "participants", "/agent": "active_agent" };
const COMMANDS = ["/stop", "/new"];

/**
 * The shortcut at the start of a text; while it is being typed only one that a space follows.
 * @param {string} text
 * @param {boolean} complete whether the text ends here, as when it is sent
 * @returns {Hear | null}
 */
export function hearing(text, complete) {
  const token = first(text);
  const value = HEARERS[token.toLowerCase()];
  const ends = text.length === token.length;
  if (value === undefined || (ends && !complete)) {
    return null;
  }
  return { do: "hear", token, value, rest: text.slice(token.length).replace(/^\s/, "") };
}

/**
 * A text that is a command and nothing else.
 * @param {string} text
 * @returns {Command | null}
 */
export function command(text) {
  const token = text.trim().toLowerCase();
  return COMMANDS.includes(token) && text.startsWith("/") ? { do: "command", token } : null;
}

/**
 * Whom a name at the very start may be meant for: a choice is offered, nothing is moved.
 * @param {string} text
 * @param {{handle: string, name: string, kind: string}[]} members
 * @returns {Offer | null}
 */
export function named(text, members) {
  const token = first(text);
  if (!token.startsWith("@") || text.length === token.length) {
    return null;
  }
  const word = token.slice(1).replace(/[,:;.!?]+$/, "").toLowerCase();
  const found = members.find(({ handle, name }) => [handle, name].some((one) => one.toLowerCase() === word));
  if (!found) {
    return null;
  }
  return { do: "offer", token, kind: found.kind, handle: found.handle };
}

/**
 * @param {string} text
 * @returns {string}
 */
function first(text) {
  return /^\S+/.exec(text)?.[0] ?? "";
}
