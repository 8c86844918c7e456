/**
 * What was sent and is not yet on the page. Kept in the tab's storage under each message's one client key:
 * after a reload or a broken line the same wish goes out again, and the server knows it for the same.
 *
 * @typedef {{key: string, text: string, audience: string, dispatch: string, words: string, tone: string, icon: string, replyTo: string, delivery?: string, shortcut?: string}} Wish
 * @typedef {Wish & {state: "sending" | "sent" | "failed", id: string, problem: string, again: boolean, byItself: boolean}} Item
 */

/** Refusals about how an agent is called: the same goes out no better, other hearers may. */
const CALLED = new Set(["no_mode", "namespace", "depth", "children", "hops", "not_available", "over_budget"]);

/**
 * Whether a refused message goes back to be sent to others, or in another way.
 * @param {string} code
 * @returns {boolean}
 */
export function comesBack(code) {
  return CALLED.has(code);
}

/**
 * @param {Item[]} items
 * @param {Wish} wish
 * @returns {Item[]}
 */
export function add(items, wish) {
  return [...items, { ...wish, state: "sending", id: "", problem: "", again: false, byItself: false }];
}

/**
 * The server has it; it stays until the page shows it.
 * @param {Item[]} items
 * @param {string} key
 * @param {string} id
 * @returns {Item[]}
 */
export function sent(items, key, id) {
  return change(items, key, { state: "sent", id, problem: "", again: false, byItself: false });
}

/**
 * @param {Item[]} items
 * @param {string} key
 * @param {{problem: string, again: boolean, byItself: boolean}} failure
 * @returns {Item[]}
 */
export function failed(items, key, failure) {
  return change(items, key, { state: "failed", ...failure });
}

/**
 * @param {Item[]} items
 * @param {string} key
 * @returns {Item[]}
 */
export function sending(items, key) {
  return change(items, key, { state: "sending", problem: "", again: false, byItself: false });
}

/**
 * @param {Item[]} items
 * @param {string} key
 * @returns {Item[]}
 */
export function remove(items, key) {
  return items.filter((item) => item.key !== key);
}

/**
 * Takes out what the page shows now. A frame may be faster than the answer to its post: then the text tells.
 * @param {Item[]} items
 * @param {{id: string, text: string}} message one by this person
 * @returns {Item[]}
 */
export function settle(items, message) {
  const found = items.find((item) => item.id === message.id)
    ?? items.find((item) => item.id === "" && item.text === message.text);
  return found ? remove(items, found.key) : items;
}

/**
 * The keys that go out again by themselves once there is a line: only what never got an answer.
 * @param {Item[]} items
 * @returns {string[]}
 */
export function waiting(items) {
  return items.filter((item) => item.state === "failed" && item.byItself).map((item) => item.key);
}

/**
 * What a reloaded page finds: whatever was on its way has no answer any more.
 * @param {string | null} kept
 * @returns {Item[]}
 */
export function restore(kept) {
  /** @type {unknown} */
  let value;
  try {
    value = JSON.parse(kept ?? "[]");
  } catch {
    return [];
  }
  const items = /** @type {Item[]} */ (Array.isArray(value) ? value.filter((one) => typeof one?.key === "string") : []);
  return items.map((item) => (item.state === "sending" ? { ...item, state: "failed", again: true, byItself: true } : item));
}

/**
 * @param {Item[]} items
 * @param {string} key
 * @param {Partial<Item>} changes
 * @returns {Item[]}
 */
function change(items, key, changes) {
  return items.map((item) => (item.key === key ? { ...item, ...changes } : item));
}
