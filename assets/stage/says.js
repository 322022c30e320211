/** The sentence under the player, and beside it what a person must know or may want next. */

import { modelledSentence, shortSentence } from "../clock/sentence.js";
import { worksOf } from "../clock/fed_tokens.js";
import { el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { spokenName } from "../views/sentence.js";
import { sentenceOf, summaryOf } from "../views/summary.js";
import { linkNotice, passSentence, progressOf } from "./status.js";

export class Says {
  /**
   * @param {import("./controller.js").Controller} controller
   * @param {() => void} openClock
   */
  constructor(controller, openClock) {
    this.controller = controller;
    this.first = el("span", { className: "first" });
    this.second = el("span", { className: "second" });
    this.machine = el("span", {});
    const name = t("Choose the clock");
    this.clock = el(
      "button",
      { type: "button", className: "clock", "aria-label": name, title: name, hidden: true, onclick: openClock },
      "▸",
    );
    this.status = el("span", { className: "status", role: "status" });
    this.offer = el("button", { type: "button", className: "offer", hidden: true, onclick: () => this.offered?.go() });
    const modelled = el("span", { className: "modelled" }, this.machine, this.clock);
    this.node = el("p", { className: "say" }, this.first, this.second, " ", modelled, this.status, this.offer);
  }

  /**
   * @param {boolean} over
   * @param {import("./steering.js").Steering["change"]} change
   */
  show(over, change) {
    const { controller } = this;
    const at = controller.sides.map((_, i) => controller.player.at(i));
    const [one, two] = controller.sides.map((side, i) => summaryOf(side, i, at[i] ?? 0));
    if (!one || !two) return;
    const says = sentenceOf(controller, at, over, change);
    const key = JSON.stringify(says);
    if (key !== this.key) {
      this.key = key;
      this.first.replaceChildren(
        ...says.first.map(({ text, as }) => el(as ? "strong" : "span", { className: as ?? "" }, text)),
      );
    }
    const waited =
      linkNotice(controller.link) ||
      progressOf(
        controller.next !== null && !change,
        controller.coming.length > 0,
        controller.loading,
        controller.models,
      );
    const noted = change && !controller.notice.refused ? "" : controller.notice.text;
    const slow =
      !over && controller.player.slowly && controller.player.speed === 0
        ? passSentence(controller.side(0), controller.player.at(0))
        : "";
    const notice = waited || noted || slow;
    say(this.status, notice);
    this.status.classList.toggle("refused", controller.notice.refused || controller.link !== "open");
    const modelled = notice || change || !over ? "" : this.modelled([one, two]);
    say(this.second, notice ? "" : says.second);
    say(this.machine, modelled);
    this.clock.hidden = !modelled;
    this.offered = change
      ? null
      : (controller.notice.action ?? controller.runs.sequel() ?? this.another(over && !noted, two));
    this.offer.hidden = !this.offered;
    say(this.offer, this.offered?.text ?? "");
  }

  /** What another machine would take for what is there; empty where that says nothing.
   * @param {[import("../views/sentence.js").Summary, import("../views/sentence.js").Summary]} sides
   */
  modelled([one, two]) {
    const { controller } = this;
    const there = [one, two].flatMap((summary, number) => (summary.absent ? [] : [{ ...summary, number }]));
    const [first, other] = there;
    const clock = first && controller.player.chosen.of(controller.side(first.number));
    if (!clock || there.some(({ cost }) => cost.failed) || (one.gaps && two.causal)) return "";
    const run = (/** @type {typeof first} */ { cost, number }) => ({
      works: worksOf(controller.side(number)).flatMap((work) => work ?? []),
      tokens: cost.tokens,
    });
    if (!other) return modelledSentence(clock.machine, run(first), null);
    return shortSentence(clock.machine, run(first), run(other), [spokenName(one), spokenName(two)]);
  }

  /** A model that thinks alone: another may stand beside it.
   * @param {boolean} over
   * @param {{absent: boolean}} second
   */
  another(over, { absent }) {
    const { models } = this.controller;
    const alone = over && absent && models.length === 1 && document.querySelector("unmask-models");
    return alone
      ? { text: t("Compare it with …"), go: () => document.dispatchEvent(new Event("unmask-models")) }
      : null;
  }

  key = "";
  /** @type {{text: string, go: () => void} | null} */
  offered = null;
}
