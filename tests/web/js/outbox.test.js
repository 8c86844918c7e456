import assert from "node:assert/strict";
import { test } from "node:test";

import * as box from "../../../collab/web/static/web/js/pure/outbox.js";

const wish = { key: "k", text: "hi", audience: "participants", dispatch: "", words: "", tone: "", icon: "", replyTo: "" };
const lost = { problem: "no line", again: true, byItself: true };
const refused = { problem: "no", again: false, byItself: false };

test("a message leaves once the page shows it", () => {
  const items = box.sent(box.add([], wish), "k", "m1");
  assert.deepEqual(box.settle(items, { id: "m1", text: "hi" }), []);
});

test("a frame that is faster than the answer to the post settles it by its text", () => {
  assert.deepEqual(box.settle(box.add([], wish), { id: "m1", text: "hi" }), []);
});

test("somebody's other words settle nothing", () => {
  const items = box.sent(box.add([], wish), "k", "m1");
  assert.equal(box.settle(items, { id: "m2", text: "hi" }).length, 1);
  assert.equal(box.settle(box.add([], wish), { id: "m2", text: "ho" }).length, 1);
});

test("of two alike, one frame settles one", () => {
  const items = box.add(box.add([], wish), { ...wish, key: "k2" });
  assert.deepEqual(box.settle(items, { id: "m1", text: "hi" }).map((item) => item.key), ["k2"]);
});

test("only what got no answer goes out again by itself", () => {
  const items = box.failed(box.failed(box.add(box.add([], wish), { ...wish, key: "k2" }), "k", lost), "k2", refused);
  assert.deepEqual(box.waiting(items), ["k"]);
});

test("a retry goes out under the same key", () => {
  const items = box.sending(box.failed(box.add([], wish), "k", lost), "k");
  assert.deepEqual(items.map((item) => [item.key, item.state, item.problem]), [["k", "sending", ""]]);
});

test("what was on its way when the page was left goes out again, with its key", () => {
  const items = box.restore(JSON.stringify(box.add([], wish)));
  assert.deepEqual(box.waiting(items), ["k"]);
});

test("what was refused stays refused over a reload", () => {
  const items = box.restore(JSON.stringify(box.failed(box.add([], wish), "k", refused)));
  assert.deepEqual(items.map((item) => [item.state, item.problem]), [["failed", "no"]]);
});

test("a spoilt store is an empty one", () => {
  for (const kept of [null, "", "{", "{}", "[1,null]"]) {
    assert.deepEqual(box.restore(kept), [], String(kept));
  }
});

test("what is refused for how an agent is called comes back, and nothing else does", () => {
  for (const code of ["no_mode", "namespace", "depth", "children", "hops", "not_available", "over_budget"]) {
    assert.equal(box.comesBack(code), true, code);
  }
  for (const code of ["", "no_capability", "too_fast", "unavailable", "a_code_from_tomorrow"]) {
    assert.equal(box.comesBack(code), false, code);
  }
});
