/** Under a cell in the inspector: who caused the word, what it leans on, at which layer it was known, what a rule leaves. */

import { el, say } from "../looks/dom.js";
import { spoken } from "../looks/glyphs.js";
import { t } from "../looks/language.js";
import { saveButton } from "../takeaway/answers.js";
import { percent, pieceOf } from "../cells/face.js";
import { otherChoice } from "../views/belief.js";
import { NOTHING, OPEN, WRITTEN } from "../wire/canvas.js";
import { chanceOf, leftTo, ruleAt } from "./allowed.js";
import { causeOf } from "./cone.js";
import { depthRows, depthSentence } from "./depth.js";
import { SHOWN, leaningSentence, leaningThreads, supports } from "./leaning.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("./lenses.js").Kind} Kind */
/** @typedef {import("./lenses.js").Look} Look */
/** @typedef {import("./threads.js").Thread} Thread */

/**
 * @typedef {object} Asking
 * @property {(kind: Kind, at: number, cell: number) => Look} look
 * @property {(cell: number, since: number, token: number) => void} instead a branch where the word is taken back, or is another one
 * @property {(cell: number, since: number) => void} peek what else it might have been, when it was written
 * @property {(cell: number) => void} visit a cell that is spoken of
 * @property {() => void} changed
 */

/** @typedef {{at: number, cell: number, side: Side, word: string, since: number, other: number}} Place */

export class Reasons {
  /** @param {Asking} asking */
  constructor(asking) {
    this.asking = asking;
    this.cause = el("p", { className: "cause" });
    this.without = el("button", {
      type: "button",
      className: "inline",
      title: t("A branch from there, where the cell is open again: the model may write the same word once more"),
      onclick: () => this.leave(NOTHING),
    });
    this.instead = el("button", {
      type: "button",
      className: "inline",
      title: t("Its next choice in that look: a branch from there, where you pin that word"),
      onclick: () => this.leave(this.place?.other ?? NOTHING),
    });
    this.sections = {
      why: this.section(t("What it leans on")),
      layers: this.section(t("At which layer it was known")),
      validity: this.section(t("What the rule leaves")),
    };
    this.node = el(
      "div",
      { className: "reasons" },
      this.cause,
      el("p", { className: "otherwise" }, this.without, this.instead),
      ...Object.values(this.sections).map(({ node }) => node),
    );
  }

  /** @type {Place | null} */
  place = null;
  /** @type {Thread[]} */
  threads = [];

  /** A part that asks when it is opened, and stays open from cell to cell.
   * @param {string} title
   */
  section(title) {
    const body = el("div", { className: "answer" });
    const status = el("p", { className: "reasons-status", role: "status" });
    const node = el("details", { ontoggle: () => this.asking.changed() }, el("summary", {}, title), status, body);
    return { node, status, body, shown: /** @type {unknown} */ (null) };
  }

  /** @param {number} token to stand there, or nothing */
  leave(token) {
    if (this.place) this.asking.instead(this.place.cell, this.place.since, token);
  }

  /**
   * @param {Side} side
   * @param {number} at
   * @param {number} cell
   * @param {boolean} moving
   */
  show(side, at, cell, moving) {
    const moment = side.moments[at];
    if (!moment) return;
    const kind = moment.kinds[cell];
    const word = `“${spoken(pieceOf(side, moment.tokens[cell] ?? NOTHING))}”`;
    const since = moment.since[cell] ?? 0;
    this.place = { side, at, cell, word, since, other: NOTHING };
    this.threads = [];
    say(this.cause, causeOf(side, at, cell));
    this.otherwise(this.place, kind === WRITTEN && since > 0 && side.source === "live", moving);
    const { why, layers, validity } = this.sections;
    why.node.hidden = layers.node.hidden = kind === OPEN;
    validity.node.hidden = !ruleAt(side, at);
    this.part("why", moving, (answer) => this.leaning(answer));
    this.part("layers", moving, (answer) => this.depth(answer));
    this.part("validity", moving, (answer) => this.allowed(answer));
  }

  /** What else might stand here: nothing yet, or the word that was likeliest but for this one.
   * @param {Place} place
   * @param {boolean} written by the model, here
   * @param {boolean} moving
   */
  otherwise(place, written, moving) {
    const { side, at, cell, word, since } = place;
    if (written && !moving) this.asking.peek(cell, since);
    const other = written ? otherChoice(side, at, cell) : null;
    place.other = other?.token ?? NOTHING;
    this.without.hidden = !written;
    this.instead.hidden = !other;
    const look = side.moments[since]?.passes ?? 0;
    say(this.without, t("Take {word} back at look {look}", { word, look }));
    if (!other) return;
    const next = { word: spoken(other.piece), share: percent(other.share) };
    say(this.instead, t("Write “{word}” instead ({share})", next));
  }

  /**
   * One part: the server answers it while it is open and the run rests.
   * @param {"why" | "layers" | "validity"} kind
   * @param {boolean} moving
   * @param {(answer: Record<string, any>) => Node[]} draw
   */
  part(kind, moving, draw) {
    const { node, status, body } = this.sections[kind];
    if (!node.open || node.hidden || !this.place) return;
    const { at, cell } = this.place;
    const look = moving ? null : this.asking.look(kind, at, kind === "validity" ? NOTHING : cell);
    say(
      status,
      !look
        ? t("Pause to ask: it takes the model away from the run.")
        : look.state === "asking"
          ? t("Asking …")
          : look.why,
    );
    body.hidden = look?.state !== "known";
    if (!look || look.state !== "known") return;
    if (kind === "why") this.threads = leaningThreads(cell, supports(this.place.side, at, look.answer));
    const shown = `${at} ${cell}`;
    const section = this.sections[kind];
    if (section.shown === look.answer && body.dataset.of === shown) return;
    section.shown = look.answer;
    body.dataset.of = shown;
    body.replaceChildren(...draw(look.answer));
  }

  /** @param {Record<string, any>} answer */
  leaning(answer) {
    const { side, at, word } = /** @type {Place} */ (this.place);
    const rows = supports(side, at, answer);
    const sentence = el("p", {}, leaningSentence(word, answer.share, rows));
    if (!rows.length) return [sentence];
    const table = el(
      "table",
      {},
      el("caption", {}, t("Each word alone is opened again; an arrow on the stage runs from it.")),
      el("thead", {}, head(t("Without"), t("in cell"), t("{word} would have", { word }))),
      el(
        "tbody",
        {},
        ...rows.slice(0, SHOWN).map((row) => {
          const visit = el("button", { type: "button", onclick: () => this.asking.visit(row.cell) }, row.word);
          const bar = el("span", { className: "bar", "aria-hidden": "true" });
          bar.style.setProperty("--share", String(row.without));
          return el(
            "tr",
            { "data-cell-of": row.cell },
            el("th", { scope: "row" }, visit),
            el("td", {}, String(row.cell)),
            el("td", {}, bar, percent(row.without)),
          );
        }),
      ),
    );
    const rest = answer.others.length - Math.min(rows.length, SHOWN);
    const note = t("The other {n} words matter less, each by itself.", { n: rest });
    const save = saveButton(() => ({
      title: t("What it leans on"),
      says: [sentence.textContent ?? ""],
      columns: [t("in cell"), t("{word} would have", { word })],
      rows: rows.slice(0, SHOWN).map((row) => ({
        name: t("Without {word}", { word: row.word }),
        cells: [{ text: String(row.cell) }, { text: percent(row.without), bar: row.without }],
      })),
      note,
    }));
    return [sentence, table, el("p", { className: "rest" }, note), save];
  }

  /** @param {Record<string, any>} answer */
  depth(answer) {
    const { side, word } = /** @type {Place} */ (this.place);
    const depth = /** @type {import("./depth.js").Depth} */ (answer);
    const passOf = (/** @type {number} */ moment) => side.moments[moment]?.passes ?? moment;
    const rows = depthRows(depth);
    const body = rows.map(({ name, cells }) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, name),
        ...cells.map(({ share, best }) => {
          const cell = el("td", {
            title:
              share === null
                ? t("not looked at")
                : t("{share}; its own word: “{word}”", { share: percent(share), word: spoken(best) }),
          });
          cell.style.setProperty("--share", String(share ?? 0));
          cell.textContent = shareCell(share).text;
          cell.dataset.deep = String((share ?? 0) > 0.5);
          return cell;
        }),
      ),
    );
    const passes = depth.at.map((moment) => String(passOf(moment)));
    const says = t("How much each layer gives {word}, in %, look by look.", { word });
    const first = depthSentence(depth, word, passOf);
    const save = saveButton(() => ({
      title: t("At which layer it was known"),
      says: [first],
      columns: passes,
      rows: rows.map((row) => ({ name: row.name, cells: row.cells.map(({ share }) => shareCell(share)) })),
      note: `${says} ${t("Columns: after which look.")}`,
    }));
    const table = el(
      "table",
      { className: "depths" },
      el("caption", {}, says),
      el("thead", {}, head(t("after look"), ...passes)),
      el("tbody", {}, ...body),
    );
    const wide = el(
      "div",
      { className: "wide", tabIndex: 0, role: "group", "aria-label": t("Layers by looks") },
      table,
    );
    return [el("p", {}, first), wide, save];
  }

  /** @param {Record<string, any>} answer */
  allowed(answer) {
    const { side, at, cell } = /** @type {Place} */ (this.place);
    const open = side.moments[at]?.kinds[cell] === OPEN;
    const words = Number(side.head.words ?? 0);
    return [el("p", {}, leftTo(answer, cell, words, open)), el("p", {}, chanceOf(answer))];
  }
}

/** @param {number | null} share */
function shareCell(share) {
  return { text: share === null ? "" : String(Math.round(100 * share)), tint: share ?? 0 };
}

/** @param {...string} names of the columns */
function head(...names) {
  return el("tr", {}, ...names.map((name) => el("th", { scope: "col" }, name)));
}
