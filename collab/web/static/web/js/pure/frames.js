/**
 * What came over the socket, as changes to the page. Frames may come twice, after a reconnect or because the
 * page was rendered a moment after its number: each thing keeps the newest that it has shown.
 *
 * @import { Frame, Message, Turn } from "./types.js"
 *
 * @typedef {{turn: string, agent: string, input: string, attempt: number, n: number, text: string, begun: boolean, stale: boolean}} Stream
 * @typedef {{cursor: number, shown: Map<string, number>, steps: Map<string, number>, turns: Map<string, Turn>, streams: Map<string, Stream>, answered: Set<string>}} State
 *
 * @typedef {{do: "put", message: Message, html: string, isNew: boolean}} Put
 * @typedef {{do: "fate", id: string, message: string, html: string}} Fate
 * @typedef {{do: "stream", stream: Stream}} Streaming
 * @typedef {{do: "unstream", turn: string}} Unstream
 * @typedef {{do: "turn", turn: Turn}} TurnChange
 * @typedef {{do: "member"}} MemberChange
 * @typedef {{do: "ask"}} AskChange
 * @typedef {{do: "ready"}} Ready
 * @typedef {Put | Fate | Streaming | Unstream | TurnChange | MemberChange | AskChange | Ready} Change
 */

/**
 * @param {number} cursor the number up to which the page was rendered
 * @returns {State}
 */
export function start(cursor) {
  return { cursor, shown: new Map(), steps: new Map(), turns: new Map(), streams: new Map(), answered: new Set() };
}

const NEEDED = {
  message: ["seq", "message", "html"],
  disposition: ["seq", "message", "delivery", "html"],
  turn: ["seq", "turn"],
  member: ["seq", "member"],
  session: ["seq", "session"],
  ask: ["seq", "ask"],
  piece: ["turn", "agent", "input", "attempt", "n", "text"],
  ready: ["seq"],
};

/**
 * A frame of a known type with what it needs, or null: unknown types are for newer pages than this one.
 * @param {string} line
 * @returns {Frame | null}
 */
export function parse(line) {
  /** @type {unknown} */
  let value;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null || !("type" in value) || typeof value.type !== "string") {
    return null;
  }
  if (!Object.hasOwn(NEEDED, value.type)) {
    return null;
  }
  const type = /** @type {keyof typeof NEEDED} */ (value.type);
  const frame = /** @type {Record<string, unknown>} */ (value);
  return NEEDED[type].every((name) => name in frame) ? /** @type {Frame} */ (value) : null;
}

/**
 * Applies a frame to the state and says what is to be done on the page.
 * @param {State} state changed in place
 * @param {Frame} frame
 * @returns {Change[]}
 */
export function apply(state, frame) {
  if ("seq" in frame) {
    state.cursor = Math.max(state.cursor, frame.seq);
  }
  switch (frame.type) {
    case "message":
      return applyMessage(state, frame);
    case "disposition":
      return applyDisposition(state, frame);
    case "turn":
      return applyTurn(state, frame.turn);
    case "member":
    case "session":
      // Who is here, or what they may do: the page asks for both anew.
      return [{ do: "member" }];
    case "ask":
      return [{ do: "ask" }];
    case "piece":
      return applyPiece(state, frame);
    case "ready":
      return [...forgotten(state), { do: "ready" }];
  }
}

/**
 * @param {State} state
 * @param {import("./types.js").MessageFrame} frame
 * @returns {Change[]}
 */
function applyMessage(state, { seq, message, html }) {
  const before = state.shown.get(message.id);
  if (before !== undefined && before >= seq) {
    return [];
  }
  state.shown.set(message.id, seq);
  for (const delivery of message.deliveries) {
    note(state, delivery);
  }
  return [...endOfStream(state, message), { do: "put", message, html, isNew: before === undefined }];
}

/**
 * The whole answer takes the place of its pieces.
 * @param {State} state
 * @param {Message} message
 * @returns {Change[]}
 */
function endOfStream(state, message) {
  if (message.answers === null) {
    return [];
  }
  state.answered.add(`${message.author.id} ${message.answers}`);
  return [...state.streams.values()]
    .filter((stream) => stream.input === message.answers && stream.agent === message.author.id)
    .flatMap((stream) => unstream(state, stream.turn));
}

/**
 * @param {State} state
 * @param {import("./types.js").DispositionFrame} frame
 * @returns {Change[]}
 */
function applyDisposition(state, { message, delivery, html }) {
  return note(state, delivery) ? [{ do: "fate", id: delivery.id, message, html }] : [];
}

/**
 * Remembers how far a delivery has come; false for one that has come as far already.
 * @param {State} state
 * @param {import("./types.js").Delivery} delivery
 * @returns {boolean}
 */
export function note(state, delivery) {
  const step = delivery.step ?? Number.POSITIVE_INFINITY;
  const before = state.steps.get(delivery.id) ?? 0;
  if (delivery.step !== undefined && before >= step) {
    return false;
  }
  state.steps.set(delivery.id, delivery.step ?? before);
  return true;
}

/**
 * @param {State} state
 * @param {Turn} turn
 * @returns {Change[]}
 */
export function applyTurn(state, turn) {
  const before = state.turns.get(turn.id);
  state.turns.set(turn.id, turn);
  /** @type {Change[]} */
  const changes = [{ do: "turn", turn }];
  if (turn.state === "running") {
    if (state.answered.has(`${turn.agent} ${turn.input}`)) {
      return changes;
    }
    const again = before !== undefined && before.attempts.length < turn.attempts.length;
    return again || !state.streams.has(turn.id) ? [...changes, restart(state, turn.id, turn.agent, turn.input)] : changes;
  }
  // A finished turn's pieces stay until its answer comes; those of any other vanish at once.
  return turn.state === "finished" && state.streams.get(turn.id)?.begun ? changes : [...changes, ...unstream(state, turn.id)];
}

/**
 * Pieces of one attempt add up; a later attempt starts afresh. The first piece after a reconnect is all so far.
 * @param {State} state
 * @param {import("./types.js").PieceFrame} piece
 * @returns {Change[]}
 */
function applyPiece(state, { turn, agent, input, attempt, n, text }) {
  const known = state.turns.get(turn);
  if (state.answered.has(`${agent} ${input}`) || (known && known.state !== "running")) {
    return [];
  }
  const before = state.streams.get(turn);
  const goesOn = before !== undefined && before.begun && !before.stale && before.attempt === attempt;
  if ((goesOn && n <= before.n) || (before !== undefined && attempt < before.attempt)) {
    return [];
  }
  const stream = { turn, agent, input, attempt, n, text: goesOn ? before.text + text : text, begun: true, stale: false };
  state.streams.set(turn, stream);
  return [{ do: "stream", stream }];
}

/**
 * Call it before each connection: the server says again, whole, what is being said.
 * @param {State} state
 */
export function reconnect(state) {
  state.streams.forEach((stream) => {
    stream.stale = stream.begun;
  });
}

/**
 * Answers that were coming before the line broke and of which the server knows nothing now.
 * @param {State} state
 * @returns {Change[]}
 */
function forgotten(state) {
  return [...state.streams.values()].filter((stream) => stream.stale).flatMap((stream) => unstream(state, stream.turn));
}

/**
 * @param {State} state
 * @param {string} turn
 * @param {string} agent
 * @param {string} input
 * @returns {Change}
 */
function restart(state, turn, agent, input) {
  const stream = { turn, agent, input, attempt: 0, n: -1, text: "", begun: false, stale: false };
  state.streams.set(turn, stream);
  return { do: "stream", stream };
}

/**
 * @param {State} state
 * @param {string} turn
 * @returns {Change[]}
 */
function unstream(state, turn) {
  return state.streams.delete(turn) ? [{ do: "unstream", turn }] : [];
}
