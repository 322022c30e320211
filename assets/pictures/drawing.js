/** A picture of a run: prompt, sides, sentence. One layout for SVG, PNG and GIF, in which words stand as on the page. Pure. */

import { drawnCells, largest, places, withoutBlanks } from "../cells/places.js";

/** @typedef {import("../cells/face.js").Face} Face */
/** @typedef {Record<string, string>} Colours by the names of `colours.css` */
/** @typedef {(text: string, bold?: boolean) => number} Measure how wide a text is, in em */
/** @typedef {{name: string, caption: string, causal: boolean, row: Face[]}} SidePicture what a side shows */
/** @typedef {{prompt: string, sides: SidePicture[], sentence: import("../views/sentence.js").Sentence | null}} Picture */
/**
 * @typedef {object} Text
 * @property {number} x
 * @property {number} y of its baseline
 * @property {number} size
 * @property {string} text
 * @property {string} ink
 * @property {number} fade a guess is paler, the less sure it is
 * @property {boolean} bold
 * @property {number} [side]
 * @property {number} [cell]
 */
/** @typedef {{x: number, y: number, w: number, h: number, fill: string, fade: number}} Rule a line under a word, or over a side */

export const COLOURS = [
  ..."paper card ink ink-2 line line-strong soft accent mark mark-soft doubt side-0 side-1".split(" "),
  ...Array.from({ length: 6 }, (_, i) => `tint-${i}`),
  ...Array.from({ length: 7 }, (_, i) => `heat-${i}`),
];
const WIDE =
  /[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]|\p{Extended_Pictographic}/u;

/** About how wide a text is, where no letters can be measured. @type {Measure} */
export function widthOf(text) {
  let sum = 0;
  for (const letter of text) sum += WIDE.test(letter) ? 1.05 : /[ilj.,:;'!|]/.test(letter) ? 0.34 : 0.6;
  return sum;
}

/** Where everything lies in a picture of this size.
 * @param {number} width
 * @param {number} height
 * @param {number} sides
 */
function roomsOf(width, height, sides) {
  const edge = width * 0.03;
  const wide = (width - edge * (sides + 1)) / sides;
  const [top, foot] = [height * 0.205, height * 0.825];
  return { edge, wide, top, tall: foot - top, left: (/** @type {number} */ i) => edge + i * (wide + edge) };
}

/**
 * The largest letters with which all that the sides show in their course fits, and the distance of their lines.
 * @param {{causal: boolean, rows: Face[][]}[]} sides
 * @param {{width: number, height: number}} room
 * @param {Measure} measure
 */
export function lettersFor(sides, { width, height }, measure = widthOf) {
  const { wide, tall } = roomsOf(width, height, sides.length);
  const linesAt = (/** @type {number} */ size) =>
    sides.map(({ causal, rows }) =>
      Math.max(
        1,
        ...rows.map(
          (row) => places(row, withoutBlanks(row, drawnCells(row, causal)), wide / size, (text) => measure(text)).lines,
        ),
      ),
    );
  const rooms = sides.map(() => ({ width: wide, height: tall, slip: 0, popover: 0 }));
  const size = largest(linesAt, rooms, { most: height * 0.07, least: 5, pitch: 1.4 });
  return { size, pitch: Math.max(size * 1.2, Math.min(size * 1.7, tall / Math.max(...linesAt(size)))) };
}

/**
 * @param {Picture} picture
 * @param {Colours} colours
 * @param {{width: number, height: number, size: number, pitch: number}} room
 * @param {Measure} [measure]
 * @returns {{texts: Text[], rules: Rule[]}}
 */
export function pictureOf({ prompt, sides, sentence }, colours, { width, height, size, pitch }, measure = widthOf) {
  const { edge, wide, top, tall, left } = roomsOf(width, height, sides.length);
  const c = (/** @type {string} */ name) => colours[name] ?? "#888888";
  /** @type {Text[]} */
  const texts = [];
  /** @type {Rule[]} */
  const rules = [];
  /**
   * @param {number} x
   * @param {number} y
   * @param {number} letters
   * @param {string} text
   * @param {string} ink
   * @param {boolean} [bold]
   * @returns {number} where it ends
   */
  const write = (x, y, letters, text, ink, bold = false) => {
    texts.push({ x, y, size: letters, text, ink: c(ink), fade: 1, bold });
    return x + measure(text, bold) * letters;
  };

  const name = height * 0.042;
  write(width - edge - measure("Unmask", true) * name, height * 0.078, name, "Unmask", "ink", true);
  const space = (width - 3 * edge) / name - measure("Unmask", true);
  write(edge, height * 0.078, name, shortened(prompt, space, measure), "ink-2");
  sides.forEach((side, i) => {
    const hue = i ? "side-1" : "side-0";
    const x = left(i);
    rules.push({ x, y: height * 0.112, w: wide, h: Math.max(1, height * 0.004), fill: c(hue), fade: 1 });
    const after = write(x, height * 0.165, height * 0.036, side.name, hue, true);
    write(after + height * 0.022, height * 0.165, height * 0.03, side.caption, "ink-2");
    words(side, i, x);
  });
  if (sentence) {
    const whole = sentence.first.map(({ text }) => text).join("");
    const letters = Math.min(height * 0.04, (width - 2 * edge) / measure(whole, true));
    let x = edge;
    for (const { text, as } of sentence.first) {
      const ink = as === "mine" ? "mark" : as === "second" ? "side-1" : as === "first" ? "side-0" : "ink";
      x = write(x, height * 0.9, letters, text, ink, Boolean(as));
    }
    const small = Math.min(height * 0.034, (width - 2 * edge) / measure(sentence.second || " "));
    if (sentence.second) write(edge, height * 0.955, small, sentence.second, "ink-2");
  }
  return { texts, rules };

  /**
   * @param {SidePicture} side
   * @param {number} i
   * @param {number} x
   */
  function words({ row, causal }, i, x) {
    const drawn = drawnCells(row, causal);
    const placed = places(row, drawn, wide / size, (text) => measure(text));
    placed.at.forEach((place, cell) => {
      const face = row[cell];
      if (!place || !face) return;
      const y = top + place.line * pitch + size;
      if (y > top + tall && face.open && !face.ink) return; // room for words that may never come
      const { ink, fade, under } = styleOf(face, i);
      const at = x + place.x * size;
      if (under)
        rules.push({ x: at, y: y + size * 0.13, w: place.width * size, h: Math.max(1, size * 0.06), fill: c(under), fade: face.open && under !== "mark" ? 0.5 : 1 }); // prettier-ignore
      texts.push({ x: at, y, size, text: face.ink, ink: c(ink), fade, bold: false, side: i, cell });
    });
  }
}

/** The colours of a word, as on the page.
 * @param {Face} face
 * @param {number} side
 * @returns {{ink: string, fade: number, under: string}} `under`: of the line below it, or empty
 */
function styleOf({ look, open, share }, side) {
  const has = (/** @type {string} */ name) => look.split(" ").includes(name);
  const hue = side ? "side-1" : "side-0";
  if (has("pinned") || has("pending")) return { ink: "mark", fade: 1, under: "mark" };
  if (open) return { ink: hue, fade: 0.2 + 0.74 * share, under: has("erased") ? "mark" : "line-strong" };
  if (has("own")) return { ink: "mark", fade: 1, under: "" };
  return { ink: has("given") ? "ink-2" : "ink", fade: 1, under: "" };
}

/** The beginning of a text, on one line.
 * @param {string} text
 * @param {number} width in em
 * @param {Measure} measure
 */
function shortened(text, width, measure) {
  const letters = Array.from(text.replace(/\s+/g, " ").trim());
  if (measure(letters.join("")) <= width) return letters.join("");
  while (letters.length && measure(`${letters.join("")}…`) > width) letters.pop();
  return `${letters.join("").trimEnd()}…`;
}
