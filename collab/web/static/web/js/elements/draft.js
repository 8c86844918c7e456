/** What is being written stays with the tab. */

/** @typedef {{text: string, audience: string, dispatch: string, replyTo: string, replyWords: string}} Draft */

/**
 * @param {string} place
 * @param {Draft} draft one without text and reply is none
 */
export function keepDraft(place, draft) {
  if (draft.text || draft.replyTo) {
    sessionStorage.setItem(place, JSON.stringify(draft));
  } else {
    sessionStorage.removeItem(place);
  }
}

/**
 * @param {string} place
 * @returns {Draft | null}
 */
export function keptDraft(place) {
  const kept = sessionStorage.getItem(place);
  const draft = kept ? /** @type {Partial<Draft>} */ (JSON.parse(kept)) : null;
  return draft ? { text: "", audience: "", dispatch: "", replyTo: "", replyWords: "", ...draft } : null;
}
