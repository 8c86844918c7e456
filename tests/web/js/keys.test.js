import assert from "node:assert/strict";
import { test } from "node:test";

import { clientKey } from "../../../collab/web/static/web/js/pure/keys.js";

test("a key is a random UUID of version 4", () => {
  const key = clientKey((bytes) => bytes.fill(255));
  assert.equal(key, "ffffffff-ffff-4fff-bfff-ffffffffffff");
});

test("two keys differ", () => {
  const random = (/** @type {Uint8Array<ArrayBuffer>} */ bytes) => crypto.getRandomValues(bytes);
  assert.notEqual(clientKey(random), clientKey(random));
});
