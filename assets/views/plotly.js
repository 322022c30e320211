/** Plotly, from this server, once, and only when somebody looks at a chart. */

import { t } from "../looks/language.js";

/** @type {Promise<any> | null} */
let plotly = null;

/** Plotly as this server serves it; captured at once, since Gradio may bring its own.
 * @param {string} address
 * @returns {Promise<any>}
 */
export function loadPlotly(address) {
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
