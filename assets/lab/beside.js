/** Two to four decoders on one prompt and one seed, aligned by how much of the answer each has written. */

import { el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { upto } from "./chart.js";
import { ask } from "./ask.js";
import { label, models, number } from "./sweep.js";

const FIRST = ["fast-dllm", "llada", "dus", ""];

export class Beside {
  /** @param {import("./lab.js").Offer} offer */
  constructor(offer) {
    /** @type {any[]} */
    this.lanes = [];
    /** @type {string[]} words that end a text: one is shown, as a mark, and nothing behind it */
    this.ends = [];
    this.choices = FIRST.map((chosen) =>
      el(
        "select",
        { ariaLabel: t("decoder") },
        el("option", { value: "" }, t("none")),
        ...Object.entries(offer.decoders).map(([value, { title }]) =>
          el("option", { value, selected: value === chosen }, t(title)),
        ),
      ),
    );
    this.prompt = el("textarea", { rows: 2, maxLength: 8000, value: offer.prompts[0] ?? "" });
    this.model = models();
    this.length = number(64, 1, 512);
    this.seed = number(0, 0, 9999);
    this.share = el("input", { type: "range", min: "0", max: "100", value: "100", oninput: () => this.draw() });
    this.slider = label(t("How much is written"), this.share);
    this.slider.hidden = true; // until there is something to move
    this.status = el(
      "p",
      { role: "status", className: "lab-status" },
      t("Same prompt, same seed, same random choices: only the order of writing differs."),
    );
    this.board = el("div", { className: "lab-lanes" });
    this.node = el(
      "div",
      {},
      el(
        "form",
        { onsubmit: (/** @type {Event} */ e) => (e.preventDefault(), void this.go()) },
        label(t("Prompt"), this.prompt),
        el(
          "div",
          { className: "lab-row" },
          label(t("Model"), this.model),
          label(t("Words to write"), this.length),
          label(t("Seed"), this.seed),
        ),
        el(
          "div",
          { className: "lab-row" },
          ...this.choices,
          el("button", { type: "submit", className: "primary" }, t("Set side by side")),
        ),
      ),
      this.status,
      this.slider,
      this.board,
    );
  }

  async go() {
    say(this.status, t("Writing …"));
    try {
      const { lanes, ends, parting } = await ask("lab/compare", {
        model: this.model.value.trim(),
        prompt: this.prompt.value,
        length: Number(this.length.value),
        seed: Number(this.seed.value),
        decoders: this.choices.filter((one) => one.value).map((one) => ({ preset: one.value })),
      });
      this.lanes = lanes;
      this.ends = ends;
      this.share.value = "100";
      this.slider.hidden = false;
      say(this.status, parting.join(" "));
      this.draw();
    } catch (error) {
      say(this.status, /** @type {Error} */ (error).message);
    }
  }

  draw() {
    const share = Number(this.share.value) / 100;
    const first = this.lanes[0] && upto(this.lanes[0], 1).cells;
    this.board.replaceChildren(
      ...this.lanes.map((lane) => {
        const { pass, cells, fresh } = upto(lane, share);
        return el(
          "section",
          { className: "lab-lane" },
          el("h4", {}, t(lane.label)),
          el("p", { className: "lab-fine" }, t("look {now} of {last}", { now: pass, last: lane.passes.length })),
          el(
            "p",
            { className: "lab-text" },
            ...this.whole(cells).map((piece, at) =>
              el(
                "span",
                {
                  className:
                    piece === null ? "lab-open" : fresh.has(at) ? "lab-fresh" : piece === first[at] ? "" : "lab-other",
                },
                piece === null ? " ▁" : this.ends.includes(piece) ? " ∎" : piece,
              ),
            ),
          ),
        );
      }),
    );
    this.board.dataset.lanes = String(this.lanes.length);
  }

  /** Cells up to the first end that has nothing open before it.
   * @param {(string | null)[]} cells
   */
  whole(cells) {
    const end = cells.findIndex((piece) => piece !== null && this.ends.includes(piece));
    return end < 0 || cells.slice(0, end).includes(null) ? cells : cells.slice(0, end + 1);
  }
}
