/** Whether the view follows what comes: only when it stood at the end. */

const NEAR = 48;

/**
 * @param {{scrollTop: number, clientHeight: number, scrollHeight: number}} box
 * @returns {boolean}
 */
export function isAtEnd(box) {
  return box.scrollHeight - box.scrollTop - box.clientHeight <= NEAR;
}

/**
 * Whether it still follows after a scroll. The event comes late: by then a new row may stand below an end that
 * was reached, so only a move upwards is a reader's wish to stay behind.
 * @param {boolean} follows
 * @param {number} lastTop where it stood at the scroll before
 * @param {{scrollTop: number, clientHeight: number, scrollHeight: number}} box
 * @returns {boolean}
 */
export function stillFollows(follows, lastTop, box) {
  return isAtEnd(box) || (follows && box.scrollTop >= lastTop);
}
