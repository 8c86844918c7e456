import assert from "node:assert/strict";
import { test } from "node:test";

import { command, hearing, named } from "../../../collab/web/static/web/js/pure/shortcuts.js";

const members = [
  { handle: "sam", name: "Sam", kind: "human" },
  { handle: "scout", name: "Scout", kind: "agent" },
];

for (const [token, value] of [["/human", "participants"], ["#lowkey", "participants"], ["/agent", "active_agent"]]) {
  test(`${token} at the very start, followed by a space, moves the choice and leaves the text`, () => {
    assert.deepEqual(hearing(`${token} hello there`, false), { do: "hear", token, value, rest: "hello there" });
  });
}

test("while it is typed a word that may go on is left alone; at the end it counts", () => {
  assert.equal(hearing("/human", false), null);
  assert.equal(hearing("/human", true)?.value, "participants");
  assert.equal(hearing("#lowkeyed up", false), null);
  assert.equal(hearing("/humane", true), null);
});

test("quoted, indented or later in the text it is ordinary text", () => {
  for (const text of ["> #lowkey no", " #lowkey no", "say #lowkey no", "`/human` no", '"/agent" no', "", "#LOW key"]) {
    assert.equal(hearing(text, true), null, text);
  }
});

test("the case of a token does not matter, the rest keeps its own spaces and lines", () => {
  assert.equal(hearing("#LowKey\n  two", false)?.rest, "  two");
});

test("a command is a command alone", () => {
  assert.deepEqual(command("/stop"), { do: "command", token: "/stop" });
  assert.deepEqual(command("/new "), { do: "command", token: "/new" });
  for (const text of ["/stop it", " /stop", "/stopp", "stop", "/human"]) {
    assert.equal(command(text), null, text);
  }
});

test("a name at the very start offers who it names, and nobody else", () => {
  assert.deepEqual(named("@sam hello", members), { do: "offer", token: "@sam", kind: "human", handle: "sam" });
  assert.deepEqual(named("@Scout, look", members), { do: "offer", token: "@Scout,", kind: "agent", handle: "scout" });
  for (const text of ["@sam", "hi @sam ", "@samuel hello", "@nobody hello"]) {
    assert.equal(named(text, members), null, text);
  }
});
