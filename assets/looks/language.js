/** The page's language. English stands in the code; another language is a folder of the lessons, with its phrases. */

/** @type {Record<string, string>} */
let phrases = {};

/** The wished language, where there is a folder of it; else English.
 * @returns {string}
 */
export function language() {
  const wish = new URL(location.href).searchParams.get("lang") ?? navigator.language.slice(0, 2);
  return course().languages.includes(wish) ? wish : "en";
}

/** Where the lessons are, and in which languages.
 * @returns {{place: string, languages: string[]}}
 */
export function course() {
  /** @type {HTMLElement | null} */
  const node = document.querySelector("unmask-lessons");
  return { place: node?.dataset.place ?? "unmask", languages: (node?.dataset.languages ?? "en").split(" ") };
}

/** Fetch the phrases of the page's language, once. English needs none.
 * @returns {Promise<void>}
 */
export function spoken() {
  fetched ??= fetchPhrases();
  return fetched;
}

/** @type {Promise<void> | undefined} */
let fetched;

async function fetchPhrases() {
  if (language() === "en") return;
  const address = new URL(`${course().place}/lessons/${language()}/phrases.json`, document.baseURI);
  const answer = await fetch(address).catch(() => null);
  if (!answer?.ok) return;
  phrases = await answer.json();
  for (const node of document.querySelectorAll(BUILT)) mend(node);
}

const BUILT =
  "#masthead :is(button, p), .another *, :is(#ask, #examples, #deep, .player, .below, unmask-stage .foot) *"; // built once

/** What was built before the phrases came, in the page's language now.
 * @param {Element} node
 */
function mend(node) {
  for (const child of node.childNodes) if (child instanceof Text) child.data = phrases[child.data] ?? child.data;
  for (const name of ["aria-label", "title", "placeholder"]) {
    const phrase = phrases[node.getAttribute(name) ?? ""];
    if (phrase) node.setAttribute(name, phrase);
  }
}

/** A phrase of the page in its language, with what its braces name.
 * @param {string} english
 * @param {Record<string, string | number>} [values]
 */
export function t(english, values = {}) {
  const phrase = phrases[english] ?? english;
  return phrase.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}
