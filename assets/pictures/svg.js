/** Pictures as SVG at projector size: a canvas at a moment, and the map of a run. Text of a model is only text. Pure. */

import { pictureOf, lettersFor, widthOf } from "./drawing.js";
import { t } from "../looks/language.js";
import { AID, STEPS } from "../views/map_cells.js";

/** @typedef {import("./drawing.js").Colours} Colours */

export const PROJECTOR = { width: 1920, height: 1080 };
const SANS = "system-ui, 'Segoe UI', 'Noto Sans', sans-serif";
const SERIF = "'Iowan Old Style', 'Palatino Linotype', Palatino, 'Source Serif 4', Charter, Georgia, serif";

/** Text as it may stand in XML: what XML has no place for is shown as a replacement.
 * @param {string} text
 */
export function escaped(text) {
  const names = /** @type {Record<string, string>} */ ({
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  });
  return Array.from(text, (letter) => (/[\p{Cc}\p{Cs}\ufffe\uffff]/u.test(letter) ? "\ufffd" : letter))
    .join("")
    .replace(/[&<>"']/g, (mark) => names[mark] ?? mark);
}

/** @param {number} x */
export const short = (x) => String(Math.round(x * 10) / 10);

/**
 * @param {Colours} colours
 * @param {string} title
 * @param {string[]} parts
 * @param {string} [font]
 */
export function sheet(colours, title, parts, font = SANS) {
  const { width, height } = PROJECTOR;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="${font}" xml:space="preserve">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="${colours.paper}"/>`,
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

/**
 * The sides at the moments that they show.
 * @param {import("./drawing.js").Picture} picture
 * @param {Colours} colours
 * @param {import("./drawing.js").Measure} [measure]
 */
export function canvasSvg(picture, colours, measure = widthOf) {
  const samples = picture.sides.map(({ causal, row }) => ({ causal, rows: [row] }));
  const letters = lettersFor(samples, PROJECTOR, measure);
  const { texts, rules } = pictureOf(picture, colours, { ...PROJECTOR, ...letters }, measure);
  const lines = rules.map(
    ({ x, y, w, h, fill, fade }) =>
      `<rect x="${short(x)}" y="${short(y)}" width="${short(w)}" height="${short(h)}" fill="${fill}"${opacity(fade)}/>`,
  );
  const words = texts.map(({ x, y, size, text, ink, fade, bold, side, cell }) => {
    const place = cell === undefined ? "" : ` data-side="${side}" data-cell="${cell}"`;
    const look = `${bold ? ' font-weight="700"' : ""}${opacity(fade)}`;
    return `<text xml:space="preserve" x="${short(x)}" y="${short(y)}" font-size="${short(size)}" fill="${ink}"${look}${place}>${escaped(text)}</text>`;
  });
  const title = picture.sides.map(({ name, caption }) => `${name}: ${caption}`).join("; ");
  return sheet({ ...colours, paper: colours.card ?? "#ffffff" }, title, [...lines, ...words], SERIF);
}

/** @param {number} fade */
function opacity(fade) {
  return fade < 1 ? ` opacity="${Math.round(fade * 100) / 100}"` : "";
}

/**
 * Position by pass: a square for each cell at each moment.
 * @param {{name: string, caption: string, rows: string[][]}[]} sides the name of each square's colour, empty for nothing
 * @param {Colours} colours
 * @param {import("../views/map_cells.js").Key[]} key
 */
export function mapSvg(sides, colours, key) {
  const { width, height } = PROJECTOR;
  const [edge, head, foot] = [48, 100, 90];
  const wide = (width - edge * (sides.length + 1)) / sides.length;
  const groups = sides.map(({ name, caption, rows }, i) => {
    const cells = Math.max(1, ...rows.map((row) => row.length));
    const [w, h] = [wide / cells, (height - head - foot) / Math.max(1, rows.length)];
    const left = edge + i * (wide + edge);
    const squares = rows.flatMap((row, m) =>
      row.flatMap((shade, c) => {
        if (!shade) return [];
        return [
          `<rect data-at="${m},${c}" x="${short(left + c * w)}" y="${short(head + m * h)}" width="${short(w + 0.05)}" height="${short(h + 0.05)}" fill="${colours[shade]}"/>`,
        ];
      }),
    );
    return (
      `<text x="${left}" y="64" font-size="40" font-weight="700" fill="${colours.ink}">${escaped(name)}` +
      `<tspan dx="24" font-size="28" font-weight="400" fill="${colours["ink-2"]}">${escaped(caption)}</tspan></text>\n` +
      `<g data-side="${i}">\n${squares.join("\n")}\n</g>`
    );
  });
  const label = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ says) =>
    `<text x="${x}" y="${y}" font-size="24" fill="${colours["ink-2"]}">${escaped(says)}</text>`;
  let x = edge;
  const keys = key.map(({ colour, says }) => {
    const shades = colour === "heat" ? Array.from({ length: STEPS }, (_, k) => `heat-${k}`) : [colour];
    const squares = shades.map((shade, k) => {
      const [left, top] = [x + 24 * k, height - 72];
      return `<rect x="${left}" y="${top}" width="24" height="24" fill="${colours[shade]}"/>`;
    });
    const text = label(x + 24 * shades.length + 10, height - 52, t(says));
    x += 24 * shades.length + 10 + Math.ceil(24 * widthOf(t(says))) + 40;
    return squares.join("") + text;
  });
  const reading = label(edge, height - 14, t(AID));
  return sheet(colours, sides.map(({ name }) => name).join(` ${t("and")} `), [...groups, ...keys, reading]);
}
