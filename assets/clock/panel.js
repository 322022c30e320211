/** Whose clock is shown: a machine to choose, what it would take for this run, and how that changes with its users. */

import { t } from "../looks/language.js";
import { saved } from "../looks/saved.js";
import { html, render } from "../vendor/lit-html.js";
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
    this.form = new Form((choice, on) => controller.player.turnClock(choice, on));
    this.node.className = "clock-panel";
    this.node.ariaLabel = t("Whose clock?");
  }

  node = document.createElement("section");
  /** @type {import("./crossing.js").Crossing} */
  found = { run: [], twin: [], at: NaN };
  /** @type {SVGSVGElement | null} */
  drawn = null;
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
    const says = unequal || (machine && run ? modelledSentence(machine, run, twin ?? null) : "");
    const missing = run
      ? t("Give every number of your own.")
      : t("Run something, and its time on this machine is shown here.");
    const note = t("The passes, the canvas and the text are this run's, by this model. Only the time of a look is another machine's: with as many looks as here. A larger model may need more or fewer."); // prettier-ignore
    render(
      html`${this.form.node}
        <p class="note">${note}</p>
        <p class="says">${says}</p>
        ${machine && run ? this.times(machine, runs, unequal !== "") : html`<p class="key">${missing}</p>`}`,
      this.node,
    );
  }

  /** Figures, chart and formula of a machine.
   * @param {import("./machine.js").Machine} machine
   * @param {NamedRun[]} runs
   * @param {boolean} unequal they cannot be compared
   */
  times(machine, runs, unequal) {
    const { price } = this.form;
    const [run, twin] = /** @type {[NamedRun, NamedRun | undefined]} */ (runs);
    this.found = crossing(machine, run, twin ?? { works: [], tokens: 0 }, price);
    if (unequal) this.found.at = NaN; // a crossing would compare them
    this.drawn = chart(this.found, [run.name, twin?.name ?? ""], machine.users);
    const csv = () => saved("unmask-clock.csv", "text/csv", toCsv(this.found));
    const svg = () => this.drawn && saved("unmask-clock.svg", "image/svg+xml", toSvg(this.drawn));
    return html`<div class="shown">
        <div>
          ${this.figures(machine, runs, price)}
          <p class="key">${this.width(machine)}</p>
          <p class="files">
            <button type="button" class="ask link" @click=${csv}>${t("Save as CSV")}</button>
            <button type="button" class="ask link" @click=${svg}>${t("Save as SVG")}</button>
          </p>
        </div>
        <figure>
          <div class="chart">${this.drawn}</div>
          <p class="key">${t("Tokens a second: solid for each user, dashed for all of them.")}</p>
        </figure>
      </div>
      <details>
        <summary>${t("How the time is modelled")}</summary>
        <p class="formula" dir="ltr">
          ${"t(n) = max(2 · active · n / (e · operations), (weights + cache) / (e · bandwidth))"}
        </p>
        <p>${chipSays(machine)}</p>
      </details>`;
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
  figures(machine, runs, price) {
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
    const caption =
      machine.users === 1 ? t("Modelled, for one user") : t("Modelled, with {n} users at once", { n: machine.users });
    return html`<table class="figures">
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          <td></td>
          ${runs.map(({ name }, side) => html`<th scope="col" data-side=${side}>${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([name, values]) =>
            html`<tr>
              <th scope="row">${name}</th>
              ${values.map((value) => html`<td>${value}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>`;
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
}

/** Where a chip's figures come from, and what the formula's letters mean.
 * @param {import("./machine.js").Machine} machine
 */
function chipSays({ chip, size }) {
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
