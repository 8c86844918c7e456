import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { apply, applyTurn, parse, reconnect, start } from "../../../collab/web/static/web/js/pure/frames.js";

/** @import { Delivery, MessageFrame, Turn } from "../../../collab/web/static/web/js/pure/types.js" */

/** @param {number} seq @param {string} id @param {object} more @returns {MessageFrame} */
function message(seq, id, more = {}) {
  const author = { id: "alex", kind: "human", name: "Alex" };
  const known = { id, seq, session: "s", author, text: "hi", audience: "participants", targets: [], reply_to: null };
  const body = { ...known, answers: null, created_at: "", deleted_at: null, deliveries: [], ...more };
  return { type: "message", seq, message: body, html: `<article>${id}</article>` };
}

/** @param {number} step @param {string} word @returns {Delivery} */
function delivery(step, word) {
  return { id: "d", agent: "mirror", disposition: word, reason: "", retryable: false, turn: null, changed_at: "", step };
}

/** @param {object} more @returns {Turn} */
function turn(more = {}) {
  const known = { id: "t", agent: "mirror", state: "running", reason: "", retryable: false, input: "q" };
  return { ...known, attempts: [], ...more };
}

/** @param {number} n @param {string} text @param {number} attempt */
function piece(n, text, attempt = 1) {
  return /** @type {const} */ ({ type: "piece", turn: "t", agent: "mirror", input: "q", attempt, n, text });
}

const answer = { answers: "q", author: { id: "mirror", kind: "agent", name: "Mirror" } };

describe("parsing", () => {
  test("frames of unknown types are left alone", () => {
    assert.equal(parse('{"type":"hologram","seq":1}'), null);
    assert.equal(parse('{"type":"toString"}'), null);
  });

  test("nonsense is no frame", () => {
    for (const line of ["", "{", "null", "3", "[]", '{"type":3}', '{"type":"message","seq":1}']) {
      assert.equal(parse(line), null, line);
    }
  });

  test("unknown fields are tolerated", () => {
    assert.equal(parse('{"type":"ready","seq":4,"more":true}')?.type, "ready");
  });
});

describe("messages", () => {
  test("the cursor is the highest number seen, whatever the order", () => {
    const state = start(3);
    apply(state, message(9, "b"));
    apply(state, message(7, "a"));
    assert.equal(state.cursor, 9);
  });

  test("the same frame again does nothing", () => {
    const state = start(0);
    assert.equal(apply(state, message(1, "a")).length, 1);
    assert.deepEqual(apply(state, message(1, "a")), []);
  });

  test("an older state of a message never replaces a newer", () => {
    const state = start(0);
    apply(state, message(8, "a", { text: "edited" }));
    assert.deepEqual(apply(state, message(2, "a")), []);
  });

  test("a change of a message is put, but is no news", () => {
    const state = start(0);
    apply(state, message(1, "a"));
    const [change] = apply(state, message(5, "a", { text: "edited" }));
    assert.equal(change?.do === "put" && change.isNew, false);
  });
});

describe("dispositions", () => {
  const frame = (/** @type {number} */ seq, /** @type {Delivery} */ d) =>
    /** @type {const} */ ({ type: "disposition", seq, message: "q", delivery: d, html: d.disposition });

  test("each step is shown in order", () => {
    const state = start(0);
    const shown = ["accepted", "queued", "delivered", "responded"].flatMap((word, index) =>
      apply(state, frame(index + 2, delivery(index + 1, word))).map((change) => change.do === "fate" && change.html));
    assert.deepEqual(shown, ["accepted", "queued", "delivered", "responded"]);
  });

  test("a replay does not lead a fate back", () => {
    const state = start(0);
    apply(state, message(1, "q", { deliveries: [delivery(4, "responded")] }));
    assert.deepEqual(apply(state, frame(3, delivery(2, "queued"))), []);
    assert.deepEqual(apply(state, frame(4, delivery(4, "responded"))), []);
  });
});

describe("streamed answers", () => {
  test("pieces add up and the answer takes their place", () => {
    const state = start(0);
    apply(state, { type: "turn", seq: 1, turn: turn() });
    apply(state, piece(0, "I re"));
    const [change] = apply(state, piece(1, "peat"));
    assert.equal(change?.do === "stream" && change.stream.text, "I repeat");
    const changes = apply(state, message(4, "a", answer));
    assert.deepEqual(changes.map((one) => one.do), ["unstream", "put"]);
    assert.equal(state.streams.size, 0);
  });

  test("a piece that came before is not said twice", () => {
    const state = start(0);
    apply(state, piece(0, "one "));
    apply(state, piece(1, "two"));
    assert.deepEqual(apply(state, piece(1, "two")), []);
  });

  test("a later attempt starts afresh, and the broken one's late pieces count no more", () => {
    const state = start(0);
    apply(state, piece(0, "broken"));
    const [change] = apply(state, piece(0, "whole", 2));
    assert.equal(change?.do === "stream" && change.stream.text, "whole");
    assert.deepEqual(apply(state, piece(1, " off", 1)), []);
  });

  test("after a reconnect the first piece is all so far", () => {
    const state = start(0);
    apply(state, piece(0, "I re"));
    reconnect(state);
    const [change] = apply(state, piece(3, "I repeat what"));
    assert.equal(change?.do === "stream" && change.stream.text, "I repeat what");
    const [next] = apply(state, piece(4, " came"));
    assert.equal(next?.do === "stream" && next.stream.text, "I repeat what came");
  });

  test("what the server says no more after a reconnect goes away", () => {
    const state = start(0);
    apply(state, piece(0, "I re"));
    reconnect(state);
    assert.deepEqual(apply(state, { type: "ready", seq: 0 }).map((one) => one.do), ["unstream", "ready"]);
  });

  test("a stopped or failed turn's pieces vanish", () => {
    for (const ended of ["stopped", "failed"]) {
      const state = start(0);
      apply(state, piece(0, "half an ans"));
      const changes = applyTurn(state, turn({ state: ended }));
      assert.deepEqual(changes.map((one) => one.do), ["turn", "unstream"]);
      assert.deepEqual(apply(state, piece(1, "wer")), []);
    }
  });

  test("a finished turn's words stay until its answer comes", () => {
    const state = start(0);
    apply(state, piece(0, "all of it"));
    assert.deepEqual(applyTurn(state, turn({ state: "finished" })).map((one) => one.do), ["turn"]);
  });

  test("late news of a turn whose answer is there opens nothing again", () => {
    const state = start(0);
    apply(state, message(4, "a", answer));
    assert.deepEqual(applyTurn(state, turn()).map((one) => one.do), ["turn"]);
    assert.deepEqual(apply(state, piece(0, "I re")), []);
  });
});
