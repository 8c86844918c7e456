/** Whether the view follows what comes: only when it stood at the end. */

const NEAR = 48;

/**
 * @param {{scrollTop: number, clientHeight: number, scrollHeight: number}} box
 * @returns {boolean}
 */
export function isAtEnd(box) {
  return box.scrollHeight - box.scrollTop - box.clientHeight <= NEAR;
}
