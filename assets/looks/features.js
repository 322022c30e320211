/** What features add to the page. Python's list names them; each has a script `feature.js` that exports `feature`, with what it
 * offers at the places below. This is the only file that loads them, and it knows the places, not the features. */

import { onceVisible } from "./dom.js";

/** @typedef {import("../stage/controller.js").Controller} Controller */
/** @typedef {import("../stage/side.js").SideView} SideView */
/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("../views/inspector.js").Raw} Raw */
/** @typedef {{node: Node, show: () => void}} Drawn with each frame */
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
 * A button beside the numbers of a side.
 * @typedef {object} Ask
 * @property {string} text
 * @property {string} title
 * @property {(side: Side) => boolean} may whether it is there
 * @property {(number: number, button: HTMLElement) => void} go
 * @property {(number: number) => boolean} [open] whether what it opens is open
 * @property {string} [file] the name under which the browser saves what `go` puts into the button's address
 */

/**
 * A lens: questions about a word and about a run, and what is drawn over the cells meanwhile.
 * @typedef {object} Lens
 * @property {Node} word on the page of a word
 * @property {Node} run beside the numbers
 * @property {Ask[]} asks
 * @property {(inspecting: boolean) => void} show with each frame
 * @property {() => boolean} close what is open of it; whether something was
 * @property {(side: Side, at: number, place: number) => Raw | null} raw candidates of a cell that are shown in place of
 * the run's own
 */

/**
 * What would follow from another word, while a person rests on it.
 * @typedef {object} Preview
 * @property {{at: number, token: number, text: string} | null} rest the word that a person rests on
 * @property {string} says what would follow, in a few words
 * @property {(side: number, cell: number, word: {token: number, text: string}) => void} show
 * @property {() => void} hide
 * @property {() => void} draw with each frame
 * @property {(side: number) => string} stands what the head of another side says meanwhile
 * @property {(text: string) => void} announce set by the stage
 */

/**
 * What may answer a prompt that the pair declines.
 * @typedef {object} Answer
 * @property {Node} node
 * @property {(prompt: string) => void} ask an empty one for none
 */

/**
 * What a feature offers. Each place is optional, and loads its script when it is needed.
 * @typedef {object} Offer
 * @property {Record<string, Load>} [elements] that Python puts on the page; each is loaded when it is first seen
 * @property {() => Promise<Record<string, Entry>>} [runs] its entries of *Many runs*
 * @property {() => Promise<new (unmask: Controller, views: SideView[]) => Lens>} [lens]
 * @property {() => Promise<new (unmask: Controller, views: SideView[]) => Preview>} [preview]
 * @property {() => Promise<new (unmask: Controller, jump: (side: number, pass: number) => void) => Drawn>} [curves] under
 * the curves of the run
 * @property {() => Promise<(unmask: Controller) => Ask[]>} [ways] to take one side away
 * @property {() => Promise<new (unmask: Controller) => Answer>} [answer]
 */

/** @typedef {Offer & {sheets: string[]}} Feature */

/** What Python says of a feature: its script, sheets and elements, and the word by which the page's address asks for it.
 * @typedef {{script: string, sheets: string[], elements: string[], opens: string}} Listed */

/** @type {Record<string, Load>} the page's own elements that are loaded when one is first seen */
const own = {};
/** @type {Map<string, Promise<Feature[]>>} by the script; none where it could not be loaded */
const loaded = new Map();

/** Every feature that could be loaded, in the order of Python's list.
 * @returns {Promise<Feature[]>}
 */
export async function features() {
  return (await Promise.all(listed().map(load))).flat();
}

/** @returns {Listed[]} */
function listed() {
  const list = globalThis.document?.getElementById("unmask-features");
  return JSON.parse(list?.textContent ?? "[]");
}

/** @param {Listed} one */
function load({ script, sheets }) {
  const found =
    loaded.get(script) ??
    import(script).then(
      ({ feature }) => [{ .../** @type {Offer} */ (feature), sheets }],
      (error) => {
        reportError(error); // the page is there without it
        return [];
      },
    );
  loaded.set(script, found);
  return found;
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

/** Load the sheets and the script of a custom element and define it; an unknown name is ignored.
 * @param {string} name
 */
export async function define(name) {
  if (customElements.get(name)) return;
  const row = listed().find(({ elements }) => elements.includes(name));
  const [found] = row ? await load(row) : [];
  const script = own[name] ?? found?.elements?.[name];
  if (!script) return;
  const element = await styled(script, found?.sheets);
  if (!customElements.get(name)) customElements.define(name, element);
}

/**
 * What the features offer at a place; what cannot be loaded is left out.
 * @template {"runs" | "lens" | "curves" | "preview" | "ways" | "answer"} Place
 * @param {Place} place
 * @returns {Promise<Awaited<ReturnType<NonNullable<Offer[Place]>>>[]>}
 */
export async function offered(place) {
  /** @type {any[]} */
  const found = await Promise.all(
    (await features()).map(
      (one) => one[place] && styled(/** @type {() => Promise<any>} */ (one[place]), one.sheets).catch(reportError),
    ),
  );
  return found.filter(Boolean);
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

let fetched = false; // a person is here, and the scripts are on their way

/** Fetch the scripts that are likely to be wanted next, before they are. */
export async function prefetch() {
  fetched = true;
  for (const load of Object.values(own)) void load();
  for (const place of /** @type {const} */ (["lens", "preview", "ways", "runs", "curves", "answer"]))
    void offered(place);
  for (const { elements = {} } of await features()) for (const load of Object.values(elements)) await load();
}

/** Define what the page's address asks for, or this tab did before it was loaded again. */
export function defineWanted() {
  for (const { opens, elements } of listed())
    if (opens && (location.hash.includes(`${opens}=`) || sessionStorage.getItem(`unmask-${opens}`)))
      elements.forEach((name) => void define(name));
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

/**
 * A part of the page that is loaded when it is first seen: it holds one custom element that is not defined yet.
 * One that a person has just asked for is loaded at once, also where it must be scrolled to.
 */
export const Part = () =>
  class extends HTMLElement {
    connectedCallback() {
      const element = this.firstElementChild;
      if (!(element instanceof HTMLElement) || element.matches(":defined")) return;
      if (fetched) void define(element.localName);
      else onceVisible(element, () => void define(element.localName));
    }
  };
