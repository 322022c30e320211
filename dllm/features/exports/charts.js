/** Charts as SVG at projector size: the curves of a run, and the tree of its branches. Pure. */

import { lines } from "../../assets/views/branches.js";
import { CALIBRATION, PANELS, rounded, stepped } from "../../assets/views/curves.js";
import { PROJECTOR, escaped, sheet, short } from "../../assets/pictures/svg.js";
import { t } from "../../assets/looks/language.js";

/** @typedef {import("../../assets/pictures/drawing.js").Colours} Colours */
/** @typedef {import("../../assets/views/curves.js").Series} Series */
/** @typedef {import("../../assets/views/calibration.js").Bin} Bin */
/** @typedef {{name: string, series: Series, bins: Bin[]}} Curve */
/** @typedef {{x: number, y: number, width: number, height: number}} Place */

const EDGE = 100;
const HEAD = 110;

/**
 * @param {Curve[]} sides
 * @param {Colours} colours
 */
export function curvesSvg(sides, colours) {
  const [wide, high] = [(PROJECTOR.width - 2.4 * EDGE) / 2, (PROJECTOR.height - HEAD - 30) / 3];
  const place = (/** @type {number} */ panel) => ({
    x: EDGE + (panel % 2) * (wide + EDGE * 0.9),
    y: HEAD + 46 + Math.floor(panel / 2) * high,
    width: wide - 40,
    height: high - 110,
  });
  const passes = Math.max(1, ...sides.flatMap(({ series }) => series.x));
  const panels = PANELS.map(({ key, title }, panel) => {
    const values = sides.flatMap(({ series }) => series[key].filter((value) => value !== null));
    const share = key === "confidence";
    const most = share ? 1 : rounded(Math.max(0, ...values.map((value) => value ?? 0)) || 1);
    const { across, up, frame } = axes(place(panel), [1, passes], [0, most], title, colours, share);
    const drawn = sides.map(({ series }, i) => line(stepped(series.x, series[key], across, up), i, colours, key));
    return [frame, ...drawn].join("\n");
  });
  const { across, up, frame } = axes(place(PANELS.length), [0, 1], [0, 1], CALIBRATION, colours, true, true);
  const equal = `<path d="M${short(across(0))} ${short(up(0))}L${short(across(1))} ${short(up(1))}" stroke="${colours["line-strong"]}" stroke-dasharray="8 8" fill="none"/>`;
  const bins = sides.map(({ bins: rows }, i) => {
    const path = rows
      .map(({ sure, stood }, at) => `${at ? "L" : "M"}${short(across(sure))} ${short(up(stood))}`)
      .join("");
    return line(path, i, colours, "calibration");
  });
  const key = sides.map(({ name }, i) => {
    const x = EDGE + i * 420;
    return (
      line(`M${x} 54H${x + 70}`, i, colours, "key") +
      `<text x="${x + 86}" y="66" font-size="36" font-weight="700" fill="${colours.ink}">${escaped(name)}</text>`
    );
  });
  return sheet(colours, t("Curves of {names}", { names: sides.map(({ name }) => name).join(` ${t("and")} `) }), [
    ...key,
    ...panels,
    frame,
    equal,
    ...bins,
  ]);
}

/**
 * @param {string} path
 * @param {number} side
 * @param {Colours} colours
 * @param {string} name
 */
function line(path, side, colours, name) {
  const dash = side ? ' stroke-dasharray="4 7" stroke-linecap="round"' : "";
  return `<path data-side="${side}" data-line="${name}" d="${path}" fill="none" stroke="${colours[`side-${side}`]}" stroke-width="4"${dash}/>`;
}

/**
 * A panel's title, frame and numbers, and where a value is drawn in it.
 * @param {Place} place
 * @param {[number, number]} xs
 * @param {[number, number]} ys
 * @param {string} title
 * @param {Colours} colours
 * @param {boolean} share whether values are shares, shown in %
 * @param {boolean} [shares] whether those across are, too
 */
function axes({ x, y, width, height }, [left, right], [low, high], title, colours, share, shares = false) {
  const across = (/** @type {number} */ value) => x + ((value - left) / Math.max(1e-9, right - left)) * width;
  const up = (/** @type {number} */ value) => y + height - ((value - low) / (high - low)) * height;
  const number = (/** @type {number} */ value, /** @type {boolean} */ percent) =>
    percent ? `${Math.round(100 * value)}` : String(Number(value.toPrecision(3)));
  const text = (
    /** @type {number} */ tx,
    /** @type {number} */ ty,
    /** @type {string} */ anchor,
    /** @type {string} */ says,
  ) =>
    `<text x="${short(tx)}" y="${short(ty)}" font-size="20" text-anchor="${anchor}" fill="${colours["ink-2"]}">${says}</text>`;
  const rows = [0, 0.5, 1].map((part) => {
    const value = low + part * (high - low);
    return (
      `<path d="M${short(x)} ${short(up(value))}h${short(width)}" stroke="${colours.line}" fill="none"/>` +
      text(x - 12, up(value) + 7, "end", number(value, share))
    );
  });
  const ends = [left, right].map((value, i) =>
    text(across(value), y + height + 28, i ? "end" : "start", number(value, shares)),
  );
  const name = text(x + width / 2, y + height + 28, "middle", shares ? t("how sure it was, in %") : t("look"));
  const head = `<text x="${short(x)}" y="${short(y - 16)}" font-size="24" font-weight="700" fill="${colours.ink}">${escaped(title)}</text>`;
  return { across, up, frame: [head, ...rows, ...ends, name].join("\n") };
}

/**
 * @param {{name: string, tree: import("../../assets/views/branches.js").Branch[], branch: string}[]} sides
 * @param {Colours} colours
 */
export function branchesSvg(sides, colours) {
  const forked = sides.filter(({ tree }) => tree.length > 1);
  if (!forked.length) throw new Error(t("There is only one branch so far: go back to a look and press Fork here."));
  const count = forked.reduce((sum, { tree }) => sum + tree.length, 0);
  const step = Math.min(90, (PROJECTOR.height - HEAD * (forked.length + 0.5)) / count);
  const scale = (PROJECTOR.width - EDGE - 560) / 120; // `lines` draws along 120
  let top = 0;
  const groups = forked.map(({ name, tree, branch }, i) => {
    const head = `<text x="${EDGE}" y="${short(top + 70)}" font-size="40" font-weight="700" fill="${colours.ink}">${escaped(name)}</text>`;
    const middle = (/** @type {number} */ row) => top + HEAD + (row + 0.5) * step;
    const drawn = lines(tree).map(({ name: one, row, parent, from, to }) => {
      const present = one === branch;
      const [begin, end] = [EDGE + from * scale, EDGE + to * scale];
      const shown = { name: one, n: tree[row]?.end ?? 0 };
      const says = present
        ? t("branch {name}: {n} moments, on the stage", shown)
        : t("branch {name}: {n} moments", shown);
      return (
        `<path data-branch="${escaped(one)}" d="M${short(begin)} ${short(middle(parent))}V${short(middle(row))}H${short(end)}" fill="none" ` +
        `stroke="${colours[present ? "accent" : "line-strong"]}" stroke-width="${present ? 7 : 4}"/>` +
        `<circle cx="${short(end)}" cy="${short(middle(row))}" r="${present ? 10 : 7}" fill="${colours[present ? "accent" : "line-strong"]}"/>` +
        `<text x="${short(end + 22)}" y="${short(middle(row) + 9)}" font-size="26" fill="${colours.ink}">${escaped(says)}</text>`
      );
    });
    top += HEAD + tree.length * step;
    return `${head}\n<g data-side="${i}">\n${drawn.join("\n")}\n</g>`;
  });
  return sheet(colours, t("Branches"), groups);
}
