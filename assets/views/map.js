/** Position × pass, drawn on a canvas: each row a pass, each column a cell. Hover and click are linked with the stage. */

import { colour, el, measured, say, surface } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { html, nothing, render } from "../vendor/lit-html.js";
import { SHOWS, STEPS, mapRow, reads, rowName, span } from "./map_cells.js";
import { placeSentence } from "./place_sentence.js";
import { NOTHING } from "../wire/canvas.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("./map_cells.js").Shows} Shows */
/** @typedef {{cell: number, moment: number}} Place */

const LINE = 15; // pixels between two names of rows, at least
const FEW = 14; // rows of a map that needs no height of its own

/** One side's map.
 * @typedef {{hover: (cell: number, moment: number) => void, pick: (cell: number, moment: number) => void, open: () => void}} Handlers
 */
export class PassMap {
  node = document.createElement("figure");
  /** @type {{side: Side, at: number, shows: Shows, cell: number} | null} */
  state = null;
  frame = el("div"); // the picture, and what is written around it
  reading = el("p", { className: "reading", role: "status" }); // of the place under the pointer

  /**
   * @param {string} title
   * @param {Handlers} handlers
   */
  constructor(title, handlers) {
    this.name = t(title);
    this.title = this.name;
    this.handlers = handlers;
    this.node.className = "map";
    this.node.append(this.frame, this.reading);
    this.label();
    this.canvas = /** @type {HTMLCanvasElement} */ (this.node.querySelector("canvas"));
    measured(this.canvas, () => this.draw());
  }

  span = { top: 0, rows: 1, from: 0, cells: 0 };
  tall = 0; // pixels of a row

  /** What is written around the picture. */
  label() {
    const { side, shows } = this.state ?? {};
    const key = SHOWS.find((one) => one.shows === shows)?.key ?? [];
    const click = (/** @type {MouseEvent} */ event) => {
      const place = this.place(event);
      if (place) this.handlers.pick(place.cell, place.moment);
    };
    render(
      html`<figcaption>${this.title}</figcaption>
        <div class="plane ${this.span.rows > FEW ? "many" : ""}">
          <ol class="axis looks" aria-hidden="true">
            ${side ? this.names((at) => rowName(side, at)) : nothing}
          </ol>
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
          <ol class="axis reads" aria-hidden="true">
            ${side ? this.names((at) => (reads(side, at) ? t("reads") : "")) : nothing}
          </ol>
          <div class="axis along" aria-hidden="true">
            <span>${t("first word")}</span><b>${t("places in the text")}</b><span>${t("last word")}</span>
          </div>
        </div>
        <ul class="scale flow">
          ${key.map(({ colour: name, says }) => html`<li>${swatch(name)} ${t(says)}</li>`)}
        </ul>`,
      this.frame,
    );
  }

  /** Names of the rows that have one, as many as there is room for.
   * @param {(at: number) => string} nameOf
   */
  names(nameOf) {
    const { top, rows } = this.span;
    const named = Array.from({ length: rows }, (_, i) => ({ i, name: nameOf(top + i) })).filter(({ name }) => name);
    let next = -1;
    const spaced = named.filter(({ i }) => {
      if (this.tall * (i - next) < LINE && next >= 0) return false;
      next = i;
      return true;
    });
    return spaced.map(({ i, name }) => html`<li style="top: ${((i + 0.5) / rows) * 100}%">${name}</li>`);
  }

  /** @type {Place | null} */
  pointed = null;

  /** Look at a place: its word and its look are marked, and the sentence speaks of it.
   * @param {Place | null} place
   */
  point(place) {
    if (!place && !this.pointed) return;
    this.pointed = place;
    this.handlers.hover(place?.cell ?? NOTHING, place?.moment ?? NOTHING);
    this.draw();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { state } = this;
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!state || !(by || event.key === "Enter")) return;
    event.preventDefault();
    event.stopPropagation();
    const { top, rows, from, cells } = this.span;
    const start = this.pointed ?? { cell: Math.max(from, state.cell), moment: state.at };
    if (!by) {
      this.handlers.pick(start.cell, start.moment);
      return this.handlers.open();
    }
    const within = (/** @type {number} */ value, /** @type {number} */ least, /** @type {number} */ count) =>
      Math.max(least, Math.min(least + count - 1, value));
    const [across, down] = /** @type {[number, number]} */ (by);
    this.point({ cell: within(start.cell + across, from, cells), moment: within(start.moment + down, top, rows) });
  }

  /** @param {MouseEvent} event */
  place(event) {
    if (!this.state) return null;
    const { top, rows, from, cells } = this.span;
    const box = this.canvas.getBoundingClientRect();
    const cell = Math.floor(((event.clientX - box.left) / box.width) * cells);
    const row = Math.floor(((event.clientY - box.top) / box.height) * rows);
    return cell >= 0 && cell < cells && row >= 0 && row < rows ? { cell: from + cell, moment: top + row } : null;
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
    const { moments } = state.side;
    if (moments !== this.moments) this.span = span(state.side);
    if (moments !== this.moments || state.shows !== this.shows || title !== this.titled) this.label();
    [this.moments, this.shows, this.titled] = [moments, state.shows, title];
    this.draw();
  }

  /** @type {Side["moments"] | null} */
  moments = null;
  /** @type {Shows | undefined} */
  shows;
  titled = "";
  /** @type {Side["moments"] | null} */
  painted = null;
  picture = document.createElement("canvas"); // of all rows, under the marks
  drawn = "";

  draw() {
    const sheet = this.state && surface(this.canvas);
    if (!sheet || !this.state) return;
    const { side, at, shows, cell } = this.state;
    const { pen, width, height } = sheet;
    const { top, rows, from, cells } = this.span;
    if (!side.moments.length || !cells) return;
    const [wide, tall] = [width / cells, height / rows];
    const { canvas, picture } = this;
    const look = `${colour("ink")} ${colour("heat-3")}`;
    const key = [at, shows, canvas.width, canvas.height, from, look].join();
    if (key !== this.drawn || this.painted !== side.moments) {
      this.drawn = key;
      this.painted = side.moments;
      [picture.width, picture.height] = [canvas.width, canvas.height];
      this.any = paint(picture, this.state, this.span);
    }
    pen.drawImage(picture, 0, 0, width, height);
    const row = Math.max(0, Math.min(rows - 1, (this.pointed?.moment ?? at) - top));
    pen.strokeStyle = colour("mark");
    pen.lineWidth = 1.5;
    pen.strokeRect(0.75, row * tall + 0.75, width - 1.5, Math.max(1, tall - 1.5));
    if (cell >= from) pen.strokeRect((cell - from) * wide + 0.75, 0.75, Math.max(1, wide - 1.5), height - 1.5);
    const none =
      shows === "entropy" && !this.any
        ? t("This is known only of looks that are made while you watch.")
        : t("Point at a place to read what it held; click it to go to that look.");
    say(this.reading, cell >= 0 ? placeSentence(side, row + top, cell) : none);
    if (tall === this.tall) return;
    this.tall = tall;
    this.label(); // another number of names has room
  }

  any = false; // guess is shown
}

/**
 * All rows up to a moment, in a canvas; whether a guess is among them.
 * @param {HTMLCanvasElement} picture
 * @param {NonNullable<PassMap["state"]>} state
 * @param {PassMap["span"]} of
 */
function paint(picture, { side, at, shows }, { top, rows, from, cells }) {
  const pen = /** @type {CanvasRenderingContext2D} */ (picture.getContext("2d"));
  const [wide, tall] = [picture.width / cells, picture.height / rows];
  const gap = (/** @type {number} */ room) => (room >= 5 ? Math.round(room / 8) : 0); // cells stand apart where there is room
  let any = false;
  for (let m = top; m <= at; m++) {
    const row = mapRow(side, m, shows).slice(from, from + cells);
    const [y, below] = [Math.round((m - top) * tall), Math.round((m - top + 1) * tall)];
    for (const [c, name] of row.entries()) {
      if (!name) continue;
      any ||= name.startsWith("heat");
      const [x, right] = [Math.round(c * wide), Math.round((c + 1) * wide)];
      pen.fillStyle = colour(name);
      pen.fillRect(x, y, Math.max(1, right - x - gap(wide)), Math.max(1, below - y - gap(tall)));
    }
  }
  return any;
}

/** A colour of the key, or the whole scale.
 * @param {string} name
 */
function swatch(name) {
  const colours = name === "heat" ? Array.from({ length: STEPS }, (_, k) => `heat-${k}`) : [name];
  return html`<span class="swatch" aria-hidden="true"
    >${colours.map((one) => html`<i style="background: var(--${one})"></i>`)}</span
  >`;
}
