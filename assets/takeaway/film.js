/** A run as a GIF: drawn moment by moment while the page goes on, with how far it has come, until it is done or stopped. */

import { faces } from "../cells/face.js";
import { pictureOf, sizeFor } from "./drawing.js";
import { Gif, nearest, paletteOf } from "./gif.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("./drawing.js").Colours} Colours */

export const FILM = { width: 960, height: 540 };
const MOST = 600; // pictures
const EACH = 20; // hundredths of a second
const LAST = 300;
const GRAIN = 30; // ms of work before the page has its turn

/** What stands under a side's name.
 * @param {Side} side
 * @param {number} at
 */
export function captionOf(side, at) {
  const moment = side.moments[at];
  if (!moment) return "";
  const left = moment.open === 0 ? "finished" : `${moment.open} open`;
  return `pass ${moment.passes}, ${left}`;
}

/**
 * @param {Side[]} sides that have something to show
 * @param {string[]} names
 * @param {Colours} colours
 * @param {(share: number) => void} tell
 * @param {AbortSignal} signal
 */
export async function film(sides, names, colours, tell, signal) {
  const length = Math.max(...sides.map(({ moments }) => moments.length));
  if (length > MOST) throw new Error(`This run has ${length} moments; a GIF holds ${MOST}. Save it as a page instead.`);
  const paper = document.createElement("canvas");
  Object.assign(paper, FILM);
  const pen = paper.getContext("2d", { willReadFrequently: true });
  if (!pen) throw new Error("This browser cannot draw it.");
  const grounds = Object.entries(colours)
    .filter(([name]) => /paper|soft|tint|mark-soft/.test(name))
    .map(([, hex]) => hex);
  const { palette, size } = paletteOf(
    [...new Set(grounds)],
    ["ink", "ink-2", "accent", "mark", "doubt"].map((n) => colours[n] ?? "#000000"),
  );
  const indexed = nearest(palette, size);
  const gif = new Gif(FILM.width, FILM.height, palette);
  const wide = FILM.width / sides.length;
  const ends = sides.map((side) => faces(side, side.moments.length - 1));
  const letters = sizeFor(ends, colours, wide * 0.92, FILM.height * 0.84, 26); // the same in every picture
  let turn = performance.now();
  for (let at = 0; at < length; at++) {
    const shown = sides.map((side, i) => {
      const moment = Math.min(at, side.moments.length - 1);
      return { name: names[i] ?? "", caption: captionOf(side, moment), faces: faces(side, moment) };
    });
    draw(pen, shown, colours, letters);
    gif.frame(indexed(pen.getImageData(0, 0, FILM.width, FILM.height).data), at === length - 1 ? LAST : EACH);
    tell((at + 1) / length);
    if (performance.now() - turn < GRAIN) continue;
    await new Promise((go) => setTimeout(go));
    signal.throwIfAborted();
    turn = performance.now();
  }
  return gif.done();
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {{name: string, caption: string, faces: import("./drawing.js").Face[]}[]} sides
 * @param {Colours} colours
 * @param {number} size
 */
function draw(pen, sides, colours, size) {
  const sans = "system-ui, sans-serif";
  pen.fillStyle = colours.paper ?? "#ffffff";
  pen.fillRect(0, 0, FILM.width, FILM.height);
  for (const { name, caption, x, head, boxes } of pictureOf(sides, colours, { ...FILM, size })) {
    pen.textAlign = "left";
    pen.fillStyle = colours.ink ?? "#000000";
    pen.font = `700 20px ${sans}`;
    pen.fillText(name, x, head);
    const after = x + pen.measureText(name).width + 12;
    pen.font = `14px ${sans}`;
    pen.fillText(caption, after, head);
    pen.textAlign = "center";
    for (const box of boxes) {
      if (box.fill) {
        pen.fillStyle = box.fill;
        pen.fillRect(Math.round(box.x), Math.round(box.y), Math.round(box.w), Math.round(box.h));
      }
      if (box.edge) {
        pen.strokeStyle = box.edge;
        pen.lineWidth = 2;
        pen.setLineDash(box.dashed ? [4, 3] : []);
        pen.strokeRect(Math.round(box.x) + 1, Math.round(box.y) + 1, Math.round(box.w) - 2, Math.round(box.h) - 2);
      }
      pen.fillStyle = box.ink;
      pen.globalAlpha = box.fade;
      pen.font = `${box.slanted ? "italic " : ""}${box.bold ? "700 " : ""}${size}px ${sans}`;
      pen.fillText(box.text, box.x + box.w / 2, box.y + box.h * 0.7, box.w);
      pen.globalAlpha = 1;
    }
  }
}
