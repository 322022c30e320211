/** Makes elements: names, properties and children in; never markup. */

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, any>} [props] `data-` and `aria-` and `role` become attributes, `on…` listeners, the rest properties
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value == null) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (/^(data-|aria-|role$|for$)/.test(name)) node.setAttribute(name, String(value));
    else Object.assign(node, { [name]: value });
  }
  node.append(...children);
  return node;
}

/** Set a node's text only if it differs.
 * @param {Node} node
 * @param {string} text
 */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** @type {WeakMap<HTMLCanvasElement, {width: number, height: number}>} */
const sizes = new WeakMap();

/**
 * Keep the size of a canvas at hand, and redraw when it differs: reading it while drawing would lay out the page.
 * @param {HTMLCanvasElement} canvas
 * @param {() => void} redraw
 */
export function measured(canvas, redraw) {
  new ResizeObserver(([entry]) => {
    if (!entry) return;
    const { width, height } = entry.contentRect;
    sizes.set(canvas, { width, height });
    redraw();
  }).observe(canvas);
}

/** A drawing surface as sharp as the screen; null where there is nothing to see.
 * @param {HTMLCanvasElement} canvas one that is `measured`
 */
export function surface(canvas) {
  const { width = 0, height = 0 } = sizes.get(canvas) ?? {};
  const pen = canvas.getContext("2d");
  if (!pen || !width || !height) return null;
  const scale = globalThis.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  return { pen, width, height };
}

/** @type {Map<string, string>} */
const colours = new Map();
globalThis.addEventListener?.("unmask-theme", () => colours.clear());

/** A colour of the present theme, by its token.
 * @param {string} name
 */
export function colour(name) {
  let found = colours.get(name);
  if (!found) {
    found = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
    if (found) colours.set(name, found);
  }
  return found;
}

/** Do something when an element is first seen, so that a closed tab sends no requests.
 * @param {HTMLElement} element
 * @param {() => void} act
 */
export function onceVisible(element, act) {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((one) => one.isIntersecting)) return;
    observer.disconnect();
    act();
  });
  observer.observe(element);
}
