/**
 * Whom an agent waits for that asked another one within its turn: read off what lies on the page.
 *
 * @import { Turn } from "./types.js"
 *
 * What an agent asked; `at` in milliseconds, `name` of who was asked, `disposition` as it stands before that one.
 * @typedef {{id: string, author: string, at: number, name: string, disposition: string, answered: boolean}} Ask
 */

/** In which an answer may still come. */
const OPEN = ["accepted", "queued", "delivered"];

/**
 * @param {Turn} turn
 * @param {Ask[]} asks
 * @param {Turn[]} turns
 * @returns {string[]} the names of those whose answer it waits for
 */
export function waitsFor(turn, asks, turns) {
  if (turn.state !== "running") {
    return [];
  }
  const began = Date.parse(turn.started_at ?? "");
  const broken = new Set(turns.filter(({ state }) => state === "failed" || state === "stopped").map(({ input }) => input));
  const open = asks.filter((ask) => ask.author === turn.agent && ask.at >= began && !ask.answered && OPEN.includes(ask.disposition));
  return [...new Set(open.filter((ask) => !broken.has(ask.id)).map(({ name }) => name))];
}
