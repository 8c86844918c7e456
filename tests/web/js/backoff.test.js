import assert from "node:assert/strict";
import { test } from "node:test";

import { delay } from "../../../collab/web/static/web/js/pure/backoff.js";

test("waits double and stay under a quarter of a minute", () => {
  const longest = [0, 1, 2, 3, 40].map((attempt) => delay(attempt, () => 1));
  assert.deepEqual(longest, [400, 800, 1600, 3200, 15000]);
});

test("pages that lost the line at one moment do not all come back at one moment", () => {
  assert.equal(delay(3, () => 0), 1600);
  assert.notEqual(delay(3, () => 0.2), delay(3, () => 0.9));
});
