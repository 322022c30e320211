/** What differs between the sides: a row a figure, with a bar each on one scale; what is alike is one sentence. */

import { el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { costOf } from "./meters.js";
import { nameOf } from "./names.js";
import { comparison } from "./comparison.js";

export class Differences {
  /** @param {import("../stage/controller.js").Controller} controller */
  constructor(controller) {
    this.controller = controller;
    this.head = el("tr", {});
    this.body = el("tbody", {});
    this.same = el("p", { className: "same" });
    this.node = el(
      "section",
      { className: "differences" },
      el("table", {}, el("thead", {}, this.head), this.body),
      this.same,
    );
  }

  shown = "";

  show() {
    const { controller } = this;
    const there = controller.sides.flatMap((side, number) => (side.moments.length > 1 ? [number] : []));
    const { rows, same } = comparison(
      there.map((number) => ({
        cost: costOf(controller.player.timedSide(number), controller.player.at(number)),
        facts: controller.qualities.of(controller.side(number), controller.player.at(number)),
      })),
    );
    const names = there.map((number) => nameOf(controller.side(number), number));
    const machine = controller.player.clock?.name ?? "";
    const shown = JSON.stringify([names, rows, same, machine]);
    if (shown === this.shown) return;
    this.shown = shown;
    const title = there.length > 1 ? t("What differs") : t("This run");
    this.head.replaceChildren(
      el("th", { scope: "col" }, title),
      ...there.map((number, i) => el("th", { scope: "col", "data-side": number }, names[i] ?? "")),
    );
    this.body.replaceChildren(
      ...rows.map(({ label, values }) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, label),
          ...values.map(({ text, share }, i) => {
            const bar = el("i", { "aria-hidden": "true" });
            bar.style.width = `${(100 * share).toFixed(1)}%`;
            bar.hidden = there.length < 2; // nothing to compare with
            return el("td", { "data-side": there[i] }, text, bar);
          }),
        ),
      ),
    );
    const words = t("A look is one reading of the text, with a guess for each open place; a token is a word or a piece of one."); // prettier-ignore
    const times = machine ? t("Times on one {chip}, modelled.", { chip: machine }) : "";
    say(this.same, there.length ? [same, times, words].filter(Boolean).join(" ") : t("Run something, and its figures are shown here.")); // prettier-ignore
  }
}
