/** Two to four decoders on one prompt and one seed, aligned by how much of the answer each has written. */

import { into, onSubmit } from "../../assets/looks/fields.js";
import { t } from "../../assets/looks/language.js";
import { html, nothing, render } from "../../assets/vendor/lit-html.js";
import { ask } from "./ask.js";
import { upto } from "./chart.js";
import { modelField, numberField, options } from "./fields.js";

const FIRST = ["fast-dllm", "llada", "dus", ""];

export class Beside {
  node = document.createElement("div");
  /** @type {any[]} */
  lanes = [];
  /** @type {string[]} words that end a text: one is shown, as a mark, and nothing behind it */
  ends = [];
  share = 100; // percent of the answer that is shown
  decoders = [...FIRST];

  /** @param {import("./lab.js").Offer} offer */
  constructor(offer) {
    this.titles = Object.fromEntries(Object.entries(offer.decoders).map(([value, { title }]) => [value, title]));
    this.fields = { model: "denoiser", prompt: offer.prompts[0] ?? "", length: 64, seed: 0 };
    this.status = t("Same prompt, same seed, same random choices: only the order of writing differs.");
    this.show();
  }

  async go() {
    this.say(t("Writing …"));
    try {
      const { model, ...fields } = this.fields;
      const decoders = this.decoders.filter(Boolean).map((preset) => ({ preset }));
      const { lanes, ends, parting } = await ask("lab/compare", { model: model.trim(), ...fields, decoders });
      Object.assign(this, { lanes, ends, share: 100 });
      this.say(parting.join(" "));
    } catch (error) {
      this.say(/** @type {Error} */ (error).message);
    }
  }

  /** @param {string} status */
  say(status) {
    this.status = status;
    this.show();
  }

  show() {
    const { fields, lanes } = this;
    render(
      html`<form @submit=${onSubmit(() => void this.go())}>
          <label
            >${t("Prompt")}<textarea
              rows="2"
              maxlength="8000"
              .value=${fields.prompt}
              @input=${into(fields, "prompt")}
            ></textarea>
          </label>
          <div class="lab-row flow">
            ${modelField(fields)} ${numberField(t("Words to write"), fields, "length", [1, 512])}
            ${numberField(t("Seed"), fields, "seed", [0, 9999])}
          </div>
          <div class="lab-row flow">
            ${this.decoders.map(
              (chosen, i) =>
                html`<select aria-label=${t("decoder")} @change=${into(this.decoders, i)}>
                  <option value="">${t("none")}</option>
                  ${options(this.titles, chosen)}
                </select>`,
            )}
            <button type="submit" class="primary">${t("Set side by side")}</button>
          </div>
        </form>
        <p role="status" class="lab-status">${this.status}</p>
        ${
          lanes.length
            ? html`<label
                >${t("How much is written")}<input
                  type="range"
                  min="0"
                  max="100"
                  .value=${String(this.share)}
                  @input=${into(this, "share", () => this.show())}
              /></label>`
            : nothing
        }
        <div class="lab-lanes">${this.lanes.map((lane) => this.lane(lane))}</div>`,
      this.node,
    );
  }

  /** @param {any} lane */
  lane(lane) {
    const { pass, cells, fresh } = upto(lane, this.share / 100);
    const first = upto(this.lanes[0], 1).cells;
    return html`<section class="lab-lane">
      <h4>${t(lane.label)}</h4>
      <p class="lab-fine">${t("look {now} of {last}", { now: pass, last: lane.passes.length })}</p>
      <p class="lab-text">
        ${this.whole(cells).map((piece, at) => {
          if (piece === null) return html`<span class="lab-open"> ▁</span>`;
          const name = fresh.has(at) ? "lab-fresh" : piece === first[at] ? "" : "lab-other";
          return html`<span class=${name}>${this.ends.includes(piece) ? " ∎" : piece}</span>`;
        })}
      </p>
    </section>`;
  }

  /** Cells up to the first end that has nothing open before it.
   * @param {(string | null)[]} cells
   */
  whole(cells) {
    const end = cells.findIndex((piece) => piece !== null && this.ends.includes(piece));
    return end < 0 || cells.slice(0, end).includes(null) ? cells : cells.slice(0, end + 1);
  }
}
