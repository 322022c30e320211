/** Position × pass, drawn on a canvas: each row a pass, each column a cell. Hover and click are linked with the stage. */

import { colour, measured, surface } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { html, render } from "../vendor/lit-html.js";
import { placeSentence } from "./place_sentence.js";
import { GIVEN, NOTHING, OPEN, OWN, PINNED, unpacked } from "../wire/canvas.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {"confidence" | "entropy" | "order" | "changes"} Shows */

/** What can be shown, with what the ends of its colours mean.
 * @type {{shows: Shows, text: string, says: string, scale: [string, string]}[]}
 */
export const SHOWS = [
  {
    shows: "confidence",
    text: "how sure",
    says: "How sure the model is of its guess in each place.",
    scale: ["0 %", "100 % sure"],
  },
  {
    shows: "entropy",
    text: "how undecided",
    says: "Between how many words the model still wavers in each place.",
    scale: ["one word", "about 55 words (4 nats)"],
  },
  { shows: "order", text: "when written", says: "When each place was written.", scale: ["first look", "last look"] },
  {
    shows: "changes",
    text: "changes of mind",
    says: "How often each place was rewritten or taken back.",
    scale: ["never", "4 times or more"],
  },
];
export const AID = "A row is a look, from top to bottom; a column is a place in the text.";

/**
 * One row of the map, each value from 0 to 1; NaN where there is nothing to say.
 * @param {Side} side
 * @param {number} at
 * @param {Shows} shows
 * @returns {Float32Array}
 */
export function mapRow(side, at, shows) {
  const moment = side.moments[at];
  const row = new Float32Array(moment?.tokens.length ?? 0).fill(NaN);
  if (!moment) return row;
  const packed = shows === "entropy" ? moment.event?.e : undefined;
  const entropy = packed ? unpacked(packed, 1) : null;
  const newest = Math.max(1, side.moments.length - 1);
  for (let cell = 0; cell < row.length; cell++) {
    const kind = moment.kinds[cell];
    if (kind === GIVEN || kind === OWN) continue;
    if (shows === "confidence") {
      if (kind !== OPEN) row[cell] = kind === PINNED ? 1 : (moment.confidence[cell] ?? 0);
      else if (moment.guess[cell] !== NOTHING) row[cell] = (moment.sure[cell] ?? 0) / 255;
    } else if (shows === "entropy") {
      if (entropy && moment.guess[cell] !== NOTHING) row[cell] = Math.min(1, (entropy[cell] ?? 0) / 128);
    } else if (shows === "order") {
      if (kind !== OPEN) row[cell] = (moment.since[cell] ?? 0) / newest;
    } else row[cell] = Math.min(1, (moment.changes[cell] ?? 0) / 4);
  }
  return row;
}

const STEPS = 7; // of heat in colours.css
const paper = document.createElement("canvas");

/**
 * The map at one pixel for each cell and moment; scaling it is the browser's work.
 * @param {Side} side
 * @param {number} at
 * @param {Shows} shows
 * @param {number} cells
 */
function pictureOf(side, at, shows, cells) {
  paper.width = cells;
  paper.height = at + 1;
  const pen = /** @type {CanvasRenderingContext2D} */ (paper.getContext("2d"));
  const heat = Array.from({ length: STEPS }, (_, k) => rgb(colour(`heat-${k}`)));
  const image = pen.createImageData(cells, at + 1);
  let any = false;
  for (let m = 0; m <= at; m++) {
    const row = mapRow(side, m, shows);
    for (let c = 0; c < Math.min(cells, row.length); c++) {
      const value = row[c] ?? NaN;
      if (Number.isNaN(value)) continue;
      any = true;
      const ink = heat[Math.min(STEPS - 1, Math.floor(value * STEPS))] ?? [0, 0, 0];
      image.data.set([...ink, 255], 4 * (m * cells + c));
    }
  }
  pen.putImageData(image, 0, 0);
  return { picture: paper, any };
}

/** The three numbers of a colour that is written #rrggbb.
 * @param {string} hex
 */
function rgb(hex) {
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
}

/** One side's map.
 * @typedef {{hover: (cell: number) => void, pick: (cell: number, moment: number) => void, open: () => void}} Handlers
 */
export class PassMap {
  node = document.createElement("figure");
  /** @type {{side: Side, at: number, shows: Shows, cell: number} | null} */
  state = null;
  says = ""; // of the place under the pointer

  /**
   * @param {string} title
   * @param {Handlers} handlers
   */
  constructor(title, handlers) {
    this.name = t(title);
    this.title = this.name;
    this.handlers = handlers;
    this.node.className = "map";
    this.label();
    this.canvas = /** @type {HTMLCanvasElement} */ (this.node.querySelector("canvas"));
    measured(this.canvas, () => this.draw());
  }

  /** What is written around the picture. */
  label() {
    const { side, at = 0, shows } = this.state ?? {};
    const [low, high] = SHOWS.find((one) => one.shows === shows)?.scale ?? ["", ""];
    const last = Math.max(0, (side?.moments.length ?? 1) - 1);
    const cells = Math.max(0, (side?.moments[at]?.tokens.length ?? 1) - 1);
    const click = (/** @type {MouseEvent} */ event) => {
      const place = this.place(event);
      if (place) this.handlers.pick(place.cell, place.moment);
    };
    render(
      html`<figcaption>${this.title}</figcaption>
        <div class="plane">
          <div class="axis down" aria-hidden="true"><span>0</span><b>${t("look ↓")}</b><span>${last}</span></div>
          <canvas
            role="img"
            tabindex="0"
            aria-label=${t("{name}: every place, look by look. Arrows move, Enter opens the word.", { name: this.name })}
            @pointermove=${(/** @type {MouseEvent} */ event) => this.point(this.place(event))}
            @pointerleave=${() => this.point(null)}
            @blur=${() => this.point(null)}
            @keydown=${(/** @type {KeyboardEvent} */ event) => this.key(event)}
            @click=${click}
          ></canvas>
          <div class="axis along" aria-hidden="true"><span>0</span><b>${t("place →")}</b><span>${cells}</span></div>
        </div>
        <p class="scale">
          <span>${t(low)}</span
          ><span class="heat" aria-hidden="true"
            >${Array.from({ length: STEPS }, (_, k) => html`<i style="background: var(--heat-${k})"></i>`)}</span
          ><span>${t(high)}</span><span class="dots">${t("• written in this look")}</span
          ><span class="dots">${t("blank: nothing known")}</span>
        </p>
        <p class="reading" role="status">${this.says}</p>`,
      this.node,
    );
  }

  /** @type {{cell: number, moment: number} | null} */
  pointed = null;

  /** Look at a place: its word in the text is marked, and the sentence speaks of it.
   * @param {{cell: number, moment: number} | null} place
   */
  point(place) {
    if (!place && !this.pointed) return;
    this.pointed = place;
    this.handlers.hover(place?.cell ?? NOTHING);
    this.draw();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { state } = this;
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!state || !(by || event.key === "Enter")) return;
    event.preventDefault();
    event.stopPropagation();
    const last = { cell: (state.side.moments[0]?.tokens.length ?? 1) - 1, moment: state.side.moments.length - 1 };
    const from = this.pointed ?? { cell: Math.max(0, state.cell), moment: state.at };
    if (!by) {
      this.handlers.pick(from.cell, from.moment);
      return this.handlers.open();
    }
    const within = (/** @type {number} */ value, /** @type {number} */ most) => Math.max(0, Math.min(most, value));
    const [across, down] = /** @type {[number, number]} */ (by);
    this.point({ cell: within(from.cell + across, last.cell), moment: within(from.moment + down, last.moment) });
  }

  /** @param {MouseEvent} event */
  place(event) {
    if (!this.state) return null;
    const { side } = this.state;
    const cells = side.moments[0]?.tokens.length ?? 0;
    const box = this.canvas.getBoundingClientRect();
    const cell = Math.floor(((event.clientX - box.left) / box.width) * cells);
    const moment = Math.floor(((event.clientY - box.top) / box.height) * side.moments.length);
    return cell >= 0 && cell < cells && moment >= 0 && moment < side.moments.length ? { cell, moment } : null;
  }

  /**
   * @param {string} title
   * @param {NonNullable<PassMap["state"]>} state
   * @param {boolean} seen it is on the screen
   */
  show(title, state, seen) {
    this.title = title;
    this.state = state;
    if (!seen) return;
    this.label();
    this.draw();
  }

  draw() {
    const sheet = this.state && surface(this.canvas);
    if (!sheet || !this.state) return;
    const { side, at, shows, cell } = this.state;
    const { pen, width, height } = sheet;
    const rows = side.moments.length;
    const cells = side.moments[at]?.tokens.length ?? 0;
    if (!rows || !cells) return;
    const [wide, tall] = [width / cells, height / rows];
    const { picture, any } = pictureOf(side, at, shows, cells);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(picture, 0, 0, width, (at + 1) * tall);
    if (tall >= 4 && wide >= 4) {
      pen.fillStyle = colour("ink"); // a dot where a cell was written
      for (let m = 0; m <= at; m++) {
        for (const c of side.moments[m]?.fresh ?? []) pen.fillRect((c + 0.5) * wide - 1, (m + 0.5) * tall - 1, 2, 2);
      }
    }
    const row = Math.min(this.pointed?.moment ?? at, rows - 1);
    pen.strokeStyle = colour("mark");
    pen.lineWidth = 1.5;
    pen.strokeRect(0.75, row * tall + 0.75, width - 1.5, Math.max(1, tall - 1.5));
    if (cell >= 0) pen.strokeRect(cell * wide + 0.75, 0.75, Math.max(1, wide - 1.5), height - 1.5);
    const none =
      shows === "entropy" && !any
        ? t("This is known only of looks that are made while you watch.")
        : t("Point at a place to read what it held; click it to go to that look.");
    const says = cell >= 0 ? placeSentence(side, row, cell) : none;
    if (says === this.says) return;
    this.says = says;
    this.label();
  }
}
