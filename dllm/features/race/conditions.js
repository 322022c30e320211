/** The numbers of a claim, to change, and what would have to be true for it. */

import { CHIPS } from "../../assets/clock/figures.js";
import { into } from "../../assets/looks/fields.js";
import { t } from "../../assets/looks/language.js";
import { html, render } from "../../assets/vendor/lit-html.js";
import { inequality } from "./inequality.js";

/** @typedef {import("./inequality.js").Claim} Claim */

const FIELDS = /** @type {[keyof Claim, string][]} */ ([
  ["rate", "Tokens a second that are claimed"],
  ["tokens", "Tokens of an answer"],
  ["canvas", "Cells of the canvas"],
  ["billions", "Billions of parameters, dense"],
]);

export class Conditions {
  node = document.createElement("details");
  /** @type {Claim} */
  claim = { rate: 1000, tokens: 256, canvas: 256, billions: 8, chip: "b200" };

  constructor() {
    this.node.className = "race-conditions";
    this.show();
  }

  show() {
    const { claim } = this;
    const keep = (/** @type {keyof Claim} */ name) => into(claim, name, () => this.show());
    render(
      html`<summary>${t("What would have to be true?")}</summary>
        <p class="race-fine">
          ${t(
            "A maker says how fast a model is, and neither its size nor its canvas nor its looks. One of them bounds the others, by the time that a chip needs for a look (modelled, at efficiencies of .3 and .9).",
          )}
        </p>
        <div class="race-work">
          ${FIELDS.map(
            ([name, title]) =>
              html`<label
                >${t(title)}<input type="number" min="0" step="any" value=${claim[name]} @input=${keep(name)}
              /></label>`,
          )}
          <label
            >${t("Chip")}<select @change=${keep("chip")}>
              ${Object.entries(CHIPS).map(
                ([key, { name }]) => html`<option value=${key} ?selected=${key === claim.chip}>${name}</option>`,
              )}
            </select></label
          >
        </div>
        <p class="race-condition" role="status">${inequality(claim)}</p>`,
      this.node,
    );
  }
}
