/** How long to wait before the next try to connect. */

const FIRST = 400;
const LONGEST = 15000;

/**
 * Between half of the doubled wait and all of it, so that many pages do not come back at one moment.
 * @param {number} attempt how many tries have failed since the last success, from 0
 * @param {() => number} random a number from 0 up to 1
 * @returns {number} milliseconds
 */
export function delay(attempt, random) {
  const full = Math.min(LONGEST, FIRST * 2 ** Math.min(attempt, 16));
  return Math.round(full * (0.5 + random() / 2));
}
