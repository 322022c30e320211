/** Where the cells of a side stand in a picture, and how each looks: one layout for SVG, PNG and GIF. Pure. */

/** @typedef {import("../cells/face.js").Face} Face */
/** @typedef {Record<string, string>} Colours by the names of `colours.css` */
/**
 * @typedef {object} Box
 * @property {number} x
 * @property {number} y
 * @property {number} w
 * @property {number} h
 * @property {string} text
 * @property {string} fill "" for none
 * @property {string} ink
 * @property {number} fade of the text: a ghost is paler
 * @property {string} edge "" for none
 * @property {boolean} dashed
 * @property {boolean} slanted
 * @property {boolean} bold
 */

export const COLOURS = [
  ..."paper card ink ink-2 line line-strong soft accent mark mark-soft doubt side-0 side-1".split(" "),
  ...Array.from({ length: 6 }, (_, i) => `tint-${i}`),
  ...Array.from({ length: 7 }, (_, i) => `heat-${i}`),
];
const WIDE =
  /[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]|\p{Extended_Pictographic}/u;

/** About how wide a text is, in letters' heights.
 * @param {string} text
 */
export function widthOf(text) {
  let sum = 0;
  for (const letter of text) sum += WIDE.test(letter) ? 1.05 : /[ilj.,:;'!|]/.test(letter) ? 0.34 : 0.6;
  return sum;
}

/**
 * How a cell looks, in colours.
 * @param {Face} face
 * @param {Colours} colours
 */
export function styleOf({ look, sure }, colours) {
  const has = (/** @type {string} */ name) => look.split(" ").includes(name);
  const c = (/** @type {string} */ name) => colours[name] ?? "#888888";
  const digit = Number(sure || 9);
  const style = { fill: "", ink: c("ink"), fade: 1, edge: "", dashed: false, slanted: false, bold: has("given") };
  if (has("open")) {
    const erased = has("erased");
    return {
      ...style,
      fill: c("soft"),
      fade: 0.35 + digit * 0.07,
      slanted: true,
      dashed: erased,
      edge: erased ? c("mark") : "",
    };
  }
  if (has("own")) return { ...style, fill: c("mark-soft") };
  if (has("pinned")) return { ...style, fill: c("mark-soft"), edge: c("mark") };
  if (has("written")) {
    const tint = digit >= 9 ? 5 : digit >= 7 ? 4 : digit >= 5 ? 3 : digit >= 3 ? 2 : digit === 2 ? 1 : 0;
    Object.assign(style, {
      fill: c(`tint-${tint}`),
      edge: has("fresh") ? c("accent") : has("doubted") ? c("doubt") : "",
    });
  }
  return has("rest") || has("end") ? { ...style, fill: "", ink: c("ink-2"), fade: 0.6 } : style;
}

/**
 * @param {Face[]} faces
 * @param {Colours} colours
 * @param {{x: number, y: number, width: number, size: number}} place
 * @returns {{boxes: Box[], height: number}}
 */
export function laidOut(faces, colours, { x: left, y: top, width, size }) {
  const [pad, gap, line] = [size * 0.32, size * 0.2, size * 1.75];
  /** @type {Box[]} */
  const boxes = [];
  let [x, y] = [left, top];
  for (const face of faces) {
    const text = face.text || " ";
    const w = Math.max(size * 1.1, widthOf(text) * size + 2 * pad);
    if (x > left && x + w > left + width) [x, y] = [left, y + line];
    boxes.push({ x, y, w: Math.min(w, width), h: size * 1.5, text, ...styleOf(face, colours) });
    x += w + gap;
    if (face.breaks) [x, y] = [left, y + line];
  }
  return { boxes, height: y + line - top };
}

/**
 * The largest letters with which the cells of all sides fit.
 * @param {Face[][]} sides
 * @param {Colours} colours
 * @param {number} width of a side
 * @param {number} height
 * @param {number} [most]
 */
export function sizeFor(sides, colours, width, height, most = 44) {
  let size = most;
  const fits = () => sides.every((faces) => laidOut(faces, colours, { x: 0, y: 0, width, size }).height <= height);
  while (size > 8 && !fits()) size -= 1;
  return size;
}

/**
 * A picture of sides beside each other, as boxes and captions.
 * @param {{name: string, caption: string, faces: Face[]}[]} sides
 * @param {Colours} colours
 * @param {{width: number, height: number, size?: number}} room
 */
export function pictureOf(sides, colours, { width, height, size }) {
  const edge = width * 0.025;
  const wide = (width - edge * (sides.length + 1)) / sides.length;
  const head = height * 0.09;
  const room = height - head - edge;
  const letters =
    size ??
    sizeFor(
      sides.map(({ faces }) => faces),
      colours,
      wide,
      room,
    );
  return sides.map(({ name, caption, faces }, i) => {
    const x = edge + i * (wide + edge);
    return {
      name,
      caption,
      x,
      head: head * 0.62,
      size: letters,
      ...laidOut(faces, colours, { x, y: head, width: wide, size: letters }),
    };
  });
}
