import assert from "node:assert/strict";
import { test } from "node:test";

import { afterArrival, afterSend, begin, dispatchOf, forReply, spoken, takesMore, valueOf } from "../../../collab/web/static/web/js/pure/choice.js";

const ALL = [
  { value: "participants", toAgent: false },
  { value: "active_agent", toAgent: true, agent: "mirror" },
  { value: "agent:scout", toAgent: true, agent: "scout" },
  { value: "everyone", toAgent: true },
  { value: "participant:sam", toAgent: false },
];

test("where others are the composer begins with people", () => {
  assert.equal(begin(ALL, true), "participants");
});

test("a person alone with an agent begins with the agent", () => {
  assert.equal(begin(ALL, false), "active_agent");
  assert.equal(begin(ALL.slice(0, 1), false), "participants");
});

test("who may only speak to one is offered that one", () => {
  assert.equal(begin(ALL.slice(4), true), "participant:sam");
  assert.equal(begin([], true), "");
});

test("after each send that an agent hears it falls back to people", () => {
  for (const sent of ["active_agent", "agent:scout", "everyone"]) {
    assert.equal(afterSend(sent, false, ALL, true), "participants");
  }
});

test("when others come an empty composer that stood on an agent begins with people", () => {
  for (const chosen of ["active_agent", "everyone"]) {
    assert.equal(afterArrival(chosen, false, ALL), "participants");
  }
});

test("when others come written words stay where they are, and what is for people stays with those", () => {
  assert.equal(afterArrival("active_agent", true, ALL), "active_agent");
  assert.equal(afterArrival("participant:sam", false, ALL), "participant:sam");
  assert.equal(afterArrival("", false, ALL), "");
});

test("a pin keeps the agent", () => {
  assert.equal(afterSend("active_agent", true, ALL, true), "active_agent");
});

test("a pin on somebody who has left keeps nothing", () => {
  assert.equal(afterSend("agent:gone", true, ALL, true), "participants");
});

test("what only people hear stays", () => {
  assert.equal(afterSend("participants", false, ALL, true), "participants");
  assert.equal(afterSend("participant:sam", false, ALL, true), "participant:sam");
});

test("alone with the agent it stays with the agent", () => {
  assert.equal(afterSend("active_agent", false, ALL, false), "active_agent");
});

const said = (/** @type {object} */ more) => ({ author: "sam", kind: "human", audience: "participants", targets: [], ...more });

test("a reply to an agent goes to that agent", () => {
  assert.equal(forReply(said({ author: "mirror", kind: "agent", audience: "everyone" }), "alex", ALL), "active_agent");
  assert.equal(forReply(said({ author: "scout", kind: "agent", audience: "everyone" }), "alex", ALL), "agent:scout");
});

test("a reply to an agent that cannot be called goes to no other", () => {
  assert.equal(forReply(said({ author: "gone", kind: "agent", audience: "everyone" }), "alex", ALL), "");
});

test("a reply to what one agent heard goes to it, by name or as the active one", () => {
  assert.equal(forReply(said({ audience: "agent", targets: ["mirror"] }), "alex", ALL), "active_agent");
  assert.equal(forReply(said({ audience: "agent", targets: ["gone"] }), "alex", ALL), "");
});

test("a reply does not open a session of its own", () => {
  const apart = [{ value: "agent:owl", toAgent: true, agent: "owl", takesMore: false }];
  const parent = said({ author: "owl", kind: "agent", audience: "everyone" });
  assert.equal(forReply(parent, "alex", apart), "");
  assert.equal(forReply(parent, "alex", apart.map((one) => ({ ...one, takesMore: true }))), "agent:owl");
});

test("only a session of its own is closed to what is said already", () => {
  assert.equal(takesMore(""), true);
  assert.equal(takesMore("future_turn"), true);
  for (const dispatch of ["child_session", "consult", "advisor"]) {
    assert.equal(takesMore(dispatch), false);
  }
});

test("a reply to a person keeps the class", () => {
  assert.equal(forReply(said({}), "alex", ALL), "participants");
  assert.equal(forReply(said({ audience: "everyone" }), "alex", ALL), "everyone");
  assert.equal(forReply(said({ audience: "agent", targets: ["scout"] }), "alex", ALL), "agent:scout");
});

test("a reply to a direct message goes to the other one, also from its own author", () => {
  assert.equal(forReply(said({ audience: "participant", targets: ["alex"] }), "alex", ALL), "participant:sam");
  const own = said({ author: "alex", audience: "participant", targets: ["sam"] });
  assert.equal(forReply(own, "alex", ALL), "participant:sam");
});

test("a reply to a direct message never widens to people, it changes nothing where that person is not offered", () => {
  assert.equal(forReply(said({ audience: "participant", author: "gone", targets: ["alex"] }), "alex", ALL), "");
});

test("a reply to a direct message among several goes to all of them, whoever wrote it", () => {
  const options = [...ALL, { value: "participant:mo", toAgent: false }, { value: "participant:vic", toAgent: false }];
  for (const [author, targets] of /** @type {const} */ ([["sam", ["mo", "alex"]], ["alex", ["mo", "sam"]]])) {
    const value = forReply(said({ author, audience: "participant", targets: [...targets] }), "alex", options);
    assert.equal(value, "participant:sam,participant:mo");
  }
});

test("of several those who are still there get it", () => {
  assert.equal(forReply(said({ audience: "participant", targets: ["alex", "gone"] }), "alex", ALL), "participant:sam");
});

test("a reply to what several agents heard goes to all of them", () => {
  const options = [...ALL, { value: "agent:pilot", toAgent: true }];
  assert.equal(forReply(said({ audience: "agent", targets: ["pilot", "scout"] }), "alex", options), "agent:scout,agent:pilot");
});

test("a choice of several goes out as a list, and comes back as one choice", () => {
  assert.deepEqual(spoken("participant:sam,participant:mo"), ["participant:sam", "participant:mo"]);
  assert.equal(spoken("participants"), "participants");
  assert.equal(valueOf(["agent:a", "agent:b"]), "agent:a,agent:b");
  assert.equal(valueOf("everyone"), "everyone");
});

test("agents that are named take a turn of their own, later; nobody else is asked so", () => {
  assert.equal(dispatchOf("agent:scout"), "future_turn");
  assert.equal(dispatchOf("agent:scout,agent:owl"), "future_turn");
  for (const value of ["active_agent", "participants", "everyone", "participant:agent", ""]) {
    assert.equal(dispatchOf(value), "");
  }
});
