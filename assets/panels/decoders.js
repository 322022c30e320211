/** How it decides: a dial from careful to bold, what the chosen decoder does and costs, and all decoders behind it. */

import { el, say } from "../looks/dom.js";
import { counted, t } from "../looks/language.js";
import { Panel } from "../stage/of_page.js";
import { dots } from "../steer/dots.js";

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

export class Decoders extends Panel {
  setUp() {
    /** @type {Group[]} */
    const groups = JSON.parse(this.dataset.list ?? "[]");
    this.items = groups.flatMap(({ items }) => items);
    this.chosen = JSON.parse(this.dataset.chosen ?? '""');
    this.name = el("h3", {});
    this.now = el("p", { className: "now", role: "status" });
    this.picture = el("figure", {});
    this.summary = el("summary", {});
    this.append(
      this.dial(),
      this.name,
      this.now,
      this.picture,
      el(
        "details",
        { className: "all" },
        this.summary,
        this.filter(groups),
        ...groups.map((group) => this.group(group)),
      ),
    );
    this.show();
    this.unmask.frames.add(() => this.limit());
  }

  /** @type {Item[]} */
  items = [];
  chosen = "";
  /** @type {HTMLElement | undefined} */
  name;
  /** @type {HTMLElement | undefined} */
  now;
  /** @type {HTMLElement | undefined} */
  picture;
  /** @type {HTMLElement | undefined} */
  summary;

  /** A few decoders that were measured, from careful to bold. */
  dial() {
    /** @type {[string, string][]} */
    const points = JSON.parse(this.dataset.dial ?? "[]");
    const marks = points.map(([label, name]) =>
      el(
        "label",
        {},
        el("input", {
          type: "radio",
          name: "unmask-dial",
          value: label,
          "data-decoder": name,
          onchange: () => this.take(name),
        }),
        el("span", {}, t(label)),
      ),
    );
    return el("fieldset", { className: "dial", "aria-label": t("From careful to bold") }, ...marks);
  }

  /** @param {Group[]} groups */
  filter(groups) {
    const choices = [{ group: "all", name: t("All") }, ...groups].map(({ group, name }) =>
      el(
        "label",
        {},
        el("input", {
          type: "radio",
          name: "unmask-decoder-group",
          value: group,
          checked: group === "all",
          onchange: () => {
            for (const set of this.querySelectorAll("fieldset[data-group]"))
              if (set instanceof HTMLElement) set.hidden = group !== "all" && set.dataset.group !== group;
          },
        }),
        el("span", {}, t(name)),
      ),
    );
    return el("fieldset", { className: "filter", "aria-label": t("Which decoders") }, ...choices);
  }

  /** @param {Group} group */
  group({ group, name, says, items }) {
    return el(
      "fieldset",
      { "data-group": group },
      el("legend", {}, el("b", {}, t(name)), " ", el("span", {}, t(says))),
      el("div", { className: "items" }, ...items.map((item) => this.item(item))),
    );
  }

  /** @param {Item} item */
  item(item) {
    const { name, plain, title, origin, run, warning, says } = item;
    const radio = el("input", { type: "radio", name: "unmask-decoder", value: name, onchange: () => this.take(name) });
    const own = [title === plain ? "" : t(title), run ? String(run.looks) : ""].filter(Boolean).join(" · ");
    const marks = warning ? [el("em", { className: "warning", title: counted(warning) }, "⚠")] : [];
    return el(
      "label",
      { title: `${t(says)} ${counted(warning)} ${origin}`.replace(/ +/g, " ") },
      radio,
      run ? dots(run) : el("span", {}),
      el("b", {}, el("span", {}, t(plain)), " ", ...marks),
      el("small", {}, own),
    );
  }

  limits = "";

  /** Decoders that need more than the model here can be asked are shown with the reason, and cannot be chosen. */
  limit() {
    const { source, head } = this.unmask.side(0);
    const card = source === "live" ? (head.model ?? {}) : {};
    const key = JSON.stringify([card.name, card.both, card.candidates]);
    if (key === this.limits) return;
    this.limits = key;
    for (const radio of this.querySelectorAll("input")) {
      const item = this.items.find(({ name }) => name === (radio.dataset.decoder ?? radio.value));
      const why = item && radio.name !== "unmask-decoder-group" ? whyNot(item, card) : "";
      radio.disabled = why !== "";
      const label = radio.closest("label");
      if (!label) continue;
      label.dataset.title ??= label.title;
      label.title = why || (label.dataset.title ?? "");
    }
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
    if (!this.items.some((item) => item.name === name)) return;
    this.chosen = name;
    this.show();
  }

  show() {
    for (const radio of this.querySelectorAll("input"))
      if (radio.name === "unmask-decoder") radio.checked = radio.value === this.chosen;
      else if (radio.name === "unmask-dial") radio.checked = radio.dataset.decoder === this.chosen;
    const item = this.items.find(({ name }) => name === this.chosen);
    if (!item || !this.now || !this.name || !this.picture || !this.summary) return;
    document.documentElement.toggleAttribute("data-uncounted", !item.counted);
    say(this.summary, t("All {n} decoders", { n: this.items.length }));
    const own = item.title === item.plain ? item.origin : `${item.title}: ${item.origin}`;
    this.name.replaceChildren(t(item.plain), " ", el("small", {}, own));
    say(this.now, `${t(item.says)} ${figures(item)} ${counted(item.warning)}`.replace(/ +/g, " ").trim());
    this.picture.hidden = !item.run;
    if (item.run)
      this.picture.replaceChildren(
        dots(item.run),
        el("figcaption", {}, t("What each look wrote, on the page's first prompt: places from left to right, looks from top to bottom; red where a word was taken back.")), // prettier-ignore
      );
    this.dispatchEvent(new CustomEvent("unmask-governed", { bubbles: true, detail: item.governed }));
  }
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

/** What it cost and how good it was where it was measured; empty where it was not.
 * @param {Item} item
 */
function figures({ looks, right, prompts }) {
  if (!looks || !prompts || right === undefined) return "";
  return t("On {prompts} prompts it took {looks} looks on average, and {right} texts had no error.", { prompts, looks, right }); // prettier-ignore
}
