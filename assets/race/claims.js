/** Public claims side by side, your own measurements beside them, and what either means for a piece of work. */

import { colour, el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { loadPlotly } from "../views/plotly.js";
import { askField } from "./field.js";
import { agentLoop, figure, monthlyCost, seconds, voiceDelay } from "./estimate.js";
import { conditions } from "./inequality.js";
import { dots, figures, plain, rowOf } from "./picture.js";

/** @typedef {Record<string, any>} Row */

const HALF = 0.5; // seconds until a first byte, where no race has measured it

const WORK = /** @type {[string, string, number][]} */ ([
  ["calls", "Calls in an agent's loop", 50],
  ["tokens", "Tokens of an answer", 400],
  ["given", "Tokens of a prompt", 2000],
  ["requests", "Requests a day", 10_000],
  ["hearing", "Seconds to hear a question's end", 0.3],
  ["sentence", "Tokens of a first sentence", 25],
  ["speaking", "Seconds until speech begins", 0.2],
]);

/** What a race measured of the model that a claim is about; empty where it did not run.
 * @param {Row} claim
 * @param {Row[]} table
 */
export function measured(claim, table) {
  const row = table.find((one) => plain(one.title) === plain(claim.about));
  if (!row || !claim.check || claim.check === "verbosity" || row.failed === row.runs) return "";
  const value = row[claim.check];
  if (claim.check === "end") return seconds(value);
  if (claim.check === "cost")
    return value == null ? t("unknown") : t("{cost} for this race", { cost: `$${figure(value)}` });
  return figure(value, claim.unit);
}

/** The price that a card gives, by the first way that has one.
 * @param {string} name
 * @param {Row[]} rivals
 */
export function priced(name, rivals) {
  const { input, output } = rivals.find((one) => one.price && plain(one.title) === plain(name))?.price ?? {};
  return { input: input ?? NaN, output: output ?? NaN };
}

/** @type {{claims: Row[], raced: Row[], rivals: Row[]}} */
const known = { claims: [], raced: [], rivals: [] };
/** @type {Set<Claims>} */
const pages = new Set();

/** Do something when an element is first seen: a tab that nobody opens asks for nothing.
 * @param {HTMLElement} element
 * @param {() => void} act
 */
export function onceVisible(element, act) {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((one) => one.isIntersecting)) return;
    observer.disconnect();
    act();
  });
  observer.observe(element);
}

/** Hand on what a race has measured, also while nobody looks at the claims.
 * @param {Partial<typeof known>} news
 */
export function publish(news) {
  Object.assign(known, news);
  for (const page of pages) page.show();
}

export class Claims extends HTMLElement {
  connectedCallback() {
    pages.add(this); // Gradio moves elements about: they leave and come back
    if (this.childElementCount) return this.show();
    this.table = el("div", { className: "race-table" });
    this.unit = el("select", { "aria-label": t("Which figure"), onchange: () => this.draw() });
    this.picture = el("div", {
      className: "race-picture",
      role: "img",
      "aria-label": t("Claims as dots, a row a figure"),
    });
    this.estimates = el("div", { className: "race-table" });
    this.work = Object.fromEntries(WORK.map(([name, , value]) => [name, value]));
    const fields = WORK.map(([name, title, value]) =>
      el(
        "label",
        {},
        t(title),
        el("input", {
          type: "number",
          min: "0",
          step: "any",
          value: String(value),
          "data-work": name,
          oninput: (/** @type {Event} */ e) => {
            this.work[name] = Number(/** @type {HTMLInputElement} */ (e.target).value);
            this.estimate();
          },
        }),
      ),
    );
    this.append(
      el(
        "p",
        { className: "question" },
        t("What is said in public of a model's speed and price, who says it, and do they agree?"),
      ),
      el("h3", {}, t("What is claimed")),
      el(
        "p",
        { className: "race-fine" },
        t(
          "As published, with their source and condition. Claims that contradict each other stand side by side. A star is your own race of that model.",
        ),
      ),
      (this.coming = el("p", { className: "race-fine", role: "status" }, t("Reading the claims …"))),
      (this.figure = el("label", { hidden: true }, t("Figure"), this.unit)),
      this.picture,
      el("details", {}, el("summary", {}, t("Every claim with its source and condition")), this.table),
      conditions(),
      el("h3", {}, t("What that means")),
      el(
        "p",
        { className: "race-fine" },
        t(
          "Estimated from the claims' speeds, with a first byte as measured or half a second, and from your races. Long answers cost too: one index took 69 million tokens of Mercury 2, and 20 million on average of comparable models.",
        ),
      ),
      el("div", { className: "race-work" }, ...fields),
      this.estimates,
    );
    this.show();
    onceVisible(this, () => {
      void this.ask();
      void this.draw();
    });
  }

  disconnectedCallback() {
    pages.delete(this);
  }

  /** Ask what is claimed, unless a race has been told. */
  async ask() {
    if (known.claims.length) return;
    try {
      publish(await askField());
    } catch {
      if (this.coming) say(this.coming, t("The claims could not be read. Reload the page to try again."));
    }
  }

  get claims() {
    return known.claims;
  }

  get raced() {
    return known.raced;
  }

  /** @type {Record<string, number>} */
  work = {};
  /** @type {HTMLElement | undefined} shown until the claims are there */
  coming;
  /** @type {HTMLElement | undefined} which of them are drawn */
  figure;

  show() {
    const titles = [t("About"), t("What"), t("Claimed"), t("Source"), t("Condition"), t("Where"), t("Yours")];
    const head = el("tr", {}, ...titles.map((title) => el("th", { scope: "col" }, title)));
    const rows = this.claims.map((claim) => {
      const value = Array.isArray(claim.value) ? claim.value.join(` ${t("and")} `) : String(claim.value);
      const date = claim.date || (claim.seen ? t("seen {date}", { date: claim.seen }) : "");
      const where = claim.source.startsWith("https://")
        ? el(
            "a",
            { href: claim.source, target: "_blank", rel: "noopener noreferrer" },
            `${new URL(claim.source).host}, ${date}`,
          )
        : `${claim.article || t("not found")}, ${date}`;
      const yours = measured(claim, this.raced) || (claim.check ? t("race it with a key") : t("not checked here"));
      const texts = [claim.about, claim.what, `${value} ${claim.unit}`, claim.by, claim.condition];
      return el("tr", {}, ...texts.map((text) => el("td", {}, text)), el("td", {}, where), el("td", {}, yours));
    });
    this.table?.replaceChildren(el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows)));
    this.estimate();
    this.offer();
    if (!this.claims.length) return;
    this.dataset.ready = "yes";
    if (this.coming) this.coming.hidden = true;
    if (this.figure) this.figure.hidden = false;
  }

  /** The figures that can be drawn, the speeds first. */
  offer() {
    const units = figures(this.claims).map(({ unit }) => unit);
    const now = this.unit?.value;
    this.unit?.replaceChildren(
      ...units.map((unit) => el("option", { value: unit, selected: unit === (now || "tokens/s") }, unit)),
    );
    void this.draw();
  }

  /** A row a figure, a dot a claim. */
  async draw() {
    const rows = figures(this.claims).find(({ unit }) => unit === this.unit?.value)?.rows;
    if (!rows || !this.picture || !this.offsetParent) return;
    const Plotly = await loadPlotly(JSON.parse(this.dataset.plotly ?? '""'));
    const count = new Set(rows.map(rowOf)).size;
    const layout = {
      font: { color: colour("ink"), family: getComputedStyle(this).fontFamily, size: 12 },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      margin: { l: 8, r: 12, t: 40, b: 40 },
      height: 110 + 34 * count,
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
      xaxis: { title: { text: this.unit?.value }, gridcolor: colour("line"), rangemode: "tozero" },
      yaxis: { automargin: true, gridcolor: colour("line"), autorange: "reversed" },
    };
    const options = { displaylogo: false, responsive: true, displayModeBar: false };
    this.picture.style.height = `${layout.height}px`; // a responsive chart takes its box, and has none of its own
    await Plotly.react(this.picture, dots(rows, this.raced, colour), layout, options);
    this.picture.dataset.drawn = String(rows.length);
  }

  /** Every speed there is: those of the last race, and the claimed ones. */
  sources() {
    const verbose = this.claims.filter((c) => c.check === "verbosity").map((c) => c.value);
    const wordy = verbose.length === 2 && verbose[1] ? verbose[0] / verbose[1] : 1;
    const claimed = this.claims
      .filter((c) => c.check === "tokens_per_second_after_first" && typeof c.value === "number")
      .map((c) => ({
        name: t("{name}, {n} claimed", { name: c.about, n: c.value }),
        first: HALF,
        rate: c.value,
        verbosity: c.about === "Mercury 2" ? wordy : 1,
        ...priced(c.about, known.rivals),
      }));
    const raced = this.raced
      .filter((row) => row.tokens_per_second_after_first || row.tokens_per_second)
      .map((row) => ({
        name: t("{name}, your race", { name: row.title }),
        first: row.first,
        rate: row.tokens_per_second_after_first || row.tokens_per_second, // as near as that race can tell
        verbosity: 1,
        ...priced(row.title, known.rivals),
      }));
    const once = new Map(claimed.map((one) => [one.name, one])); // two sources may claim the same
    return [...raced, ...once.values()];
  }

  estimate() {
    const titles = [t("Model"), t("An agent's loop waits"), t("First spoken word after"), t("A month costs")];
    const head = el("tr", {}, ...titles.map((title) => el("th", { scope: "col" }, title)));
    const work = /** @type {any} */ (this.work);
    const rows = this.sources().map((one) => {
      const month = monthlyCost(one, one.verbosity, work);
      const texts = [
        seconds(agentLoop(one, work)),
        seconds(voiceDelay(one, work)),
        Number.isFinite(month) ? `$${figure(month)}` : t("unknown"),
      ];
      return el("tr", {}, el("th", { scope: "row" }, one.name), ...texts.map((text) => el("td", {}, text)));
    });
    this.estimates?.replaceChildren(el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows)));
  }
}

customElements.define("unmask-claims", Claims);
