/** Plotly, from this server, once, and only when somebody looks at a chart. */

import { colour } from "../looks/dom.js";
import { t } from "../looks/language.js";

/** @type {Promise<any> | null} */
let plotly = null;

/** Plotly as this server serves it; captured at once, since Gradio may bring its own.
 * @param {string} address
 * @returns {Promise<any>}
 */
function loadPlotly(address) {
  plotly ??= new Promise((resolve, reject) => {
    const before = /** @type {any} */ (globalThis).Plotly;
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => {
      const ours = /** @type {any} */ (globalThis).Plotly;
      if (before) /** @type {any} */ (globalThis).Plotly = before;
      resolve(ours);
    };
    script.onerror = () => reject(new Error(t("Plotly could not be read from this server.")));
    document.head.append(script);
  });
  return plotly;
}

/** Draw a chart in the page's colours. A responsive chart fills its box, which has no height of its own.
 * @param {HTMLElement} box
 * @param {string} address where Plotly is served
 * @param {Record<string, any>[]} rows
 * @param {Record<string, any> & {height: number}} layout
 */
export async function drawChart(box, address, rows, layout) {
  const Plotly = await loadPlotly(address);
  const colours = { paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)" };
  const font = { color: colour("ink"), family: getComputedStyle(box).fontFamily, size: 13 };
  box.style.height = `${layout.height}px`;
  await Plotly.react(
    box,
    rows,
    { ...colours, font, ...layout },
    { displaylogo: false, responsive: true, displayModeBar: false },
  );
  return Plotly;
}
