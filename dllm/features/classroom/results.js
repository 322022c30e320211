/** The answers of a class over the lower part of the page, large enough for the last row. */

import { t } from "../../assets/looks/language.js";
import { html, render } from "../../assets/vendor/lit-html.js";

/** @typedef {import("./answers.js").Bar} Bar */

export class Results {
  node = document.createElement("section");

  constructor() {
    this.node.className = "class-results";
    this.node.ariaLabel = t("Results");
    this.node.hidden = true;
  }

  shown = "";

  close() {
    this.node.hidden = true;
  }

  /**
   * @param {string} title
   * @param {Bar[]} rows
   */
  show(title, rows) {
    const key = JSON.stringify([title, rows]);
    if (key === this.shown) return; // it may be closed
    this.shown = key;
    const most = Math.max(1, ...rows.map(({ count }) => count));
    render(
      html`<button type="button" class="class-results-close" @click=${() => this.close()}>${t("Close")}</button>
        <h2>${title}</h2>
        <ol>
          ${rows.map(
            ({ label, count, right }) =>
              html`<li data-right=${right}>
                <span class="class-results-label">${right ? `✓ ${label}` : label}</span>
                <span class="class-results-bar"><i style="width: ${Math.round((100 * count) / most)}%"></i></span>
                <strong>${count}</strong>
              </li>`,
          )}
        </ol>`,
      this.node,
    );
    this.node.hidden = !rows.length;
  }
}
