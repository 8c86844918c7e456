import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { blocks, spans } from "../../../collab/web/static/web/js/pure/streamed.js";

/** @type {[string, string][]} what the server's renderer is held to as well (tests/web/test_markdown.py) */
const SAME = JSON.parse(readFileSync(new URL("./streamed.json", import.meta.url), "utf8"));

const plain = (/** @type {string} */ text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
const line = (/** @type {string} */ text) =>
  spans(text).map(({ tag, text: words }) => (tag ? `<${tag}>${plain(words)}</${tag}>` : plain(words))).join("");

/** @param {string} text @returns {string} as the page builds it out of nodes */
function html(text) {
  return blocks(text).map(({ tag, lines }) => {
    if (tag === "pre") {
      return `<pre><code>${plain(lines.map((one) => `${one}\n`).join(""))}</code></pre>`;
    }
    const inner = tag === "ul" || tag === "ol" ? lines.map((one) => `<li>${line(one)}</li>`).join("") : lines.map(line).join("<br>");
    return tag === "blockquote" ? `<${tag}><p>${inner}</p></${tag}>` : `<${tag}>${inner}</${tag}>`;
  }).join("");
}

for (const [text, wanted] of SAME) {
  test(`while it comes it looks as it will when it is whole: ${JSON.stringify(text).slice(0, 40)}`, () => {
    assert.equal(html(text), wanted);
  });
}

test("a link's target is out of sight before it is whole, and leads nowhere yet", () => {
  assert.deepEqual(spans("([my earlier answer](#m-0f"), [{ tag: "", text: "(" }, { tag: "a", text: "my earlier answer" }]);
  assert.deepEqual(spans("[just a bracket"), [{ tag: "", text: "[just a bracket" }]);
});

test("code that is not closed yet is code", () => {
  assert.deepEqual(blocks("```\nlet x"), [{ tag: "pre", lines: ["let x"], start: 1 }]);
});

test("what is laid already stays as it is while more comes, block for block", () => {
  const whole = "# Title\n\nfirst\nlines\n\n- a\n- b\n\n```\ncode\n```\n\nlast";
  for (let end = 1; end < whole.length; end += 1) {
    const now = blocks(whole.slice(0, end)).slice(0, -1);
    assert.deepEqual(blocks(whole).slice(0, now.length).map(({ tag }) => tag), now.map(({ tag }) => tag));
  }
});

test("a very long text stays as it was typed", () => {
  assert.equal(blocks("# x\n".repeat(5000)).length, 1);
});
