/** Room left beside what was brought into view, so that its neighbour shows that there is more. */
const ROOM = 32;

/**
 * Scrolls a row sideways, and nothing else, until a part of it is seen whole.
 * @param {Element} row
 * @param {Element} part
 */
export function reveal(row, part) {
  const [edge, at] = [row.getBoundingClientRect(), part.getBoundingClientRect()];
  if (at.left < edge.left) {
    row.scrollLeft += at.left - edge.left - ROOM;
  } else if (at.right > edge.right) {
    row.scrollLeft += at.right - edge.right + ROOM;
  }
}
