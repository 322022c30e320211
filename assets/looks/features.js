/** What features add to the page. Python's list names them; each has a script `feature.js` that exports `feature`, with what it
 * offers at the places below. This is the only file that loads them, and it knows the places, not the features. */

/** @typedef {import("../stage/controller.js").Controller} Controller */
/** @typedef {() => Promise<CustomElementConstructor>} Load */

/**
 * An entry of *Many runs*, by the title of its tab: the question that it answers, the words of its link, and a figure.
 * @typedef {object} Entry
 * @property {() => string} says
 * @property {() => string} link
 * @property {(unmask: Controller) => unknown} [figure] a template, drawn with each frame
 * @property {() => Promise<void>} [ask] what the figure needs of the server; called when the entry is first seen
 */

/**
 * What a feature offers. Each place is optional, and loads its script when it is needed.
 * @typedef {object} Offer
 * @property {Record<string, Load>} [elements] that Python puts on the page; each is loaded when it is first seen
 * @property {() => boolean} [wanted] whether the page's address asks for the feature, so that its elements are loaded at once
 * @property {() => Promise<Record<string, Entry>>} [runs] its entries of *Many runs*
 */

/** @typedef {Offer & {sheets: string[]}} Feature */

/** @type {Record<string, Load>} the page's own elements that are loaded when one is first seen */
const own = {};
/** @type {Promise<Feature[]> | undefined} */
let all;

/** Every feature that could be loaded, in the order of Python's list.
 * @returns {Promise<Feature[]>}
 */
export function features() {
  all ??= Promise.all(listed().map(loaded)).then((found) => found.flat());
  return all;
}

/** @returns {{script: string, sheets: string[]}[]} */
function listed() {
  const list = globalThis.document?.getElementById("unmask-features");
  return JSON.parse(list?.textContent ?? "[]");
}

/** @param {{script: string, sheets: string[]}} one */
async function loaded({ script, sheets }) {
  try {
    const { feature } = await import(addressOf(script));
    return [{ .../** @type {Offer} */ (feature), sheets }];
  } catch (error) {
    reportError(error); // the page is there without it
    return [];
  }
}

/** @param {string} path relative to the page */
function addressOf(path) {
  return new URL(path, document.baseURI).href;
}

/** Elements of the page itself that are loaded when one is first seen.
 * @param {Record<string, Load>} elements
 */
export function offer(elements) {
  Object.assign(own, elements);
}

/** Define a custom element, with its sheets first; one that nobody offers stays as it is.
 * @param {string} name
 */
export async function define(name) {
  if (customElements.get(name)) return;
  const found = own[name] ? null : (await features()).find(({ elements }) => elements && name in elements);
  const load = own[name] ?? found?.elements?.[name];
  if (!load) return;
  const element = await styled(load, found?.sheets);
  if (!customElements.get(name)) customElements.define(name, element);
}

/** The entries of *Many runs*, by the titles of their tabs.
 * @returns {Promise<Record<string, Entry>>}
 */
export async function entriesOfRuns() {
  const found = await Promise.all((await features()).map(({ runs, sheets }) => runs && styled(runs, sheets)));
  return Object.assign({}, ...found);
}

/** What a script exports, once its sheets are there as well.
 * @template T
 * @param {() => Promise<T>} load
 * @param {string[]} [paths]
 */
async function styled(load, paths = []) {
  const [found] = await Promise.all([load(), ...paths.map(sheet)]);
  return found;
}

/** Define what the page's address asks for. */
export async function defineWanted() {
  for (const { wanted, elements = {} } of await features()) if (wanted?.()) Object.keys(elements).forEach(define);
}

/** @type {Map<string, Promise<void>>} */
const sheets = new Map();

/** A style sheet, once.
 * @param {string} path
 */
function sheet(path) {
  const there =
    sheets.get(path) ??
    new Promise((/** @type {(value: void) => void} */ done) => {
      const link = document.createElement("link");
      link.rel = "stylesheet";
      link.href = addressOf(path);
      link.onload = link.onerror = () => done();
      document.head.append(link);
    });
  sheets.set(path, there);
  return there;
}
