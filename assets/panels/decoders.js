/** How it decides: a dial from careful to bold, and what the chosen decoder does and costs. */

import { onceVisible } from "../looks/dom.js";
import { counted, t } from "../looks/language.js";
import { Panel } from "../stage/of_page.js";
import { html, nothing, render } from "../vendor/lit-html.js";

/**
 * @typedef {object} Item
 * @property {string} name
 * @property {string} title in the literature
 * @property {string} plain its name in plain words
 * @property {string} says
 * @property {string} origin
 * @property {boolean} governed a schedule decides how much it writes
 * @property {boolean} counted the number of looks that is set decides something
 * @property {string} warning
 * @property {("verify" | "shadow")[]} needs what not every model can be asked
 * @property {import("../steer/dots.js").Run} [run] one of it
 * @property {number} [looks] on average, over held-out prompts
 * @property {number} [right] texts of so many in which the judge found no error
 * @property {number} [prompts]
 */
/** @typedef {{group: string, name: string, says: string, items: Item[]}} Group */

/** @typedef {import("../vendor/lit-html.js").TemplateResult} TemplateResult */

export class Decoders extends Panel {
  setUp() {
    this.groups = JSON.parse(this.dataset.list ?? "[]");
    this.points = JSON.parse(this.dataset.dial ?? "[]");
    this.items = this.groups.flatMap(({ items }) => items);
    this.chosen = JSON.parse(this.dataset.chosen ?? '""');
    this.show();
    this.unmask.frames.add(() => this.limit());
    onceVisible(this, async () => {
      const { decoderChart } = await import("./decoder_chart.js");
      this.chart = decoderChart;
      this.draw();
    });
  }

  /** @type {typeof import("./decoder_chart.js").decoderChart | undefined} loaded when it is seen */
  chart;

  /** @type {Group[]} */
  groups = [];
  /** @type {Item[]} */
  items = [];
  /** @type {[string, string][]} decoders that were measured, from careful to bold, each with its word for it */
  points = [];
  chosen = "";
  looks = 0; // of the run on the stage, once it is over
  /** @type {Record<string, any>} the model that decodes; empty where none is known */
  card = {};

  /** @param {string} name */
  item(name) {
    return this.items.find((item) => item.name === name);
  }

  /** Decoders that need more than the model here can be asked are shown with the reason, and cannot be chosen; and the chart shows this run. */
  limit() {
    const { source, head, done, moments } = this.unmask.side(0);
    const card = source === "live" ? (head.model ?? {}) : {};
    const looks = done ? (moments.at(-1)?.passes ?? 0) : 0;
    if (card === this.card && looks === this.looks) return;
    this.card = card;
    this.looks = looks;
    this.draw();
  }

  /** Why a decoder cannot be chosen; empty where it can.
   * @param {string} name
   */
  reason(name) {
    const item = this.item(name);
    return item ? whyNot(item, this.card) : "";
  }

  /** A person takes one.
   * @param {string} name
   */
  take(name) {
    this.choose(name);
    this.dispatchEvent(new CustomEvent("unmask-decoder", { bubbles: true, detail: name }));
  }

  /** Python, or a person, has chosen one.
   * @param {string} name
   */
  choose(name) {
    if (!this.item(name)) return;
    this.chosen = name;
    this.show();
  }

  show() {
    const item = this.item(this.chosen);
    this.draw();
    if (!item) return;
    document.documentElement.toggleAttribute("data-uncounted", !item.counted);
    this.dispatchEvent(new CustomEvent("unmask-governed", { bubbles: true, detail: item.governed }));
  }

  draw() {
    const dial = this.points.map(([label, name]) =>
      radio({
        group: "unmask-dial",
        value: label,
        checked: name === this.chosen,
        content: html`<span>${t(label)}</span>`,
        title: "",
        why: this.reason(name),
        take: () => this.take(name),
        decoder: name,
      }),
    );
    const item = this.item(this.chosen);
    render(
      html`<fieldset class="dial" aria-label=${t("From careful to bold")}>${dial}</fieldset>
        ${item ? this.about(item) : nothing}
        ${this.chart?.(this.items, this.points, this.chosen, this.looks) ?? nothing}`,
      this,
    );
    this.dispatchEvent(new Event("unmask-decoders", { bubbles: true }));
  }

  /** What the chosen one does.
   * @param {Item} item
   */
  about(item) {
    const own = item.title === item.plain ? item.origin : `${item.title}: ${item.origin}`;
    const now = sentences(t(item.says), figures(item), counted(item.warning));
    return html`<h3>${t(item.plain)} <small>${own}</small></h3>
      <p class="now" role="status">${now}</p>`;
  }
}

/**
 * @param {object} choice
 * @param {string} choice.group
 * @param {string} choice.value
 * @param {boolean} choice.checked
 * @param {TemplateResult} choice.content
 * @param {string} choice.title
 * @param {string} choice.why it cannot be chosen
 * @param {() => void} choice.take
 * @param {string} [choice.decoder]
 */
export function radio({ group, value, checked, content, title, why, take, decoder }) {
  return html`<label title=${why || title || nothing}>
    <input
      type="radio"
      name=${group}
      value=${value}
      data-decoder=${decoder ?? nothing}
      .checked=${checked}
      ?disabled=${why !== ""}
      @change=${take}
    />${content}</label
  >`;
}

/** Why a model cannot be decoded so; empty where it can.
 * @param {Item} item
 * @param {Record<string, any>} card
 */
function whyNot({ needs }, { name, both, candidates }) {
  if (name && needs.includes("verify") && !both)
    return t("It reads its draft from left to right, which {model} does not.", { model: name });
  if (candidates && needs.includes("shadow"))
    return t("It hides one word at a time, and {model} reads a canvas as a whole.", { model: name });
  return "";
}

/** Those that there are, one after another.
 * @param {...string} texts
 */
export function sentences(...texts) {
  return texts.filter(Boolean).join(" ");
}

/** What it cost and how good it was where it was measured; empty where it was not.
 * @param {Item} item
 */
export function figures({ looks, right, prompts }) {
  if (!looks || !prompts || right === undefined) return "";
  return t("On {prompts} prompts it took {looks} looks on average, and {right} texts had no error.", { prompts, looks, right }); // prettier-ignore
}
