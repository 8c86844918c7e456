import assert from "node:assert/strict";
import { test } from "node:test";

import { waitsFor } from "../../../collab/web/static/web/js/pure/asking.js";

const turn = { id: "t", agent: "mirror", state: "running", reason: "", retryable: false, input: "q", attempts: [], started_at: "2026-03-01T12:04:00.123Z" };
const ask = { id: "a", author: "mirror", at: Date.parse("2026-03-01T12:04:01+00:00"), name: "Archivist", disposition: "queued", answered: false };
const other = { ...turn, id: "o", agent: "archivist", input: "a" };

test("who asked another one in a running turn waits for it until it is answered", () => {
  for (const disposition of ["accepted", "queued", "delivered"]) {
    assert.deepEqual(waitsFor(turn, [{ ...ask, disposition }], [turn, other]), ["Archivist"]);
  }
  assert.deepEqual(waitsFor(turn, [{ ...ask, answered: true }], [turn]), []);
  assert.deepEqual(waitsFor({ ...turn, state: "finished" }, [ask], [turn]), []);
});

test("what never reaches the other one, or fails there, is waited for no longer", () => {
  for (const disposition of ["responded", "superseded", "rejected", "failed", "too_late", ""]) {
    assert.deepEqual(waitsFor(turn, [{ ...ask, disposition }], [turn]), []);
  }
  for (const state of ["failed", "stopped"]) {
    assert.deepEqual(waitsFor(turn, [{ ...ask, disposition: "delivered" }], [turn, { ...other, state }]), []);
  }
});

test("what another agent asked, or this one in an earlier turn, is none of this turn's", () => {
  assert.deepEqual(waitsFor(turn, [{ ...ask, author: "scout" }, { ...ask, at: ask.at - 60000 }], [turn]), []);
});

test("each is named once", () => {
  const asks = [ask, { ...ask, id: "b" }, { ...ask, id: "c", name: "Scribe" }];
  assert.deepEqual(waitsFor(turn, asks, [turn]), ["Archivist", "Scribe"]);
});
