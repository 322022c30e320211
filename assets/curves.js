/** Curves of a run for both lanes. Plotly is fetched from this server, and only when somebody looks. */

import { colour } from "./dom.js";

/** @typedef {import("./store.js").Lane} Lane */

/** @typedef {{x: number[], confidence: number[], open: number[], tokens: number[], tempo: number[]}} Series */

/**
 * The numbers of a lane, one for each pass.
 * @param {Lane} lane
 * @param {number} at
 * @returns {Series}
 */
export function series(lane, at) {
  /** @type {Series} */
  const told = { x: [], confidence: [], open: [], tokens: [], tempo: [] };
  let clock = 0;
  for (const moment of lane.moments.slice(0, at + 1)) {
    if (moment.kind !== "pass") continue;
    told.x.push(moment.passes);
    told.confidence.push(moment.mean);
    told.open.push(moment.open);
    told.tokens.push(moment.fresh.length);
    told.tempo.push(moment.clock - clock);
    clock = moment.clock;
  }
  return told;
}

/** @type {Promise<any> | null} */
let plotly = null;

/** Plotly as this server serves it; captured at once, since Gradio may bring its own.
 * @param {string} address
 * @returns {Promise<any>}
 */
function fetched(address) {
  plotly ??= new Promise((resolve, reject) => {
    const before = /** @type {any} */ (globalThis).Plotly;
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => {
      const ours = /** @type {any} */ (globalThis).Plotly;
      if (before) /** @type {any} */ (globalThis).Plotly = before;
      resolve(ours);
    };
    script.onerror = () => reject(new Error("Plotly could not be read from this server."));
    document.head.append(script);
  });
  return plotly;
}

/** @type {{key: "confidence" | "open" | "tokens" | "tempo", title: string}[]} */
const PANELS = [
  { key: "confidence", title: "mean confidence" },
  { key: "open", title: "open cells" },
  { key: "tokens", title: "tokens in a pass" },
  { key: "tempo", title: "ms in a pass" },
];

/**
 * @param {HTMLElement} node
 * @param {{name: string, series: Series}[]} lanes
 * @param {string} address
 */
export async function drawCurves(node, lanes, address) {
  const Plotly = await fetched(address);
  const ink = colour("ink");
  const grid = colour("line");
  const data = PANELS.flatMap(({ key }, panel) =>
    lanes.map(({ name, series: told }, lane) => ({
      x: told.x,
      y: told[key],
      name,
      legendgroup: name,
      showlegend: panel === 0,
      xaxis: `x${panel + 1}`,
      yaxis: `y${panel + 1}`,
      mode: "lines",
      line: { color: colour(`lane-${lane}`), width: 2, shape: "hv", dash: lane ? "dot" : "solid" },
      hovertemplate: "%{y:.3~g}",
    })),
  );
  /** @type {Record<string, any>} */
  const layout = {
    grid: { rows: 2, columns: 2, pattern: "independent", ygap: 0.35 },
    font: { color: ink, family: getComputedStyle(node).fontFamily, size: 12 },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    margin: { l: 54, r: 12, t: 24, b: 36 },
    legend: { orientation: "h", y: 1.12, x: 0 },
    hovermode: "x",
    height: 460,
  };
  PANELS.forEach(({ title }, i) => {
    layout[`xaxis${i + 1}`] = { gridcolor: grid, zeroline: false, title: { text: i > 1 ? "pass" : "" } };
    layout[`yaxis${i + 1}`] = { gridcolor: grid, zerolinecolor: grid, title: { text: title }, rangemode: "tozero" };
  });
  await Plotly.react(node, data, layout, { displaylogo: false, responsive: true, displayModeBar: false });
  node.dataset.drawn = String(lanes[0]?.series.x.length ?? 0);
}
