import assert from "node:assert/strict";
import { test } from "node:test";

import { isAtEnd, stillFollows } from "../../../collab/web/static/web/js/pure/follow.js";
import { lay, place } from "../../../collab/web/static/web/js/pure/rows.js";

const MINUTE = 60000;
const dayOf = (/** @type {number} */ at) => new Date(at).toISOString().slice(0, 10);
const said = (/** @type {number} */ at, more = {}) => ({ at, author: "sam", kind: "human", answers: false, ...more });
const joined = (/** @type {import("../../../collab/web/static/web/js/pure/rows.js").Said[]} */ list) =>
  lay(list, dayOf, 5 * MINUTE).map((one) => one.joined);

test("messages of one author within five minutes share a head", () => {
  assert.deepEqual(joined([said(0), said(4 * MINUTE), said(8 * MINUTE), said(13 * MINUTE)]), [false, true, true, false]);
});

test("another author, an answer and a new day have their own", () => {
  assert.deepEqual(joined([said(0), said(1, { author: "mo" })]), [false, false]);
  assert.deepEqual(joined([said(0, { kind: "agent" }), said(1, { kind: "agent", answers: true })]), [false, false]);
  assert.deepEqual(joined([said(24 * 60 * MINUTE - 1), said(24 * 60 * MINUTE)]), [false, false]);
});

test("a person and an agent of one name do not share", () => {
  assert.deepEqual(joined([said(0), said(1, { kind: "agent" })]), [false, false]);
});

test("each day has one line", () => {
  const days = lay([said(0), said(MINUTE), said(24 * 60 * MINUTE)], dayOf, 5 * MINUTE).map((one) => one.day);
  assert.deepEqual(days, ["1970-01-01", "", "1970-01-02"]);
});

test("rows stand by number, late ones too", () => {
  assert.equal(place([1, 4, 9], 5), 2);
  assert.equal(place([1, 4, 9], 10), -1);
  assert.equal(place([], 1), -1);
});

test("the view follows only from its end", () => {
  assert.equal(isAtEnd({ scrollTop: 500, clientHeight: 400, scrollHeight: 900 }), true);
  assert.equal(isAtEnd({ scrollTop: 300, clientHeight: 400, scrollHeight: 900 }), false);
});

test("a row that comes before the scroll event does not end following, a move upwards does", () => {
  const grown = { scrollTop: 500, clientHeight: 400, scrollHeight: 1100 };
  assert.equal(stillFollows(true, 500, grown), true);
  assert.equal(stillFollows(true, 640, grown), false);
  assert.equal(stillFollows(false, 400, grown), false);
  assert.equal(stillFollows(false, 400, { ...grown, scrollTop: 690 }), true);
});
