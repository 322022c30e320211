/** Under a cell in the inspector: who caused the word, what it leans on, when it was known, where a head looks. */

import { spoken } from "../../assets/looks/glyphs.js";
import { t } from "../../assets/looks/language.js";
import { saveButton } from "../../assets/pictures/answers.js";
import { html, render } from "../../assets/vendor/lit-html.js";
import { percent, pieceOf } from "../../assets/cells/face.js";
import { otherChoice } from "../../assets/views/belief.js";
import { NOTHING, OPEN, WRITTEN } from "../../assets/wire/canvas.js";
import { chanceOf, leftTo, ruleAt } from "./allowed.js";
import { causeOf } from "./cause.js";
import { depthRows, depthSentence } from "./depth.js";
import { SHOWN, leaningSentence, leaningThreads, supports } from "./leaning.js";
import { lookingSentence, seenCells, shades } from "./looking.js";
import { isCalibrated, onScale, scaleSentences } from "./scale.js";

/** @typedef {import("../../assets/wire/store.js").Side} Side */
/** @typedef {import("./lenses.js").Kind} Kind */
/** @typedef {import("./lenses.js").Look} Look */
/** @typedef {import("./threads.js").Thread} Thread */

/**
 * @typedef {object} Asking
 * @property {(kind: Kind, at: number, cell: number, fields?: Record<string, number>) => Look} look
 * @property {(cell: number, since: number, token: number) => void} instead a branch where the word is taken back, or is another one
 * @property {(cell: number, since: number) => void} peek what else it might have been, when it was written
 * @property {(cell: number) => void} visit a cell that is spoken of
 * @property {() => void} changed
 */

/** @typedef {{at: number, cell: number, side: Side, word: string, since: number}} Place */
/** @typedef {import("../../assets/vendor/lit-html.js").TemplateResult} Drawn */

export class Reasons {
  /** @param {Asking} asking */
  constructor(asking) {
    this.asking = asking;
    this.node = document.createElement("div");
    this.node.classList.add("reasons", "flow");
    /** the parts that are open: they stay open from cell to cell
     * @type {Set<Kind>} */
    this.open = new Set();
    /** what is drawn of a part's answer
     * @type {Map<Kind, {answer: unknown, of: string, drawn: Drawn}>} */
    this.answers = new Map();
  }

  /** @type {Place | null} */
  place = null;
  /** @type {Thread[]} */
  threads = [];
  /** @type {number[]} how dark the ground of each cell is */
  shades = [];
  raw = false; // whether probabilities are the network's own
  layer = -1; // whose attention is shown: the last one
  head = 0;

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
    this.place = { side, at, cell, word, since };
    this.threads = [];
    this.shades = [];
    const unwritten = kind === OPEN;
    render(
      html`<p class="cause">${causeOf(side, at, cell)}</p>
        ${this.otherwise(this.place, kind === WRITTEN && since > 0 && side.source === "live", moving)}
        ${this.part("why", t("What it leans on"), unwritten, moving)}
        ${this.part("layers", t("At which layer it was known"), unwritten, moving)}
        ${this.part("attention", t("Where the network looks"), !moment.kinds.length, moving)}
        ${this.part("validity", t("What the rule leaves"), !ruleAt(side, at), moving)} ${this.scale(side, at)}`,
      this.node,
    );
  }

  /** Which of the two scales probabilities are on, and the way to the other, where the two differ.
   * @param {Side} side
   * @param {number} at
   */
  scale(side, at) {
    const calibrated = isCalibrated(side);
    const { says, means, other } = scaleSentences(calibrated, this.raw);
    const turns = side.source === "live" && (calibrated || this.raw || ruleAt(side, at) !== null);
    const turn = () => {
      this.raw = !this.raw;
      this.asking.changed();
    };
    return html`<p class="scale">
      <span title=${means}>${says}</span>
      <button type="button" class="inline link" ?hidden=${!turns} @click=${turn}>${other}</button>
    </p>`;
  }

  /** What else might stand here: nothing yet, or the word that was likeliest but for this one.
   * @param {Place} place
   * @param {boolean} written by the model, here
   * @param {boolean} moving
   */
  otherwise({ side, at, cell, word, since }, written, moving) {
    if (written && !moving) this.asking.peek(cell, since);
    const other = written ? otherChoice(side, at, cell) : null;
    const look = side.moments[since]?.passes ?? 0;
    const next = other && { word: spoken(other.piece), share: percent(other.share) };
    return html`<p class="otherwise flow">
      <button
        type="button"
        class="inline link"
        title=${t("A branch from there, where the cell is open again: the model may write the same word once more")}
        ?hidden=${!written}
        @click=${() => this.leave(NOTHING)}
      >
        ${t("Take {word} back at look {look}", { word, look })}</button
      ><button
        type="button"
        class="inline link"
        title=${t("Its next choice in that look: a branch from there, where you pin that word")}
        ?hidden=${!other}
        @click=${() => this.leave(other?.token ?? NOTHING)}
      >
        ${next ? t("Write “{word}” instead ({share})", next) : ""}
      </button>
    </p>`;
  }

  /**
   * One part: the server answers it while it is open and the run rests.
   * @param {Kind} kind
   * @param {string} title
   * @param {boolean} hidden
   * @param {boolean} moving
   */
  part(kind, title, hidden, moving) {
    const wanted = this.open.has(kind) && !hidden;
    const look = wanted && !moving ? this.look(kind) : null;
    const pending = look?.state === "asking";
    const each = kind === "why" ? t("Trying it without each of the other words …") : t("Asking …");
    const waits = pending ? each : (look?.why ?? "");
    const status = wanted && !look ? t("Pause to ask: it takes the model away from the run.") : waits;
    const stop = (/** @type {any} */ { target }) => (target.closest("details").open = false);
    // the menus of layer and head stay while another head is asked about
    const kept = kind === "attention" && pending ? this.answers.get(kind) : undefined;
    const drawn = look?.state === "known" ? this.drawn(kind, look.answer) : kept?.of === this.of() ? kept.drawn : null;
    return html`<details
      ?hidden=${hidden}
      @toggle=${(/** @type {Event} */ { target }) => this.toggled(kind, /** @type {HTMLDetailsElement} */ (target))}
    >
      <summary>${title}</summary>
      <p class="reasons-status" ?hidden=${!status}>
        <span role="status">${status}</span>
        <button type="button" class="inline link" ?hidden=${!pending} @click=${stop}>${t("stop")}</button>
      </p>
      <div class="answer" ?hidden=${!drawn}>${drawn}</div>
    </details>`;
  }

  /**
   * @param {Kind} kind
   * @param {HTMLDetailsElement} details
   */
  toggled(kind, { open }) {
    if (open) this.open.add(kind);
    else this.open.delete(kind);
    this.asking.changed();
  }

  /** @param {Kind} kind */
  look(kind) {
    const { at, cell } = /** @type {Place} */ (this.place);
    if (kind === "attention") return this.asking.look(kind, at, cell, { layer: this.layer, head: this.head });
    return this.asking.look(kind, at, kind === "validity" ? NOTHING : cell);
  }

  /** What an answer is about: where it is drawn anew. */
  of() {
    const { at, cell } = /** @type {Place} */ (this.place);
    return `${at} ${cell} ${this.raw}`;
  }

  /** What is drawn of an answer: anew only for another answer or another cell.
   * @param {Kind} kind
   * @param {Record<string, any>} answer
   */
  drawn(kind, answer) {
    const { side, at, cell } = /** @type {Place} */ (this.place);
    if (kind === "why") this.threads = leaningThreads(cell, supports(side, at, onScale(answer, this.raw)));
    if (kind === "attention") this.shades = shades(answer.weights);
    const of = this.of();
    const before = this.answers.get(kind);
    if (before && before.answer === answer && before.of === of) return before.drawn;
    const shown = onScale(answer, this.raw);
    const draw = { why: this.leaning, layers: this.depth, attention: this.looking, validity: this.allowed };
    const drawn = draw[/** @type {keyof typeof draw} */ (kind)].call(this, shown);
    this.answers.set(kind, { answer, of, drawn });
    return drawn;
  }

  /** @param {Record<string, any>} answer */
  leaning(answer) {
    const { side, at, word } = /** @type {Place} */ (this.place);
    const rows = supports(side, at, answer);
    const sentence = leaningSentence(word, answer.share, rows);
    if (!rows.length) return html`<p>${sentence}</p>`;
    const shown = rows.slice(0, SHOWN);
    const note = t("The other {n} words matter less, each by itself.", { n: answer.others.length - shown.length });
    const save = saveButton(() => ({
      title: t("What it leans on"),
      says: [sentence],
      columns: [t("in cell"), t("{word} would have", { word })],
      rows: shown.map((row) => ({
        name: t("Without {word}", { word: row.word }),
        cells: [{ text: String(row.cell) }, { text: percent(row.without), bar: row.without }],
      })),
      note,
    }));
    return html`<p>${sentence}</p>
      ${this.words(
        t("Each word alone is opened again; an arrow on the stage runs from it."),
        [t("Without"), t("in cell"), t("{word} would have", { word })],
        shown.map((row) => ({ ...row, share: row.without })),
      )}
      <p class="rest">${note}</p>
      ${save}`;
  }

  /** @param {Record<string, any>} answer */
  depth(answer) {
    const { side, word } = /** @type {Place} */ (this.place);
    const depth = /** @type {import("./depth.js").Depth} */ (answer);
    const passOf = (/** @type {number} */ moment) => side.moments[moment]?.passes ?? moment;
    const rows = depthRows(depth);
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
    const titleOf = (/** @type {number | null} */ share, /** @type {string} */ best) =>
      share === null
        ? t("not looked at")
        : t("{share}; its own word: “{word}”", { share: percent(share), word: spoken(best) });
    return html`<p>${first}</p>
      <div class="wide" tabindex="0" role="group" aria-label=${t("Layers by looks")}>
        <table class="depths">
          <caption>
            ${says}
          </caption>
          <thead>
            ${head(t("after look"), ...passes)}
          </thead>
          <tbody>
            ${rows.map(
              ({ name, cells }) =>
                html`<tr>
                  <th scope="row">${name}</th>
                  ${cells.map(
                    ({ share, best }) =>
                      html`<td
                        title=${titleOf(share, best)}
                        style="--share: ${share ?? 0}"
                        data-deep=${String((share ?? 0) > 0.5)}
                      >
                        ${shareCell(share).text}
                      </td>`,
                  )}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
      ${save}`;
  }

  /** @param {Record<string, any>} answer */
  looking(answer) {
    const { side, at, cell, word: stands } = /** @type {Place} */ (this.place);
    const word = side.moments[at]?.kinds[cell] === OPEN ? t("this open cell") : stands;
    const rows = seenCells(side, at, answer);
    const choose =
      (/** @type {"layer" | "head"} */ name) =>
      (/** @type {any} */ { target }) => {
        this[name] = Number(target.value);
        this.asking.changed();
      };
    const menu = (/** @type {"layer" | "head"} */ name, /** @type {string} */ title, /** @type {number} */ count) =>
      html`<label
        >${title}
        <select .value=${String(answer[name])} @change=${choose(name)}>
          ${Array.from({ length: count }, (_, i) => html`<option value=${i} ?selected=${i === answer[name]}>${i + 1}</option>`)}
        </select></label
      >`;
    const sentence = lookingSentence(word, rows, answer);
    const note = t("The more the head looks at a word, the stronger its ground on the stage.");
    const save = saveButton(() => ({
      title: t("Where the network looks"),
      says: [t("Layer {layer}, head {head}.", { layer: answer.layer + 1, head: answer.head + 1 }), sentence],
      columns: [t("in cell"), t("share")],
      rows: rows.map((row) => ({
        name: row.word,
        cells: [{ text: String(row.cell) }, { text: percent(row.share), bar: row.share }],
      })),
      note: "",
    }));
    return html`<p class="heads">
        ${menu("layer", t("layer"), answer.layers)} ${menu("head", t("head"), answer.heads)}
      </p>
      <p>${sentence}</p>
      ${this.words(note, [t("looks at"), t("in cell"), t("share")], rows)} ${save}`;
  }

  /** A table of words, each with its cell and a share; a word is pressed to go to its cell.
   * @param {string} caption
   * @param {string[]} columns
   * @param {{cell: number, word: string, share: number}[]} rows
   */
  words(caption, columns, rows) {
    return html`<table>
      <caption>
        ${caption}
      </caption>
      <thead>
        ${head(...columns)}
      </thead>
      <tbody>
        ${rows.map(
          ({ cell, word, share }) =>
            html`<tr data-cell-of=${cell}>
              <th scope="row"><button type="button" @click=${() => this.asking.visit(cell)}>${word}</button></th>
              <td>${cell}</td>
              <td><span class="bar" aria-hidden="true" style="--share: ${share}"></span>${percent(share)}</td>
            </tr>`,
        )}
      </tbody>
    </table>`;
  }

  /** @param {Record<string, any>} answer */
  allowed(answer) {
    const { side, at, cell } = /** @type {Place} */ (this.place);
    const open = side.moments[at]?.kinds[cell] === OPEN;
    return html`<p>${leftTo(answer, cell, Number(side.head.words ?? 0), open)}</p>
      <p>${chanceOf(answer)}</p>`;
  }
}

/** @param {number | null} share */
function shareCell(share) {
  return { text: share === null ? "" : String(Math.round(100 * share)), tint: share ?? 0 };
}

/** @param {...string} names of the columns */
function head(...names) {
  return html`<tr>
    ${names.map((name) => html`<th scope="col">${name}</th>`)}
  </tr>`;
}
