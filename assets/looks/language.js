/** The page's language. English stands in the code; another language is a folder of the lessons, with its phrases. */

/** @type {Record<string, string>} */
const phrases = globalThis.document ? await fetched() : {}; // what imports this waits for them

/** The wished language, where there is a folder of it; else English.
 * @returns {string}
 */
export function language() {
  const wanted = new URL(location.href).searchParams.get("lang") ?? navigator.language.slice(0, 2);
  return course().languages.includes(wanted) ? wanted : "en";
}

/** Where the lessons are, and in which languages; a page saved from here has none but English.
 * @returns {{place: string, languages: string[]}}
 */
export function course() {
  /** @type {HTMLElement | null} */
  const node = document.querySelector('meta[name="unmask-languages"]');
  return { place: node?.dataset.place ?? "unmask", languages: (node?.getAttribute("content") ?? "en").split(" ") };
}

/** The phrases of the page's language. English needs none.
 * @returns {Promise<Record<string, string>>}
 */
async function fetched() {
  if (language() === "en") return {};
  const address = new URL(`${course().place}/lessons/${language()}/phrases.json`, document.baseURI);
  const answer = await fetch(address, { signal: AbortSignal.timeout(5000) }).catch(() => null);
  return answer?.ok ? answer.json() : {};
}

/** A phrase of the page in its language, with what its braces name.
 * @param {string} english
 * @param {Record<string, string | number>} [values]
 */
export function t(english, values) {
  const phrase = phrases[english] ?? english;
  return values ? phrase.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole)) : phrase;
}

/** The same for a finished sentence with numbers in it: its phrase has {1}, {2} … for them.
 * @param {string} text
 */
export function counted(text) {
  /** @type {Record<string, string>} */
  const numbers = {};
  let n = 0;
  const english = text.replace(/\d+/g, (number) => {
    numbers[++n] = number;
    return `{${n}}`;
  });
  return english in phrases ? t(english, numbers) : t(text);
}

const FORMS = "#masthead :is(button, p), :is(#ask, #examples, #deep) *"; // drawn by Gradio, in English
const LABELS = ["aria-label", "title", "placeholder"];

/** Keep what Gradio draws in the page's language, also when it draws it anew. */
export function translateForms() {
  if (!Object.keys(phrases).length) return;
  const options = { childList: true, subtree: true, characterData: true, attributeFilter: LABELS };
  const observer = new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) {
      if (target instanceof Text) translate(target.parentElement);
      else translate(target instanceof Element ? target : null);
      for (const node of addedNodes) if (node instanceof Element) translate(node, true);
    }
  });
  observer.observe(document.body, options);
  translate(document.body, true);
}

/**
 * @param {Element | null} node
 * @param {boolean} [deep] with all that is in it
 */
function translate(node, deep = false) {
  if (deep) for (const inner of node?.querySelectorAll(FORMS) ?? []) translate(inner);
  if (!node?.matches(FORMS)) return;
  for (const child of node.childNodes) {
    if (!(child instanceof Text)) continue;
    const text = child.data.trim();
    const translated = text && counted(text);
    if (translated && translated !== text) child.data = child.data.replace(text, () => translated);
  }
  for (const name of LABELS) {
    const label = node.getAttribute(name);
    const translated = label && labelled(label);
    if (translated && translated !== label) node.setAttribute(name, translated);
  }
}

/** A label, also one that Gradio made of another.
 * @param {string} label
 */
function labelled(label) {
  const [, kind, name = ""] = /^(number input|range slider) for (.+)$/.exec(label) ?? [];
  if (kind === "number input") return t("number input for {name}", { name: t(name) });
  if (kind === "range slider") return t("range slider for {name}", { name: t(name) });
  return label === "Reset to default value" ? t("Reset to default value") : counted(label);
}
