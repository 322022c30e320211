/** Curves of a run for both sides. Plotly is fetched from this server, and only when somebody looks. */

import { colour } from "../looks/dom.js";
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
    rows.tokens.push(moment.fresh.length);
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

/** @type {{key: "confidence" | "entropy" | "open" | "tokens", title: string}[]} */
const PANELS = [
  { key: "confidence", title: "mean confidence" },
  { key: "entropy", title: "mean entropy, in nats" },
  { key: "open", title: "open cells" },
  { key: "tokens", title: "tokens in a pass" },
];

/**
 * @param {HTMLElement} node
 * @param {{name: string, series: Series}[]} sides
 * @param {string} address
 */
export async function drawCurves(node, sides, address) {
  const Plotly = await loadPlotly(address);
  const ink = colour("ink");
  const grid = colour("line");
  const data = PANELS.flatMap(({ key }, panel) =>
    sides.map(({ name, series: rows }, side) => ({
      x: rows.x,
      y: rows[key],
      name,
      legendgroup: name,
      showlegend: panel === 0,
      xaxis: `x${panel + 1}`,
      yaxis: `y${panel + 1}`,
      mode: "lines",
      line: { color: colour(`side-${side}`), width: 2, shape: "hv", dash: side ? "dot" : "solid" },
      hovertemplate: "%{y:.3~g}",
    })),
  );
  const narrow = node.clientWidth < NARROW;
  /** @type {Record<string, any>} */
  const layout = {
    grid: {
      rows: narrow ? 4 : 2,
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
    height: narrow ? 820 : 460,
    annotations: PANELS.flatMap(({ key, title }, i) => {
      const blank = sides.every(({ series: rows }) => rows[key].every((value) => value === null));
      const hint = blank && sides.some(({ series: rows }) => rows.x.length) ? [notYet(i + 1)] : [];
      return [heading(title, i + 1), ...hint];
    }),
  };
  PANELS.forEach(({ key }, i) => {
    const last = narrow ? i === 3 : i > 1;
    layout[`xaxis${i + 1}`] = { gridcolor: grid, zeroline: false, title: { text: last ? "pass" : "" } };
    layout[`yaxis${i + 1}`] = { gridcolor: grid, zerolinecolor: grid, rangemode: "tozero" };
    if (key === "confidence") Object.assign(layout[`yaxis${i + 1}`], { range: [0, 1.02], tickformat: ".0%" });
  });
  await Plotly.react(node, data, layout, { displaylogo: false, responsive: true, displayModeBar: false });
  node.dataset.drawn = String(sides[0]?.series.x.length ?? 0);
}

/** A panel's title stands on it, from its left edge: sideways along an axis it is hard to read, and a phone has no room.
 * @param {string} title
 * @param {number} panel
 */
function heading(title, panel) {
  const place = { xref: `x${panel} domain`, yref: `y${panel} domain`, x: 0, y: 1, xanchor: "left", yanchor: "bottom" };
  return { ...place, text: `<b>${title}</b>`, showarrow: false, yshift: 4 };
}

/** Why a panel is empty.
 * @param {number} panel
 */
function notYet(panel) {
  const place = { xref: `x${panel} domain`, yref: `y${panel} domain`, x: 0.5, y: 0.5, xanchor: "center" };
  return { ...place, text: "comes with every pass from now on", showarrow: false };
}
