/**
 * Sentences that only a running page can say.
 *
 * @import { Turn, Message } from "./types.js"
 *
 * The server's own words and templates (collab/web/presenters/live.py), so that each stands in one place.
 * @typedef {{reasons: Record<string, string>, waiting: {away: string, busy: string}, interrupted: string, again: string}} Says
 */

/**
 * The rule of messaging/domain/wording.py; one table of cases holds the two together.
 * @param {string[]} names
 * @param {number} atMost
 * @returns {string}
 */
export function listed(names, atMost = 4) {
  if (names.length > atMost) {
    return `${names.slice(0, atMost - 1).join(", ")} and ${names.length - atMost + 1} more`;
  }
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
}

/**
 * The reader comes last, and is never among those who are only counted.
 * @param {string[]} names
 * @returns {string}
 */
export function withYou(names) {
  return names.length > 3 ? `${names.slice(0, 2).join(", ")}, ${names.length - 2} more and you` : listed([...names, "you"]);
}

/**
 * "Only Sam and you": the reader comes last and is called you.
 * @param {string[]} handles who may see it
 * @param {string} me
 * @param {(handle: string) => string} nameOf
 * @returns {string}
 */
export function only(handles, me, nameOf) {
  const others = [...new Set(handles)].filter((handle) => handle !== me).map(nameOf);
  return `Only ${handles.includes(me) ? withYou(others) : listed(others)}`;
}

/**
 * The words of the pill that leads to what came while one read further up.
 * @param {number} count
 * @returns {string}
 */
export function fresh(count) {
  return `${count} new`;
}

/**
 * What is said aloud, once, when a message is complete.
 * @param {Message} message
 * @returns {string}
 */
export function announcement(message) {
  const said = message.text.length > 240 ? `${message.text.slice(0, 240)}…` : message.text;
  return `${message.author.name} ${message.answers ? "answered" : "said"}: ${said}`;
}

/** What stands on the line about the connection. @type {Record<string, string>} */
export const CONNECTION = {
  connecting: "Connecting…",
  live: "Live",
  reconnecting: "Reconnecting…",
  offline: "No network. What you write is kept",
  signed_out: "You are signed out.",
  gone: "You are no longer in this session.",
};

/**
 * What is said of a turn beside its input; empty where its delivery says it all.
 * @param {Turn} turn
 * @param {string} name the agent's
 * @param {Says} says
 * @returns {string}
 */
export function turnWords(turn, name, says) {
  if (turn.state === "running") {
    return attemptWords(turn, says);
  }
  if (turn.state === "stopped") {
    return `${name} was stopped and gave no answer`;
  }
  if (turn.state !== "failed") {
    return "";
  }
  const reason = filled(says.reasons[turn.reason] ?? "", { agent: name });
  return reason ? `${name} could not answer: ${reason}` : `${name} could not answer`;
}

/**
 * @param {Turn} turn
 * @param {Says} says
 * @returns {string}
 */
function attemptWords(turn, says) {
  const last = turn.attempts[turn.attempts.length - 1];
  if (last?.state === "failed") {
    return filled(says.again, { attempt: last.n + 1 });
  }
  return last ? interrupted(last.n, says) : "";
}

/**
 * Empty for the first attempt, which interrupts nothing.
 * @param {number} attempt the one that runs
 * @param {Says} says
 * @returns {string}
 */
export function interrupted(attempt, says) {
  return attempt > 1 ? filled(says.interrupted, { attempt }) : "";
}

/**
 * What waits, and for what. Empty where nothing more is known than the row itself says.
 * @param {string} name
 * @param {{busy: boolean, away: boolean}} agent
 * @param {Says} says
 * @returns {string}
 */
export function waitingWords(name, agent, says) {
  const words = agent.away ? says.waiting.away : agent.busy ? says.waiting.busy : "";
  return filled(words, { agent: name });
}

/**
 * @param {string} words with `{key}` where a value stands
 * @param {Record<string, string | number>} values
 * @returns {string}
 */
function filled(words, values) {
  return Object.entries(values).reduce((text, [key, value]) => text.replaceAll(`{${key}}`, () => String(value)), words);
}

/**
 * What a refused or lost post says: what happened, what was kept, what to do.
 * @param {number} status 0 for no answer at all
 * @param {string} detail the server's words, if it had some
 * @param {number} wait seconds until it may go again
 * @returns {{problem: string, again: boolean, byItself: boolean}}
 */
export function failure(status, detail, wait) {
  if (status === 0) {
    return { problem: "Not sent, there is no connection. It is kept and goes out when there is one.", again: true, byItself: true };
  }
  if (status === 401) {
    return { problem: "Not sent, you are signed out. It is kept here; sign in, then try again.", again: true, byItself: false };
  }
  if (status === 429) {
    const when = wait > 0 ? ` Try again in ${wait} seconds.` : " Try again in a moment.";
    return { problem: `Not sent. ${sentence(detail)}${when}`, again: true, byItself: false };
  }
  if (status >= 500) {
    return { problem: "Not sent, the server had trouble. It is kept here.", again: true, byItself: false };
  }
  return { problem: `Not sent. ${sentence(detail) || "The server refused it."}`, again: false, byItself: false };
}

/**
 * Details may begin with the name of a field.
 * @param {string} words
 * @returns {string}
 */
function sentence(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * Said while one writes to people and names an agent: naming it tells it nothing.
 * @param {string} text
 * @param {{handle: string, name: string}[]} agents
 * @returns {string} empty where no agent is named
 */
export function unheard(text, agents) {
  const said = text.toLowerCase();
  const named = agents.filter(({ handle, name }) => [handle, name].some((word) => names(said, word.toLowerCase())));
  return named.length ? `${listed(named.map(({ name }) => name))} will not hear this` : "";
}

/**
 * Said where what was chosen can be spoken to no more.
 * @param {string} before the words of its button; empty where they are not known
 * @param {boolean} others whether anybody else can be
 * @returns {string}
 */
export function lost(before, others) {
  const what = before ? `“${before}” is not open to you any more` : "Whom this was for cannot be spoken to here now";
  return `${what}. Your text is kept${others ? "; choose who hears it" : ""}.`;
}

/**
 * @param {string} text
 * @param {string} word
 * @returns {boolean}
 */
function names(text, word) {
  const at = text.indexOf(`@${word}`);
  return at >= 0 && !/[\w-]/.test(text.charAt(at + word.length + 1));
}
