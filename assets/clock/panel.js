/** Whose clock is shown: a machine to choose, what it would take for this run, and how that changes with its users. */

import { el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { costOf, duration } from "../views/meters.js";
import { hasGaps } from "../views/sentence.js";
import { nameOf } from "../views/names.js";
import { chart, toSvg } from "./chart.js";
import { crossing, pointOf, toCsv } from "./crossing.js";
import { worksOf } from "./fed_tokens.js";
import { BAND } from "./figures.js";
import { Form } from "./form.js";
import { passSeconds, runSeconds } from "./pass_time.js";
import { comparable, figure, modelledSentence } from "./sentence.js";

/** @typedef {import("./sentence.js").Run & {name: string}} NamedRun */

export class ClockPanel {
  /** @param {import("../stage/controller.js").Controller} controller */
  constructor(controller) {
    this.controller = controller;
    this.form = new Form(controller.player.chosen.choice, (choice, on) => controller.player.turnClock(choice, on));
    this.table = el("table", { className: "figures" });
    this.chart = el("div", { className: "chart" });
    this.says = el("p", { className: "says" });
    this.key = el("p", { className: "key" });
    this.wide = el("p", { className: "key" });
    this.formula = el("p", { className: "formula" });
    this.formula.dir = "ltr";
    this.chip = el("p", {});
    const file = (/** @type {string} */ text, /** @type {() => void} */ go) =>
      el("button", { type: "button", className: "ask", onclick: go }, text);
    this.files = el(
      "p",
      { className: "files" },
      file(t("Save as CSV"), () => this.save("csv", "text/csv", () => toCsv(this.found))),
      file(t("Save as SVG"), () =>
        this.save("svg", "image/svg+xml", () => toSvg(/** @type {any} */ (this.chart.firstChild))),
      ),
    );
    this.node = el(
      "section",
      { className: "clock-panel", "aria-label": t("Whose clock?") },
      this.form.node,
      el(
        "p",
        { className: "note" },
        t(
          "The passes, the canvas and the text are this run's, by this model. Only the time of a look is another machine's: with as many looks as here. A larger model may need more or fewer.",
        ),
      ),
      this.says,
      el(
        "div",
        { className: "shown" },
        el("div", {}, this.table, this.wide, this.files),
        el("figure", {}, this.chart, this.key),
      ),
      el("details", {}, el("summary", {}, t("How the time is modelled")), this.formula, this.chip),
    );
  }

  /** @type {import("./crossing.js").Crossing} */
  found = { run: [], twin: [], at: NaN };
  seen = "";

  focus() {
    this.form.node.querySelector("input")?.focus({ preventScroll: true });
  }

  show() {
    const { controller } = this;
    const { chosen } = controller.player;
    this.form.show(chosen);
    const runs = this.runs();
    const clock = chosen.of(controller.side(0));
    const { price } = this.form;
    const seen = JSON.stringify([
      chosen.choice,
      price,
      clock?.machine.size,
      runs.map(({ name, tokens, works }) => [name, tokens, works.length]),
    ]);
    if (seen === this.seen) return;
    this.seen = seen;
    const { machine } = clock ?? {};
    const [run, twin] = runs;
    const unequal = run && twin ? this.unequal(run, twin) : "";
    say(this.says, unequal || (machine && run ? modelledSentence(machine, run, twin ?? null) : ""));
    this.table.hidden = this.files.hidden = this.wide.hidden = !machine || !run;
    if (!machine || !run) {
      this.chart.replaceChildren();
      say(
        this.key,
        run ? t("Give every number of your own.") : t("Run something, and its time on this machine is shown here."),
      );
      return;
    }
    this.tell(machine, runs, price);
    this.found = crossing(machine, run, twin ?? { works: [], tokens: 0 }, price);
    if (unequal) this.found.at = NaN; // a crossing would compare them
    const names = /** @type {[string, string]} */ ([run.name, twin?.name ?? ""]);
    this.chart.replaceChildren(chart(this.found, names, machine.users));
    say(this.key, t("Tokens a second: solid for each user, dashed for all of them."));
    say(this.wide, this.width(machine));
    say(this.formula, "t(n) = max(2 · active · n / (e · operations), (weights + cache) / (e · bandwidth))");
    say(this.chip, this.figures(machine));
  }

  /** Why the sides cannot be compared; empty where they can.
   * @param {NamedRun} run
   * @param {NamedRun} twin
   */
  unequal(run, twin) {
    const { controller } = this;
    if (hasGaps(controller.side(0)) && controller.side(1).head.causal)
      return t("It cannot look ahead to the words that were given, so times say nothing here.");
    return comparable(run, twin) ? "" : t("Their texts differ too much in length to compare their times.");
  }

  /** The sides that are there, with what their passes computed.
   * @returns {NamedRun[]}
   */
  runs() {
    const { controller } = this;
    return controller.sides.flatMap((side, number) => {
      if (side.source === "empty") return [];
      const works = worksOf(side).flatMap((work) => work ?? []);
      return works.length
        ? [{ name: nameOf(side, number), works, tokens: costOf(side, side.moments.length - 1).tokens }]
        : [];
    });
  }

  /** The figures for the chosen number of users, a column for each side.
   * @param {import("./machine.js").Machine} machine
   * @param {NamedRun[]} runs
   * @param {number} price
   */
  tell(machine, runs, price) {
    const points = runs.map((run) => pointOf(machine, run, machine.users, price));
    const whole = (/** @type {number} */ efficiency) => (/** @type {NamedRun} */ run) =>
      1000 * runSeconds({ ...machine, efficiency }, run.works);
    const band = runs.map((run) =>
      BAND.map((efficiency) => duration(whole(efficiency)(run)))
        .reverse()
        .join(" – "),
    );
    /** @type {[string, string[]][]} */
    const rows = [
      [t("tokens a second for each user"), points.map(({ perUser }) => figure(perUser))],
      [t("tokens a second for all users"), points.map(({ total }) => figure(total))],
      [t("the first look"), points.map((point) => duration(1000 * point.firstPass))],
      [t("the whole text"), runs.map((run) => duration(whole(machine.efficiency)(run)))],
      [t("between efficiencies .9 and .3"), band],
      [t("cost of a million tokens"), points.map(({ perMillion }) => figure(perMillion))],
    ];
    this.table.replaceChildren(
      el(
        "caption",
        {},
        machine.users === 1 ? t("Modelled, for one user") : t("Modelled, with {n} users at once", { n: machine.users }),
      ),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("td", {}),
          ...runs.map(({ name }, side) => el("th", { scope: "col", "data-side": side }, name)),
        ),
      ),
      el(
        "tbody",
        {},
        ...rows.map(([name, values]) =>
          el("tr", {}, el("th", { scope: "row" }, name), ...values.map((value) => el("td", {}, value))),
        ),
      ),
    );
  }

  /** What a wider canvas would cost.
   * @param {import("./machine.js").Machine} machine
   */
  width(machine) {
    const step = passSeconds(machine, { forwards: 1, tokens: 1, cached: 0 });
    const times = figure(passSeconds(machine, { forwards: 1, tokens: 1024, cached: 0 }) / step);
    return machine.users === 1
      ? t("A look over a canvas of 1,024 cells would take {times} times as long as a step of one word.", { times })
      : t(
          "With {n} users, a look over a canvas of 1,024 cells would take {times} times as long as a step of one word.",
          {
            n: machine.users,
            times,
          },
        );
  }

  /** @param {import("./machine.js").Machine} machine */
  figures({ chip, size }) {
    const numbers = {
      bandwidth: figure(chip.bandwidth / 1e12),
      operations: figure(chip.operations / 1e12),
      gigabytes: figure((size.parameters * size.bytes) / 1e9),
      source: chip.source ? t("Source of the chip's figures: {source}.", { source: t(chip.source) }) : "",
    };
    const read = t(
      "A look reads {gigabytes} GB of weights at {bandwidth} TB a second, or computes at {operations} trillion operations a second, whichever takes longer; e is the efficiency, between .3 and .9 in published figures. n counts the tokens fed for all users together.",
      numbers,
    );
    return `${read} ${numbers.source}`;
  }

  /**
   * @param {string} ending
   * @param {string} type
   * @param {() => string} text
   */
  save(ending, type, text) {
    const href = URL.createObjectURL(new Blob([text()], { type }));
    el("a", { href, download: `unmask-clock.${ending}` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  }
}
