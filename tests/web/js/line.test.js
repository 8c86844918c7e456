import assert from "node:assert/strict";
import { test } from "node:test";

import { Line } from "../../../collab/web/static/web/js/net/line.js";

function world() {
  /** @type {{onmessage: any, onclose: any, send(): void, close(): void}[]} */
  const sockets = [];
  /** @type {(() => void)[]} */
  const later = [];
  /** @type {number[]} */
  const attempts = [];
  /** @type {string[]} */
  const states = [];
  /** @type {string[]} */
  const lines = [];
  const line = new Line(
    {
      open: () => {
        const socket = { onmessage: null, onclose: null, send() {}, close() {} };
        sockets.push(socket);
        return socket;
      },
      later: (action) => void later.push(action),
      delay: (attempt) => {
        attempts.push(attempt);
        return 0;
      },
    },
    (data) => lines.push(data),
    (state) => states.push(state),
  );
  return { line, sockets, later, attempts, states, lines };
}

test("it is live only once the server has sent all that was missed", () => {
  const { line, sockets, states, lines } = world();
  line.start();
  sockets[0]?.onmessage({ data: "a" });
  assert.deepEqual([states, lines], [["connecting"], ["a"]]);
  line.settled();
  assert.deepEqual(states, ["connecting", "live"]);
});

test("it comes back, waiting longer each time, and starts over after a success", () => {
  const { line, sockets, later, attempts, states } = world();
  line.start();
  for (let n = 0; n < 3; n += 1) {
    sockets[n]?.onclose({ code: 1006 });
    later[n]?.();
  }
  assert.deepEqual(attempts, [0, 1, 2]);
  line.settled();
  sockets[3]?.onclose({ code: 1012 });
  assert.equal(attempts.at(-1), 0);
  assert.equal(states.at(-1), "reconnecting");
});

test("without access it says so and stays away", () => {
  for (const [code, state] of /** @type {const} */ ([[4401, "signed_out"], [4403, "gone"], [4404, "gone"]])) {
    const { line, sockets, later, states } = world();
    line.start();
    sockets[0]?.onclose({ code });
    line.hurry();
    assert.deepEqual([states.at(-1), later.length, sockets.length], [state, 0, 1]);
  }
});

test("one that was too fast waits much longer", () => {
  const { line, sockets, attempts } = world();
  line.start();
  sockets[0]?.onclose({ code: 4429 });
  assert.deepEqual(attempts, [4]);
});

test("an old socket's end does not count against the new one", () => {
  const { line, sockets, later, states } = world();
  line.start();
  sockets[0]?.onclose({ code: 1006 });
  line.hurry();
  sockets[0]?.onclose({ code: 1006 });
  later.forEach((action) => action());
  assert.equal(sockets.length, 2);
  assert.deepEqual(states, ["connecting", "reconnecting"]);
});
