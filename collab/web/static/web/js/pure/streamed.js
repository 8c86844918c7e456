/**
 * What comes in of an answer, laid as far as it can be told: the everyday part of what the server makes of a whole text
 * (collab/web/markdown.py), which takes its place at the end. It makes no HTML: only blocks and spans of plain text.
 *
 * @typedef {{tag: "p" | "pre" | "blockquote" | "h4" | "h5" | "h6" | "ul" | "ol", lines: string[], start: number, plain?: true}} Block
 * @typedef {{tag: "" | "strong" | "em" | "code" | "a", text: string}} Span
 */

/** Longer texts stay as they were typed, here as there. */
const LONGEST = 16384;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)[\s#]*$/;
const ITEM = /^ {0,3}(?:([-*+])|(\d{1,9})[.)])\s+(.*)$/;
const QUOTE = /^ {0,3}> ?(.*)$/;
/** Code, strong, emphasis, a link with its words and target, an escaped sign. A target may still be on its way. */
const SPAN = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|\[([^[\]]+)\]\(([^()\s]*)(?:\)|$)|\\([!-/:-@[-`{-~])/g;
const LEADS = /^(https?:\/\/|mailto:|#m-)/i;

/**
 * @param {string} text
 * @returns {Block[]}
 */
export function blocks(text) {
  if (text.length > LONGEST) {
    return [{ tag: "p", lines: text.split("\n"), start: 1, plain: true }];
  }
  /** @type {Block[]} */
  const found = [];
  let fence = "";
  let isNew = true;
  for (const line of text.split("\n")) {
    const last = found.at(-1);
    if (fence) {
      const ends = line.trim().startsWith(fence) && line.trim() === fence[0]?.repeat(line.trim().length);
      ends ? (fence = "") : last?.lines.push(line);
    } else if (FENCE.test(line)) {
      fence = FENCE.exec(line)?.[1] ?? "";
      found.push({ tag: "pre", lines: [], start: 1 });
      isNew = true;
      continue;
    } else if (line.trim() === "") {
      isNew = true;
      continue;
    } else {
      const block = of(line);
      const joins = last && last.tag === block.tag && (last.tag === "ul" || last.tag === "ol" || (!isNew && !last.tag.startsWith("h")));
      joins ? last.lines.push(...block.lines) : found.push(block);
    }
    isNew = false;
  }
  return found;
}

/**
 * A line as a block of its own; those that belong together are joined.
 * @param {string} line
 * @returns {Block}
 */
function of(line) {
  const heading = HEADING.exec(line);
  if (heading) {
    const tag = /** @type {"h4" | "h5" | "h6"} */ (`h${Math.min((heading[1] ?? "").length + 3, 6)}`);
    return { tag, lines: [heading[2] ?? ""], start: 1 };
  }
  const item = ITEM.exec(line);
  if (item) {
    return { tag: item[1] ? "ul" : "ol", lines: [item[3] ?? ""], start: Number(item[2] ?? 1) };
  }
  const quote = QUOTE.exec(line);
  return quote ? { tag: "blockquote", lines: [quote[1] ?? ""], start: 1 } : { tag: "p", lines: [line.trim()], start: 1 };
}

/**
 * A line's spans. A link is its words: its target leads somewhere once the answer is whole.
 * @param {string} line
 * @returns {Span[]}
 */
export function spans(line) {
  /** @type {Span[]} */
  const found = [];
  let at = 0;
  for (const match of line.matchAll(SPAN)) {
    const span = spanOf(match);
    if (span) {
      found.push({ tag: "", text: line.slice(at, match.index) }, span);
      at = match.index + match[0].length;
    }
  }
  found.push({ tag: "", text: line.slice(at) });
  return found.filter((span) => span.text !== "");
}

/**
 * @param {RegExpMatchArray} match
 * @returns {Span | null} null for what stays as it was typed
 */
function spanOf([whole, code, strong, em, words, target, escaped]) {
  if (code !== undefined) {
    return { tag: "code", text: code };
  }
  if (strong !== undefined || em !== undefined) {
    return { tag: strong === undefined ? "em" : "strong", text: strong ?? em ?? "" };
  }
  if (words !== undefined) {
    const leads = LEADS.test(target ?? "") || !whole.endsWith(")");
    return leads ? { tag: "a", text: words } : null;
  }
  return { tag: "", text: escaped ?? "" };
}
