/** The words about the line to the server. */

import { CONNECTION } from "../pure/words.js";
import { find, make } from "./dom.js";

/** @import { State } from "../net/line.js" */

/**
 * @param {ParentNode} root
 * @param {State} state
 */
export function showConnection(root, state) {
  const place = find(root, "[data-connection]", HTMLElement);
  if (!place) {
    return;
  }
  place.hidden = false;
  place.dataset.state = state === "live" ? "live" : state === "signed_out" || state === "gone" ? "closed" : "waiting";
  const words = state === "reconnecting" && !navigator.onLine ? CONNECTION.offline : CONNECTION[state];
  place.replaceChildren(words ?? "");
  if (state === "signed_out") {
    const link = make("a", "", "Sign in again");
    link.href = `/sign-in/?next=${encodeURIComponent(location.pathname)}`;
    place.append(" ", link);
  }
}
