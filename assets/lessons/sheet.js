/** A lesson on paper: a sheet to work on, and behind it a page with the answers for who teaches. */

import { el } from "../looks/dom.js";
import { onPaper } from "./steps.js";

/** @typedef {import("./lesson.js").Block} Block */
/** @typedef {import("./lesson.js").Part} Part */
/** @typedef {{tag: keyof HTMLElementTagNameMap, props: Record<string, string>, children: (Piece | string)[]}} Piece */

/**
 * The sheet of a lesson, as a plain tree. Pure: it touches no document.
 * @param {import("./lessons.js").LessonRow} row
 * @param {number} number
 * @param {Record<string, string>} words what stands around it, in its language
 * @returns {Piece}
 */
export function sheet(row, number, words) {
  const whys = row.blocks.filter(({ kind }) => kind === "why");
  const questions = row.blocks.filter(({ kind }) => kind === "predict" || kind === "check");
  return box(
    "sheet",
    box("sheet-name", field(words.name), field(words.date)),
    p("sheet-number", `${words.lesson} ${number}`),
    piece("h1", "", row.title),
    ...row.blocks.filter((block) => !whys.includes(block)).map((block) => task(block, words, row.runs)),
    ...whys.map(({ paragraphs = [] }) =>
      box("sheet-why", piece("h2", "", words.why ?? ""), ...paragraphs.map((parts) => p("", ...prose(parts)))),
    ),
    box(
      "sheet-answers",
      p("sheet-number", `${words.lesson} ${number}: ${row.title}`),
      piece("h1", "", words.teacher ?? ""),
      p("sheet-claim", piece("strong", "", `${words.goal}: `), row.claim),
      ...questions.map(({ kind, question = "", answers = [], right = 0, replies = [] }) =>
        box(
          "sheet-answer",
          p("", `${words[kind]}: ${question}`),
          p("", strong(answers[right] ?? "")),
          p("", onPaper(replies[right] ?? "")),
        ),
      ),
    ),
  );
}

/** Print it by the browser's own print. On the screen it is never seen.
 * @param {Piece} tree
 * @param {string} language
 */
export function print(tree, language) {
  document.querySelector("body > .sheet")?.remove(); // a browser that forbids printing never says that it is over
  const node = made(tree);
  node.lang = language;
  document.body.append(node);
  addEventListener("afterprint", () => node.remove(), { once: true });
  globalThis.print();
}

/** @param {Piece} tree
 * @returns {HTMLElement}
 */
function made({ tag, props, children }) {
  return el(tag, props, ...children.map((child) => (typeof child === "string" ? child : made(child))));
}

/**
 * @param {Block} block
 * @param {Record<string, string>} words
 * @param {Record<string, import("./played.js").LessonRun>} runs
 */
function task({ kind, parts = [], question = "", answers = [], run = "" }, words, runs) {
  if (kind === "text") return p("", ...prose(parts));
  if (kind === "play") {
    const lines = [1, 2].map(() => box("sheet-line"));
    return box("sheet-play", p("", `${words.play} `, strong(runs[run]?.button ?? ""), `. ${words.saw}:`), ...lines);
  }
  return box(
    "sheet-ask",
    p("sheet-number", words[kind] ?? ""),
    p("", question),
    piece("ul", "", ...answers.map((answer) => piece("li", "", answer))),
  );
}

/** Numbers to drag are plain numbers here, and a link shows where it leads.
 * @param {Part[]} parts
 */
function prose(parts) {
  return parts.flatMap(({ handle, value = 0, unit = "", link, text = "", strong: emphatic }) => {
    if (handle) return [`${value}${unit}`];
    if (link) return [piece("a", { href: link }, text), ` (${link.replace("https://", "")})`];
    return [emphatic ? piece("em", "", text) : text];
  });
}

/** A word with a line to write on.
 * @param {string} [word]
 */
function field(word = "") {
  return box("sheet-field", `${word}:`, piece("span", "sheet-blank"));
}

/** @param {string} text */
function strong(text) {
  return piece("strong", "", text);
}

/**
 * @param {string} className
 * @param {...(Piece | string)} children
 */
function p(className, ...children) {
  return piece("p", className, ...children);
}

/**
 * @param {string} className
 * @param {...(Piece | string)} children
 */
function box(className, ...children) {
  return piece("div", className, ...children);
}

/**
 * @param {keyof HTMLElementTagNameMap} tag
 * @param {string | Record<string, string>} props its class, or its properties
 * @param {...(Piece | string)} children
 * @returns {Piece}
 */
function piece(tag, props, ...children) {
  return { tag, props: typeof props !== "string" ? props : props ? { className: props } : {}, children };
}
