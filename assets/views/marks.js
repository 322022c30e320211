/** The marks that occur in a run, each on a word of its own and with how many there are. */

import { faces } from "../cells/face.js";
import { el } from "../looks/dom.js";
import { t } from "../looks/language.js";

/** @typedef {import("../cells/face.js").Face} Face */
/** @typedef {{look: string, face: Face, count: number}} Mark */

/** Kinds of marks: which words have it, and what it means; `n` of them. @type {{look: string, has: (face: Face, look: string) => boolean, says: () => string}[]} */
const KINDS = [
  {
    look: "unsure",
    has: ({ sure, open }, look) => !open && look.includes(" written") && sure !== "" && Number(sure) < 5,
    says: () => t("written at less than 50 %"),
  },
  {
    look: "forced",
    has: (_, look) => look.includes(" forced"),
    says: () => t("written because the plan was at its end, not because it was sure"),
  },
  {
    look: "changed",
    has: ({ ticks, open }) => !open && ticks !== "",
    says: () => t("took the place of another word: a tick for each change"),
  },
  { look: "doubted", has: (_, look) => look.includes(" doubted"), says: () => t("the model would now write another") },
  { look: "pinned", has: (_, look) => look.includes(" pinned"), says: () => t("pinned by you") },
  { look: "own", has: (_, look) => look.includes(" own"), says: () => t("your own text") },
  { look: "erased", has: (_, look) => look.includes(" erased"), says: () => t("erased by you, and open again") },
];

/**
 * The marks of a row of words.
 * @param {Face[]} row
 * @returns {Mark[]}
 */
export function marksOf(row) {
  return KINDS.flatMap(({ look, has }) => {
    const found = row.filter((face) => has(face, ` ${face.look} `) && (face.ink.trim() !== "" || look === "erased"));
    const [face] = found;
    return face ? [{ look, face, count: found.length }] : [];
  });
}

export class Marks {
  /**
   * @param {import("../stage/controller.js").Controller} controller
   * @param {HTMLInputElement} box whether they are shown in the text
   */
  constructor(controller, box) {
    this.controller = controller;
    this.list = el("ul", { className: "legend" });
    const toggle = el("label", { className: "toggle" }, box, el("span", {}, t("show them in the text")));
    this.node = el(
      "section",
      { className: "marks-of-run", "aria-label": t("Marks in this run") },
      el("header", {}, el("h3", {}, t("Marks in this run")), toggle),
      this.list,
    );
  }

  shown = "";

  show() {
    const { controller } = this;
    const rows = controller.sides.flatMap((side, number) => faces(side, controller.player.at(number)));
    const marks = marksOf(rows);
    const shown = JSON.stringify(marks.map(({ look, face, count }) => [look, face.ink, face.sure, face.ticks, count]));
    if (shown === this.shown) return;
    this.shown = shown;
    this.list.replaceChildren(
      ...marks.map(({ look, face, count }) => {
        const word = el(
          "span",
          { className: face.look.replace(/ (fresh|selected|linked)\b/g, ""), "data-sure": face.sure, "aria-hidden": "true" },
          el("span", {}, face.ink.trim()),
        ); // prettier-ignore
        if (face.ticks) word.dataset.ticks = face.ticks;
        const says = KINDS.find((kind) => kind.look === look)?.says() ?? "";
        return el("li", { "data-mark": look }, word, el("span", {}, `${count} × ${says}`));
      }),
    );
    this.node.hidden = marks.length === 0;
  }
}
