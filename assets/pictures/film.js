/** A run as a GIF on the page's clock: each picture shows both sides at one time. Drawn while the page goes on, until it is done or stopped. */

import { samplesOf } from "../cells/samples.js";
import { serif, widthInSerif } from "../looks/letters.js";
import { t } from "../looks/language.js";
import { end, shown } from "../clock/playhead.js";
import { pictureOf, lettersFor } from "./drawing.js";
import { Gif, nearest, paletteOf } from "./gif.js";
import { filled, sceneOf } from "./scene.js";

/** @typedef {import("./drawing.js").Colours} Colours */
/** @typedef {import("./scene.js").Stage} Stage */

export const FILM = { width: 960, height: 540 };
const FEWEST = 50; // pictures
const MOST = 120;
const EACH = 10; // hundredths of a second
const LAST = 200;
const LARGEST = 2 << 20; // bytes
const GRAIN = 30; // ms of work before the page has its turn
const ALONE = 0.35; // share of a pass in which the words of the last stand alone, before the next guesses are seen

/**
 * The times of the pictures: evenly, from the start to the end of the later side.
 * @param {Stage} stage
 * @param {number} most
 */
export function timesOf({ timed }, most = MOST) {
  const last = end(timed, "clock");
  const moments = Math.max(...timed.map((side) => side.moments.length));
  const many = Math.max(1, Math.min(most, Math.max(FEWEST, moments)));
  return Array.from({ length: many + 1 }, (_, i) => (last * i) / many);
}

/**
 * What each side shows at a time of the clock.
 * @param {Stage} stage
 * @param {number} time
 * @returns {import("./scene.js").Shown[]}
 */
export function shownAt(stage, time) {
  return filled(stage).map(({ side, number }) => {
    const own = stage.timed[number] ?? side;
    const at = shown(own, { axis: "clock", at: time, playing: false, following: false });
    const [now, next] = [own.moments[at]?.clock ?? 0, own.moments[at + 1]?.clock ?? 0];
    const ahead = !side.head.causal && side.moments[at + 1]?.kind === "pass" && time - now > ALONE * (next - now);
    return { side, number, at, ahead };
  });
}

/**
 * @param {Stage} stage
 * @param {Colours} colours
 * @param {(share: number) => void} tell
 * @param {AbortSignal} signal
 * @returns {Promise<Blob>}
 */
export async function film(stage, colours, tell, signal) {
  let most = MOST;
  for (;;) {
    const gif = await filmed(stage, timesOf(stage, most), colours, tell, signal);
    if (gif.size <= LARGEST || most <= FEWEST / 2) return gif;
    most = Math.round(most / 2);
  }
}

/**
 * @param {Stage} stage
 * @param {number[]} times
 * @param {Colours} colours
 * @param {(share: number) => void} tell
 * @param {AbortSignal} signal
 */
async function filmed(stage, times, colours, tell, signal) {
  const paper = document.createElement("canvas");
  Object.assign(paper, FILM);
  const pen = paper.getContext("2d", { willReadFrequently: true });
  if (!pen) throw new Error(t("This browser cannot draw it."));
  const { palette, size } = paletteOf(
    [colours.card ?? "#ffffff"],
    ["ink", "ink-2", "side-0", "side-1", "mark", "line-strong"].map((name) => colours[name] ?? "#000000"),
  );
  const indexed = nearest(palette, size);
  const gif = new Gif(FILM.width, FILM.height, palette);
  const samples = filled(stage).map(({ side }) => ({ causal: Boolean(side.head.causal), rows: samplesOf(side) }));
  const letters = lettersFor(samples, FILM, widthInSerif); // the same in every picture
  let turn = performance.now();
  for (const [i, time] of times.entries()) {
    const last = i === times.length - 1;
    const scene = sceneOf(stage, shownAt(stage, time), last);
    draw(pen, pictureOf(scene, colours, { ...FILM, ...letters }, widthInSerif), colours);
    gif.frame(indexed(pen.getImageData(0, 0, FILM.width, FILM.height).data), last ? LAST : EACH);
    tell((i + 1) / times.length);
    if (performance.now() - turn < GRAIN) continue;
    await new Promise((go) => setTimeout(go));
    signal.throwIfAborted();
    turn = performance.now();
  }
  return gif.done();
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {ReturnType<typeof pictureOf>} picture
 * @param {Colours} colours
 */
function draw(pen, { texts, rules }, colours) {
  pen.fillStyle = colours.card ?? "#ffffff";
  pen.fillRect(0, 0, FILM.width, FILM.height);
  for (const { x, y, w, h, fill, fade } of rules) {
    pen.globalAlpha = fade;
    pen.fillStyle = fill;
    pen.fillRect(Math.round(x), Math.round(y), Math.round(w), Math.max(1, Math.round(h)));
  }
  for (const { x, y, size, text, ink, fade, bold } of texts) {
    pen.globalAlpha = fade;
    pen.fillStyle = ink;
    pen.font = `${bold ? "700 " : ""}${size}px ${serif()}`;
    pen.fillText(text, x, y);
  }
  pen.globalAlpha = 1;
}
