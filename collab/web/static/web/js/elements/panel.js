/** The form of a deed, in its message: what will happen, the fields, one button, and a way to leave. */

import { DONE, notDone, request } from "../pure/deeds.js";
import { send } from "../net/send.js";
import { all, find, parse } from "./dom.js";
import { csrf, done } from "./outcome.js";

/** @type {WeakMap<HTMLElement, Panel>} by form, which moves along when its message is rendered anew */
const open = new WeakMap();

export class Panel {
  /** @param {HTMLFormElement} form @param {string} deed @param {string} href */
  constructor(form, deed, href) {
    this.form = form;
    this.deed = deed;
    this.href = href;
    this.busy = false;
    open.set(form, this);
    form.addEventListener("submit", (event) => void this.submitted(event));
    form.addEventListener("keydown", (event) => this.key(event));
    form.addEventListener("change", () => confirmWords(form));
    find(form, "[data-leave]", HTMLElement)?.addEventListener("click", (event) => {
      event.preventDefault();
      this.close();
    });
    find(form, "[data-keys]", HTMLElement)?.toggleAttribute("hidden", false);
    confirmWords(form);
  }

  /** @param {HTMLElement} article @returns {Panel | undefined} */
  static of(article) {
    const form = find(article, "form.panel", HTMLFormElement);
    return form ? open.get(form) : undefined;
  }

  /**
   * @param {HTMLElement} article
   * @param {string} deed
   * @param {string} href
   * @param {HTMLFormElement} form as it was fetched from there
   */
  static open(article, deed, href, form) {
    const now = document.getElementById(article.id) ?? article;
    now.dataset.doing = deed;
    now.querySelector(".foot")?.before(form);
    const panel = new Panel(form, deed, href);
    panel.focus();
    form.scrollIntoView({ block: "nearest" });
  }

  get article() {
    const article = this.form.closest(".message");
    return article instanceof HTMLElement ? article : null;
  }

  focus() {
    const first = find(this.form, "[data-first]", HTMLElement);
    first?.focus();
    if (first instanceof HTMLTextAreaElement) {
      first.setSelectionRange(first.value.length, first.value.length);
    }
  }

  /** What became of the message meanwhile may change what the deed will do. */
  async look() {
    const parts = all(this.form, "[data-ahead], [data-echo]");
    const fresh = parts.length ? await fetchForm(this.href) : null;
    for (const before of fresh ? parts : []) {
      const after = fresh ? find(fresh, before.dataset.echo === undefined ? "[data-ahead]" : "[data-echo]", HTMLElement) : null;
      // What the reader has decided stays decided; there may be something to decide only now.
      const [was, is] = [before, after].map((part) => part && find(part, "[name=answers]", HTMLInputElement));
      if (was && is) {
        is.checked = was.checked;
      }
      if (after && after.textContent !== before.textContent) {
        before.replaceChildren(...after.childNodes);
      }
    }
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.isComposing) {
      return;
    }
    const writes = event.target instanceof HTMLTextAreaElement;
    if (event.key === "Escape") {
      event.stopPropagation();
      this.close();
    } else if (event.key === "Enter" && writes && !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      this.form.requestSubmit();
    }
  }

  /** @param {SubmitEvent} event */
  async submitted(event) {
    event.preventDefault();
    const id = this.article?.dataset.id ?? "";
    if (this.busy) {
      return;
    }
    this.busy = true;
    const answer = await send(request(this.deed, id, fieldsOf(this.form)), csrf());
    this.busy = false;
    if (answer.ok) {
      this.close();
      done(DONE[this.deed] ?? "Done");
    } else {
      this.problem(notDone(answer.status, answer.detail));
    }
  }

  /** @param {string} words */
  problem(words) {
    const place = find(this.form, "[data-problem]", HTMLElement);
    if (place) {
      place.hidden = false;
      place.textContent = words;
    }
  }

  /** @param {boolean} focuses whether the reader goes back to the message */
  close(focuses = true) {
    const article = this.article;
    this.form.remove();
    if (article) {
      delete article.dataset.doing;
      if (focuses) {
        article.focus({ preventScroll: true });
      }
    }
  }
}

/**
 * @param {HTMLFormElement} form
 * @returns {Record<string, string>}
 */
export function fieldsOf(form) {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
}

/**
 * The words of the one button repeat the audience that was chosen.
 * @param {HTMLFormElement} form
 */
export function confirmWords(form) {
  const button = find(form, "[data-confirm-button]", HTMLButtonElement);
  const chosen = find(form, "input[name=audience]:checked", HTMLInputElement);
  if (button) {
    button.textContent = chosen?.dataset.confirm ?? button.dataset.unchosen ?? "";
    button.disabled = !chosen;
    button.dataset.tone = chosen?.dataset.tone ?? "";
  }
}

/**
 * @param {string} href
 * @returns {Promise<HTMLFormElement | null>}
 */
export async function fetchForm(href) {
  const address = new URL(href, location.href);
  address.searchParams.set("part", "");
  const answer = await fetch(address).catch(() => null);
  if (!answer?.ok || answer.redirected) {
    return null;
  }
  const form = parse(await answer.text());
  return form instanceof HTMLFormElement ? form : null;
}

/**
 * A message is rendered anew: its open form goes along, with what is written in it and where the reader stands.
 * @param {HTMLElement} before
 * @param {HTMLElement} article
 */
export function carry(before, article) {
  const panel = Panel.of(before);
  if (!panel || article.dataset.deleted !== undefined) {
    return;
  }
  const focused = document.activeElement;
  const inside = focused instanceof HTMLElement && panel.form.contains(focused) ? focused : null;
  article.dataset.doing = panel.deed;
  article.querySelector(".foot")?.before(panel.form);
  queueMicrotask(() => inside?.focus({ preventScroll: true }));
}
