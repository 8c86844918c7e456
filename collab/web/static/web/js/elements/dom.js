/** Finding and making nodes, with their types. */

/**
 * @template {Element} T
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new (...args: any[]) => T} type
 * @returns {T | null}
 */
export function find(root, selector, type) {
  const found = root.querySelector(selector);
  return found instanceof type ? found : null;
}

/**
 * @param {ParentNode} root
 * @param {string} selector
 * @returns {HTMLElement[]}
 */
export function all(root, selector) {
  return [...root.querySelectorAll(selector)].filter((node) => node instanceof HTMLElement);
}

/**
 * The first element of a piece of HTML that our own server rendered.
 * @param {string} html
 * @returns {HTMLElement | null}
 */
export function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  const first = template.content.firstElementChild;
  return first instanceof HTMLElement ? first : null;
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {string} className
 * @param {...(Node | string)} children strings become text, never markup
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) {
    node.className = className;
  }
  node.append(...children);
  return node;
}

/**
 * One of the page's own pictures.
 * @param {string} name
 * @returns {SVGSVGElement}
 */
export function sign(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const use = document.createElementNS(space, "use");
  svg.setAttribute("class", "sign");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", `#sign-${name}`);
  svg.append(use);
  return svg;
}

/**
 * @param {string} words
 * @param {string} className
 * @param {() => void} action
 * @returns {HTMLButtonElement}
 */
export function button(words, className, action) {
  const node = make("button", className, words);
  node.type = "button";
  node.addEventListener("click", action);
  return node;
}
