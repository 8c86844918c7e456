import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { announcement, failure, interrupted, listed, lost, only, turnWords, unheard, waitingWords, withYou } from "../../../collab/web/static/web/js/pure/words.js";

const names = /** @type {Record<string, string>} */ ({ sam: "Sam", mo: "Mo", alex: "Alex" });
const nameOf = (/** @type {string} */ handle) => names[handle] ?? handle;
const turn = { id: "t", agent: "mirror", state: "running", reason: "", retryable: false, input: "q", attempts: [] };
const says = {
  reasons: { cut: "the line to {agent} broke" },
  waiting: { away: "Waiting, {agent} is away", busy: "Waiting, {agent} is busy" },
  interrupted: "Interrupted, attempt {attempt} of 3",
  again: "Interrupted, trying again ({attempt} of 3)",
};
const failed = { n: 1, state: "failed", reason: "cut", retryable: true };

test("a direct message names the others and calls its reader you", () => {
  assert.equal(only(["sam", "alex"], "alex", nameOf), "Only Sam and you");
  assert.equal(only(["alex", "sam"], "sam", nameOf), "Only Alex and you");
  assert.equal(only(["sam", "mo", "alex"], "alex", nameOf), "Only Sam, Mo and you");
});

test("names are listed as the server lists them", () => {
  const cases = /** @type {[string[], string, string][]} */ (
    JSON.parse(readFileSync(new URL("listed.json", import.meta.url), "utf8")));
  for (const [list, words, andYou] of cases) {
    assert.deepEqual([listed(list), withYou(list)], [words, andYou]);
  }
});

test("who waits is told what for", () => {
  assert.equal(waitingWords("Mirror", { busy: true, away: false }, says), "Waiting, Mirror is busy");
  assert.match(waitingWords("Scout", { busy: false, away: true }, says), /^Waiting, Scout is away/);
  assert.equal(waitingWords("Mirror", { busy: false, away: false }, says), "");
});

test("a turn says when it was interrupted, and which attempt it is at", () => {
  const runs = (/** @type {number} */ n) => ({ n, state: "running", reason: "", retryable: false });
  assert.equal(turnWords(turn, "Mirror", says), "");
  assert.equal(turnWords({ ...turn, attempts: [runs(1)] }, "Mirror", says), "");
  assert.equal(turnWords({ ...turn, attempts: [failed] }, "Mirror", says), "Interrupted, trying again (2 of 3)");
  assert.equal(turnWords({ ...turn, attempts: [failed, runs(2)] }, "Mirror", says), "Interrupted, attempt 2 of 3");
  assert.equal(interrupted(3, says), "Interrupted, attempt 3 of 3");
  assert.equal(interrupted(1, says), "");
});

test("a failed turn says why in the server's words, whatever the agent is called", () => {
  const ended = { ...turn, state: "failed", reason: "cut" };
  assert.equal(turnWords(ended, "$& {agent}", says),
    "$& {agent} could not answer: the line to $& {agent} broke");
  assert.equal(turnWords({ ...ended, reason: "novel" }, "Mirror", says), "Mirror could not answer");
});

test("a lost post says that it is kept and goes out by itself", () => {
  const lost = failure(0, "", 0);
  assert.match(lost.problem, /kept/);
  assert.deepEqual([lost.again, lost.byItself], [true, true]);
});

test("a refused one shows the server's words and is not tried again", () => {
  assert.deepEqual(failure(422, "text is empty.", 0), { problem: "Not sent. Text is empty.", again: false, byItself: false });
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

test("what can be spoken to no more is named, and the text said to be kept", () => {
  assert.equal(lost("Ask Mirror", true), "“Ask Mirror” is not open to you any more. Your text is kept; choose who hears it.");
  assert.match(lost("", false), /^Whom this was for cannot be spoken to here now\. Your text is kept\.$/);
});
