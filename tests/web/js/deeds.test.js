import assert from "node:assert/strict";
import { test } from "node:test";

import { counted, progress, requests, summary } from "../../../collab/web/static/web/js/pure/bring.js";
import { isTime, mayDo, notDone, request } from "../../../collab/web/static/web/js/pure/deeds.js";

const member = { may: new Set(["supersede", "reclassify", "post_agent"]), reaches: false, me: "sam" };
const moderator = { ...member, reaches: true };
const never = () => false;

/** @param {Partial<import("../../../collab/web/static/web/js/pure/deeds.js").Fate>} more */
const fate = (more) => ({ agent: "mirror", state: "", turn: "", old: false, ...more });

test("one's own takes what it takes of an author, what others said a role that reaches it", () => {
  const line = { own: "supersede", others: "supersede" };
  assert.equal(mayDo(line, true, member), true);
  assert.equal(mayDo(line, false, member), false);
  assert.equal(mayDo(line, false, moderator), true);
});

test("a right that is lacking takes the line away, and so does a line that is not for others at all", () => {
  assert.equal(mayDo({ own: "dispatch_agent" }, true, member), false);
  assert.equal(mayDo({ own: "" }, true, member), true);
  assert.equal(mayDo({ own: "" }, false, moderator), false);
});

test("only what waits can be withdrawn, and only what is over be sent again", () => {
  assert.equal(isTime("waits", [fate({ state: "waits" })], never), true);
  assert.equal(isTime("over", [fate({ state: "waits" })], never), false);
  assert.equal(isTime("over", [fate({ state: "over" })], never), true);
  assert.equal(isTime("waits", [fate({ state: "over" })], never), false);
  assert.equal(isTime("", [], never), true);
});

test("what is answered right now is not over, and an older delivery says nothing", () => {
  const runs = (/** @type {string} */ turn) => turn === "t1";
  assert.equal(isTime("over", [fate({ state: "over", turn: "t1" })], runs), false);
  assert.equal(isTime("over", [fate({ state: "over", old: true }), fate({ state: "waits" })], never), false);
  assert.equal(isTime("waits", [fate({ state: "waits", old: true }), fate({ state: "over" })], never), false);
});

test("each deed is one request", () => {
  assert.deepEqual(request("edit", "m", { text: "new", revision: "2" }), {
    method: "PATCH", path: "/api/v1/messages/m", body: { text: "new", revision: 2 },
  });
  assert.deepEqual(request("delete", "m", {}), { method: "DELETE", path: "/api/v1/messages/m" });
  assert.deepEqual(request("delete", "m", { reason: "spam" }).body, { reason: "spam" });
  assert.equal(request("withdraw", "m", {}).path, "/api/v1/messages/m/supersede");
  assert.equal(request("again", "m", {}).path, "/api/v1/messages/m/resend");
});

test("answers go along with what is taken back, and nowhere else", () => {
  const answers = "take_back";
  assert.deepEqual(request("delete", "m", { answers }).body, { answers });
  assert.deepEqual(request("delete", "m", { answers, reason: "spam" }).body, { answers, reason: "spam" });
  const hearers = (/** @type {string} */ audience) => request("hearers", "m", { audience, reason: "why", answers, revision: "1" }).body;
  assert.deepEqual(hearers("participants"), { audience: "participants", reason: "why", confirm: false, answers, revision: 1 });
  assert.equal("answers" in (hearers("everyone") ?? {}), false);
});

test("what is sent again names whom it was said to go to", () => {
  assert.deepEqual(request("again", "m", { agents: "scout" }).body, { agents: ["scout"] });
  assert.equal(request("again", "m", { agents: "" }).body, undefined);
});

test("towards an agent it is confirmed, towards people there is nothing to confirm", () => {
  const towards = (/** @type {string} */ audience) => request("hearers", "m", { audience, reason: "why", revision: "1" }).body;
  assert.deepEqual(towards("active_agent"), { audience: "active_agent", reason: "why", confirm: true, revision: 1 });
  assert.deepEqual(towards("participants"), { audience: "participants", reason: "why", confirm: false, revision: 1 });
  assert.deepEqual(towards("agent:scout"), {
    audience: "agent:scout", reason: "why", confirm: true, dispatch: "future_turn", revision: 1,
  });
  assert.deepEqual(towards("agent:scout,agent:owl")?.audience, ["agent:scout", "agent:owl"]);
});

test("what was not done says so, and why", () => {
  assert.match(notDone(0, ""), /no connection/);
  assert.equal(notDone(409, "Mirror has it already."), "Not done. Mirror has it already.");
  assert.match(notDone(503, "x"), /server had trouble/);
});

test("several are brought one by one, with one reason", () => {
  const found = requests([{ id: "a", revision: "1" }, { id: "b", revision: "3" }], "active_agent", "why");
  assert.deepEqual(found.map(({ path }) => path), ["/api/v1/messages/a/reclassify", "/api/v1/messages/b/reclassify"]);
  assert.deepEqual(found.map(({ body }) => body?.revision), [1, 3]);
});

test("progress and end are counted, and what failed is said to stay", () => {
  assert.equal(progress(1, 3), "Bringing 2 of 3…");
  assert.equal(summary(2, 0), "2 messages brought");
  assert.equal(summary(1, 1), "One message brought; one could not be and stays chosen");
  assert.equal(summary(0, 2), "None was brought: 2 could not be and stay chosen");
  assert.equal(counted(1), "1 chosen");
});
