import assert from "node:assert/strict";
import { test } from "node:test";

import { announcement, failure, only, turnWords, unheard, waitingWords } from "../../../collab/web/static/web/js/pure/words.js";

const names = /** @type {Record<string, string>} */ ({ sam: "Sam", mo: "Mo", alex: "Alex" });
const nameOf = (/** @type {string} */ handle) => names[handle] ?? handle;
const turn = { id: "t", agent: "mirror", state: "running", reason: "", retryable: false, input: "q", attempts: [] };
const failed = { n: 1, state: "failed", reason: "cut", retryable: true };

test("a direct message names the others and calls its reader you", () => {
  assert.equal(only(["sam", "alex"], "alex", nameOf), "Only Sam and you");
  assert.equal(only(["alex", "sam"], "sam", nameOf), "Only Alex and you");
  assert.equal(only(["sam", "mo", "alex"], "alex", nameOf), "Only Sam, Mo and you");
});

test("who waits is told what for", () => {
  assert.equal(waitingWords("Mirror", { busy: true, away: false }), "Waiting, Mirror is busy");
  assert.match(waitingWords("Scout", { busy: false, away: true }), /^Waiting, Scout is away/);
  assert.equal(waitingWords("Mirror", { busy: false, away: false }), "");
});

test("a turn says when it was interrupted, and which attempt it is at", () => {
  assert.equal(turnWords(turn, "Mirror", {}), "");
  assert.equal(turnWords({ ...turn, attempts: [failed] }, "Mirror", {}), "Interrupted, attempt 2 of 3");
});

test("a failed turn says why in the server's words, whatever the agent is called", () => {
  const ended = { ...turn, state: "failed", reason: "cut" };
  assert.equal(turnWords(ended, "$& {agent}", { cut: "the line to {agent} broke" }),
    "$& {agent} could not answer: the line to $& {agent} broke");
  assert.equal(turnWords({ ...ended, reason: "novel" }, "Mirror", {}), "Mirror could not answer");
});

test("a lost post says that it is kept and goes out by itself", () => {
  const lost = failure(0, "", 0);
  assert.match(lost.problem, /kept/);
  assert.deepEqual([lost.again, lost.byItself], [true, true]);
});

test("a refused one shows the server's words and is not tried again", () => {
  assert.deepEqual(failure(422, "text is empty.", 0), { problem: "Not sent. text is empty.", again: false, byItself: false });
});

test("one that came too fast says when", () => {
  assert.match(failure(429, "Too many.", 7).problem, /7 seconds/);
  assert.equal(failure(429, "Too many.", 7).byItself, false);
});

test("an announcement is one sentence with the words, cut where they are long", () => {
  const author = { id: "mirror", kind: "agent", name: "Mirror" };
  const known = { id: "m", seq: 1, session: "s", author, audience: "everyone", targets: [], reply_to: null };
  const message = { ...known, answers: "q", created_at: "", deleted_at: null, deliveries: [], text: "x".repeat(500) };
  assert.match(announcement(message), /^Mirror answered: x{240}…$/);
});

const agents = [{ handle: "mirror", name: "Mirror" }, { handle: "scout", name: "Scout the Second" }];

test("who names an agent to people is told that it will not hear", () => {
  assert.equal(unheard("ask @Mirror, will you?", agents), "Mirror will not hear this");
  assert.equal(unheard("@mirror and @scout", agents), "Mirror and Scout the Second will not hear this");
  assert.equal(unheard("@scout the second!", agents), "Scout the Second will not hear this");
});

test("who names nobody, or somebody else, is told nothing", () => {
  for (const text of ["", "the mirror is broken", "@mirrors", "@mirror-two", "@sam", "mail@example.org"]) {
    assert.equal(unheard(text, agents), "", text);
  }
});
