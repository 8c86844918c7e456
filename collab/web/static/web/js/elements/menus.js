/** Quiet menus by keys: arrows walk through one, Escape leads back to where it was opened, Tab goes on past it. */

import { all, find } from "./dom.js";

const STEPS = ["ArrowDown", "ArrowUp", "Home", "End"];

/** Watches every menu of the page, those that come later too. */
export function watchMenus() {
  document.addEventListener("click", (event) => clicked(event));
  document.addEventListener("keydown", (event) => key(event));
  document.addEventListener("focusout", (event) => left(event));
  document.addEventListener("toggle", shown, true);
}

/** @param {EventTarget | null} except a node whose own menu stays open */
export function closeMenus(except) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!(except instanceof Node && menu.contains(except))) {
      menu.removeAttribute("open");
    }
  }
}

/** @param {MouseEvent} event */
function clicked(event) {
  closeMenus(event.target);
  const summary = event.target instanceof Element ? event.target.closest("details.menu > summary") : null;
  const menu = summary?.parentElement;
  // A key's click counts no presses of a button. The menu opens after it.
  if (menu && event.detail === 0 && !menu.hasAttribute("open")) {
    setTimeout(() => items(menu)[0]?.focus());
  }
}

/** @param {KeyboardEvent} event */
function key(event) {
  const target = event.target instanceof HTMLElement ? event.target : null;
  const menu = target?.closest("details.menu");
  if (!target || !menu) {
    return;
  }
  if (STEPS.includes(event.key) && (menu.hasAttribute("open") || target.matches("summary"))) {
    event.preventDefault();
    menu.setAttribute("open", "");
    step(items(menu), target, event.key)?.focus();
  } else if (event.key === "Escape" && menu.hasAttribute("open")) {
    event.stopPropagation();
    menu.removeAttribute("open");
    find(menu, "summary", HTMLElement)?.focus();
  } else if (event.key === "Tab") {
    menu.removeAttribute("open");
  } else if (event.key === " " && target instanceof HTMLAnchorElement) {
    event.preventDefault();
    target.click();
  }
}

/**
 * @param {HTMLElement[]} lines
 * @param {HTMLElement} from
 * @param {string} pressed
 * @returns {HTMLElement | undefined} where a key leads
 */
function step(lines, from, pressed) {
  const at = lines.indexOf(from);
  switch (pressed) {
    case "Home":
      return lines[0];
    case "End":
      return lines.at(-1);
    case "ArrowUp":
      return lines.at(at < 0 ? -1 : at - 1);
    default:
      return lines[(at + 1) % lines.length];
  }
}

/** Whoever goes elsewhere leaves no menu open. @param {FocusEvent} event */
function left(event) {
  const menu = event.target instanceof Element ? event.target.closest("details.menu[open]") : null;
  if (menu && event.relatedTarget instanceof Node && !menu.contains(event.relatedTarget)) {
    menu.removeAttribute("open");
  }
}

/** Its lines are one stop, and one at the foot of what scrolls is brought into view. @param {Event} event */
function shown(event) {
  if (event.target instanceof HTMLDetailsElement && event.target.open && event.target.matches(".menu")) {
    items(event.target).forEach((item) => (item.tabIndex = -1));
    find(event.target, ".menu-list", HTMLElement)?.scrollIntoView({ block: "nearest" });
  }
}

/** @param {Element} menu @returns {HTMLElement[]} those that are seen */
function items(menu) {
  return all(menu, ".menu-item").filter((item) => item.checkVisibility());
}
