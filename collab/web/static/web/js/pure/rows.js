/**
 * Days and shared heads, in the reader's own time zone (the rules of collab/web/presenters/rows.py).
 *
 * @typedef {{at: number, author: string, kind: string, answers: boolean}} Said
 * @typedef {{day: string, joined: boolean}} Laid `day` is empty where no line stands before it
 */

const SHARE_A_HEAD = 5 * 60 * 1000;

/**
 * @param {Said[]} said oldest first
 * @param {(at: number) => string} dayOf the name of a moment's day
 * @returns {Laid[]}
 */
export function lay(said, dayOf) {
  let before = "";
  return said.map((one, index) => {
    const day = dayOf(one.at);
    const isNew = day !== before;
    before = day;
    const last = said[index - 1];
    return { day: isNew ? day : "", joined: !isNew && last !== undefined && joins(last, one) };
  });
}

/**
 * @param {Said} before
 * @param {Said} one
 * @returns {boolean}
 */
function joins(before, one) {
  return before.author === one.author && before.kind === one.kind && !one.answers && one.at - before.at < SHARE_A_HEAD;
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
