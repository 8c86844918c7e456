/**
 * Days and shared heads, in the reader's own time zone (the rules of collab/web/presenters/rows.py).
 *
 * @typedef {{at: number, author: string, kind: string, answers: boolean}} Said
 * @typedef {{day: string, joined: boolean}} Laid `day` is empty where no line stands before it
 */

/**
 * @param {Said[]} said oldest first
 * @param {(at: number) => string} dayOf the name of a moment's day
 * @param {number} share milliseconds within which messages of one author share a head
 * @returns {Laid[]}
 */
export function lay(said, dayOf, share) {
  let before = "";
  return said.map((one, index) => {
    const day = dayOf(one.at);
    const isNew = day !== before;
    before = day;
    const last = said[index - 1];
    return { day: isNew ? day : "", joined: !isNew && last !== undefined && joins(last, one, share) };
  });
}

/**
 * @param {Said} before
 * @param {Said} one
 * @param {number} share
 * @returns {boolean}
 */
function joins(before, one, share) {
  return before.author === one.author && before.kind === one.kind && !one.answers && one.at - before.at < share;
}

/**
 * Before which of the rows on the page one with this number stands; -1 for the end.
 * @param {number[]} seqs ascending
 * @param {number} seq
 * @returns {number}
 */
export function place(seqs, seq) {
  return seqs.findIndex((other) => other > seq);
}
