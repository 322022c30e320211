/** Back closes what covers the page; without it, Back would leave the site. */

const WIDE = 0.8; // of the window: a narrower panel stands beside the page and covers nothing

/** @type {{node: HTMLElement, close: () => void}[]} what covers the page, the newest last */
const covers = [];
let own = 0; // steps back that a panel made as it closed

/** Something was opened, perhaps over the page.
 * @param {HTMLElement} node
 * @param {() => void} close
 */
export function covered(node, close) {
  const wide = node.matches(":modal") || node.getBoundingClientRect().width >= WIDE * innerWidth;
  if (!wide || covers.some((one) => one.node === node)) return;
  covers.push({ node, close });
  history.pushState({ ...history.state, covered: true }, "");
}

/** It was closed by a button or a key: its place in the history goes too.
 * @param {HTMLElement} node
 */
export function uncovered(node) {
  const at = covers.findIndex((one) => one.node === node);
  if (at < 0) return;
  covers.splice(at, 1);
  own++;
  history.back();
}

/** It is closed and leads on: its place in the history becomes that of another address.
 * @param {HTMLElement} node
 * @param {string} address
 */
export function ledTo(node, address) {
  const at = covers.findIndex((one) => one.node === node);
  covers.splice(at, at < 0 ? 0 : 1);
  if (at < 0) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
}

addEventListener("popstate", () => {
  if (own) own--;
  else covers.pop()?.close();
});
