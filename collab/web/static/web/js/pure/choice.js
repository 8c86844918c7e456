/**
 * Which audience the composer stands on. The rules of the page's own first choice
 * (collab/web/presenters/choices.py and reply.py), for what happens after it was loaded.
 *
 * @typedef {{value: string, toAgent: boolean}} Option
 * @typedef {{author: string, kind: string, audience: string, targets: string[]}} Parent
 */

/**
 * Where the composer begins: with people where others are, with the agent where a person is alone with it.
 * @param {Option[]} options
 * @param {boolean} hasOthers whether other people are members
 * @returns {string}
 */
export function begin(options, hasOthers) {
  const has = (/** @type {string} */ value) => options.some((option) => option.value === value);
  if (!hasOthers && has("active_agent")) {
    return "active_agent";
  }
  return has("participants") ? "participants" : options[0]?.value ?? "";
}

/**
 * Where it stands after a send: what reached an agent falls back, unless it is pinned.
 * @param {string} sent
 * @param {boolean} pinned
 * @param {Option[]} options
 * @param {boolean} hasOthers
 * @returns {string}
 */
export function afterSend(sent, pinned, options, hasOthers) {
  const option = options.find((one) => one.value === sent);
  return option && (pinned || !option.toAgent) ? sent : begin(options, hasOthers);
}

/**
 * Where a reply puts it: an agent's words to that agent, any other to its parent's class; else no change.
 * @param {Parent} parent
 * @param {string} me
 * @param {Option[]} options
 * @returns {string}
 */
export function forReply(parent, me, options) {
  const offered = new Set(options.map((option) => option.value));
  return wishes(parent, me).find((value) => offered.has(value)) ?? "";
}

/**
 * @param {Parent} parent
 * @param {string} me
 * @returns {string[]}
 */
function wishes(parent, me) {
  if (parent.kind === "agent") {
    return [`agent:${parent.author}`, "active_agent"];
  }
  if (parent.audience === "participant") {
    return [parent.author, ...parent.targets].filter((handle) => handle !== me).map((handle) => `participant:${handle}`);
  }
  if (parent.audience === "agent") {
    return parent.targets.map((handle) => `agent:${handle}`);
  }
  return [parent.audience];
}
