/** Curves of a run for both sides. Plotly is fetched from this server, and only when somebody looks. */

import { colour } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { freshText } from "./meters.js";
import { loadPlotly } from "./plotly.js";
import { NOTHING, OPEN, unpacked } from "../wire/canvas.js";

/** @typedef {import("../wire/store.js").Side} Side */

/** @typedef {{x: number[], confidence: number[], entropy: (number | null)[], open: number[], tokens: number[]}} Series */

/**
 * The numbers of a side, one for each pass.
 * @param {Side} side
 * @param {number} at
 * @returns {Series}
 */
export function series(side, at) {
  /** @type {Series} */
  const rows = { x: [], confidence: [], entropy: [], open: [], tokens: [] };
  for (let m = 1; m <= at; m++) {
    const moment = side.moments[m];
    if (moment?.kind !== "pass") continue;
    rows.x.push(moment.passes);
    rows.confidence.push(moment.mean);
    rows.open.push(moment.open);
    rows.tokens.push(freshText(side, moment));
    rows.entropy.push(meanEntropy(moment, side.moments[m - 1]));
  }
  return rows;
}

/** Mean entropy, in nats, of the cells that were open when the model looked; null where a pass did not bring it.
 * @param {import("../wire/timeline.js").Moment} moment
 * @param {import("../wire/timeline.js").Moment | undefined} before
 */
function meanEntropy(moment, before) {
  if (!moment.event?.e || !before) return null;
  const row = unpacked(moment.event.e, 1);
  let [sum, cells] = [0, 0];
  for (let cell = 0; cell < row.length; cell++) {
    if (before.kinds[cell] !== OPEN || moment.guess[cell] === NOTHING) continue;
    sum += (row[cell] ?? 0) / 32;
    cells++;
  }
  return cells ? sum / cells : 0;
}

const NARROW = 620; // below it one panel stands under the other
const LAST = 5; // the panel of calibration

/** @type {{key: "confidence" | "entropy" | "open" | "tokens", title: string}[]} */
export const PANELS = [
  { key: "confidence", title: "mean confidence of open cells, in %" },
  { key: "entropy", title: "mean entropy of open cells, in nats" },
  { key: "open", title: "open cells" },
  { key: "tokens", title: "tokens written in a look" },
];
export const CALIBRATION = "calibration: guesses that came to stand, in %, by how sure it was";

/**
 * @param {HTMLElement} node
 * @param {{name: string, series: Series, bins: import("./calibration.js").Bin[], cell: import("./belief.js").Guess[], picked: number}[]} sides
 * @param {string} address
 * @param {(side: number, pass: number) => void} jump
 */
export async function drawCurves(node, sides, address, jump) {
  const Plotly = await loadPlotly(address);
  const ink = colour("ink");
  const grid = colour("line");
  /** @type {Record<string, any>[]} */
  const data = PANELS.flatMap(({ key }, panel) =>
    sides.map(({ name, series: rows }, side) => ({
      side,
      x: rows.x,
      y: rows[key],
      name,
      legendgroup: name,
      showlegend: panel === 0,
      xaxis: `x${panel + 1}`,
      yaxis: `y${panel + 1}`,
      mode: "lines",
      line: { color: colour(`side-${side}`), width: 2, shape: "hv", dash: side ? "dot" : "solid" },
      hovertemplate: "look %{x}: %{y:.3~g}",
    })),
  );
  data.push(...ownCell(sides), ...calibrated(sides));
  const narrow = node.clientWidth < NARROW;
  /** @type {Record<string, any>} */
  const layout = {
    grid: {
      rows: narrow ? 5 : 3,
      columns: narrow ? 1 : 2,
      pattern: "independent",
      xgap: 0.12,
      ygap: narrow ? 0.5 : 0.4,
    },
    font: { color: ink, family: getComputedStyle(node).fontFamily, size: 12 },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    margin: { l: 40, r: 12, t: 56, b: 40 },
    legend: { orientation: "h", y: 1, yref: "container", yanchor: "top", x: 0 },
    hovermode: "x",
    height: narrow ? 1000 : 640,
    annotations: PANELS.flatMap(({ key, title }, i) => {
      const blank = sides.every(({ series: rows }) => rows[key].every((value) => value === null));
      const hint = blank && sides.some(({ series: rows }) => rows.x.length) ? [notYet(i + 1)] : [];
      return [heading(title, i + 1), ...hint];
    }).concat([heading(CALIBRATION, LAST)]),
  };
  PANELS.forEach(({ key }, i) => {
    layout[`xaxis${i + 1}`] = { gridcolor: grid, zeroline: false, title: { text: t("look"), standoff: 4 } };
    layout[`yaxis${i + 1}`] = { gridcolor: grid, zerolinecolor: grid, rangemode: "tozero" };
    if (key === "confidence") Object.assign(layout[`yaxis${i + 1}`], { range: [0, 1.02], tickformat: ".0%" });
  });
  const share = { range: [0, 1.02], tickformat: ".0%", gridcolor: grid, zeroline: false };
  layout[`xaxis${LAST}`] = { ...share, title: { text: t("how sure it was of its guess"), standoff: 4 } };
  layout[`yaxis${LAST}`] = share;
  await Plotly.react(node, data, layout, { displaylogo: false, responsive: true, displayModeBar: false });
  const plot = /** @type {any} */ (node);
  plot.removeAllListeners?.("plotly_click");
  plot.on?.("plotly_click", (/** @type {any} */ { points }) => {
    const point = points[0];
    if (point && point.data.side !== undefined) jump(point.data.side, point.x);
  });
  node.dataset.drawn = String(sides[0]?.series.x.length ?? 0);
}

/** A panel's title stands on it, from its left edge: sideways along an axis it is hard to read, and a phone has no room.
 * @param {string} title
 * @param {number} panel
 */
function heading(title, panel) {
  const place = { xref: `x${panel} domain`, yref: `y${panel} domain`, x: 0, y: 1, xanchor: "left", yanchor: "bottom" };
  return { ...place, text: `<b>${t(title)}</b>`, showarrow: false, yshift: 4 };
}

/** The selected cell, among the means.
 * @param {Parameters<typeof drawCurves>[1]} sides
 */
function ownCell(sides) {
  return sides.flatMap(({ cell, picked, series: rows }) =>
    cell.length
      ? [
          {
            x: rows.x.slice(-cell.length),
            y: cell.map(({ share }) => share),
            name: t("cell {cell}", { cell: picked }),
            showlegend: true,
            xaxis: "x1",
            yaxis: "y1",
            mode: "lines+markers",
            line: { color: colour("mark"), width: 1.5, shape: "hv" },
            marker: { size: 4 },
            hovertemplate: "%{y:.1%}",
          },
        ]
      : [],
  );
}

/** Said and done, tenth by tenth, and the line on which both are equal.
 * @param {Parameters<typeof drawCurves>[1]} sides
 */
function calibrated(sides) {
  const place = { xaxis: `x${LAST}`, yaxis: `y${LAST}`, showlegend: false };
  const equal = {
    ...place,
    x: [0, 1],
    y: [0, 1],
    mode: "lines",
    hoverinfo: "skip",
    line: { color: colour("line-strong"), width: 1, dash: "dash" },
  };
  return [
    equal,
    ...sides.map(({ name, bins }, side) => ({
      ...place,
      name,
      x: bins.map(({ sure }) => sure),
      y: bins.map(({ stood }) => stood),
      customdata: bins.map(({ count }) => count),
      mode: "lines+markers",
      line: { color: colour(`side-${side}`), width: 2, dash: side ? "dot" : "solid" },
      hovertemplate: t("%{x:.0%} sure: %{y:.0%} of %{customdata} came to stand"),
    })),
  ];
}

/** Why a panel is empty.
 * @param {number} panel
 */
function notYet(panel) {
  const place = { xref: `x${panel} domain`, yref: `y${panel} domain`, x: 0.5, y: 0.5, xanchor: "center" };
  return { ...place, text: t("comes with looks that are made while you watch"), showarrow: false };
}
