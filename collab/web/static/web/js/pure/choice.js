/**
 * Which audience the composer stands on. The rules of the page's own first choice
 * (collab/web/presenters/choices.py and reply.py), for what happens after it was loaded.
 *
 * `agent`: the handle of the one that alone is asked. `takesMore`: whether it is open to a reply, too; a choice that only
 * opens a session of its own is not.
 *
 * @typedef {{value: string, toAgent: boolean, agent?: string, takesMore?: boolean}} Option
 * @typedef {{author: string, kind: string, audience: string, targets: string[]}} Parent
 */

/** Between the names in the value of a choice that names several. */
const AND = ",";

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
 * Where it stands once others have come to whoever was alone: with words in it, and on anything but an agent, where it
 * stood; otherwise where it begins among others.
 * @param {string} chosen
 * @param {boolean} written whether something is written or replied to, or the choice is pinned
 * @param {Option[]} options
 * @returns {string}
 */
export function afterArrival(chosen, written, options) {
  const option = options.find((one) => one.value === chosen);
  return option?.toAgent && !written ? begin(options, true) : chosen;
}

/**
 * Where a reply puts it: an agent's words to that agent, a direct message's to all who have it, any other to its
 * parent's class. Of several, those who can still be spoken to; empty where nobody can.
 * @param {Parent} parent
 * @param {string} me
 * @param {Option[]} options
 * @returns {string}
 */
export function forReply(parent, me, options) {
  const open = options.filter((option) => option.takesMore !== false);
  const agent = agentOf(parent);
  if (agent) {
    return open.find((option) => option.agent === agent)?.value ?? "";
  }
  const wish = wishes(parent, me);
  return open.map(({ value }) => value).filter((value) => wish.includes(value)).join(AND);
}

/**
 * The audience that a choice's value stands for, as the contract writes it.
 * @param {string} value
 * @returns {string | string[]}
 */
export function spoken(value) {
  return value.includes(AND) ? value.split(AND) : value;
}

/**
 * How a choice's value asks its agents: by name they take a turn of their own, later. Nothing for any other.
 * @param {string} value
 * @returns {string}
 */
export function dispatchOf(value) {
  return value.startsWith("agent:") ? "future_turn" : "";
}

/**
 * Whether a mode is open to what is said already.
 * @param {string} dispatch
 * @returns {boolean}
 */
export function takesMore(dispatch) {
  return dispatch === "" || dispatch === "future_turn";
}

/**
 * The value of the choice that stands for an audience.
 * @param {string | string[]} audience
 * @returns {string}
 */
export function valueOf(audience) {
  return [audience].flat().join(AND);
}

/**
 * @param {Parent} parent
 * @returns {string} the one agent that a reply is for, by name or as the active one; empty where it is for others
 */
function agentOf(parent) {
  if (parent.kind === "agent") {
    return parent.author;
  }
  return parent.audience === "agent" && parent.targets.length === 1 ? parent.targets[0] ?? "" : "";
}

/**
 * @param {Parent} parent
 * @param {string} me
 * @returns {string[]}
 */
function wishes(parent, me) {
  if (parent.audience === "participant") {
    return [parent.author, ...parent.targets].filter((handle) => handle !== me).map((handle) => `participant:${handle}`);
  }
  if (parent.audience === "agent") {
    return parent.targets.map((handle) => `agent:${handle}`);
  }
  return [parent.audience];
}
