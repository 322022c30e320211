/** Public claims side by side, your own measurements beside them, and what either means for a piece of work. */

import { colour, onceVisible } from "../../assets/looks/dom.js";
import { into } from "../../assets/looks/fields.js";
import { t } from "../../assets/looks/language.js";
import { html, render } from "../../assets/vendor/lit-html.js";
import { drawChart } from "../../assets/views/plotly.js";
import { Conditions } from "./conditions.js";
import { agentLoop, figure, monthlyCost, seconds, voiceDelay } from "./estimate.js";
import { askField } from "./field.js";
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
function measured(claim, table) {
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
function priced(name, rivals) {
  const { input, output } = rivals.find((one) => one.price && plain(one.title) === plain(name))?.price ?? {};
  return { input: input ?? NaN, output: output ?? NaN };
}

/** @type {{claims: Row[], raced: Row[], rivals: Row[]}} */
const known = { claims: [], raced: [], rivals: [] };
/** @type {Set<Claims>} */
const pages = new Set();

/** Hand on what a race has measured, also while nobody looks at the claims.
 * @param {Partial<typeof known>} news
 */
export function publish(news) {
  Object.assign(known, news);
  for (const page of pages) page.show();
}

export class Claims extends HTMLElement {
  /** @type {Conditions | undefined} */
  conditions;
  /** @type {Record<string, number>} */
  work = Object.fromEntries(WORK.map(([name, , value]) => [name, value]));
  unit = "tokens/s"; // of the claims that are drawn
  failed = false; // the claims could not be read

  connectedCallback() {
    pages.add(this); // Gradio moves elements about: they leave and come back
    const first = !this.conditions;
    this.conditions ??= new Conditions();
    this.show();
    if (first)
      onceVisible(this, () => {
        void this.ask();
        void this.draw();
      });
  }

  disconnectedCallback() {
    pages.delete(this);
  }

  /** Ask what is claimed, unless a race has brought the claims. */
  async ask() {
    if (known.claims.length) return;
    try {
      publish(await askField());
    } catch {
      this.failed = true;
      this.show();
    }
  }

  show() {
    const { claims } = known;
    const there = claims.length > 0;
    render(
      html`<p class="question">
          ${t("What is said in public of a model's speed and price, who says it, and do they agree?")}
        </p>
        <h3>${t("What is claimed")}</h3>
        <p class="race-fine">
          ${t(
            "As published, with their source and condition. Claims that contradict each other stand side by side. A star is your own race of that model.",
          )}
        </p>
        <p class="race-fine" role="status" ?hidden=${there}>
          ${this.failed ? t("The claims could not be read. Reload the page to try again.") : t("Reading the claims …")}
        </p>
        <label ?hidden=${!there}
          >${t("Figure")}<select aria-label=${t("Which figure")} @change=${into(this, "unit", () => void this.draw())}>
            ${figures(claims).map(
              ({ unit }) => html`<option value=${unit} ?selected=${unit === this.unit}>${unit}</option>`,
            )}
          </select></label
        >
        <div class="race-picture" role="img" aria-label=${t("Claims as dots, a row a figure")}></div>
        <details>
          <summary>${t("Every claim with its source and condition")}</summary>
          <div class="race-table">
            ${table(
              [t("About"), t("What"), t("Claimed"), t("Source"), t("Condition"), t("Where"), t("Yours")],
              claims.map(claimRow),
            )}
          </div>
        </details>
        ${this.conditions?.node}
        <details>
          <summary>${t("What that means")}</summary>
          <p class="race-fine">
            ${t(
              "Estimated from the claims' speeds, with a first byte as measured or half a second, and from your races. Long answers cost too: one index took 69 million tokens of Mercury 2, and 20 million on average of comparable models.",
            )}
          </p>
          <div class="race-work">${WORK.map((field) => this.field(field))}</div>
          <div class="race-table">${this.estimates()}</div>
        </details>`,
      this,
    );
    if (there) this.dataset.ready = "yes";
    void this.draw();
  }

  /** A row a figure, a dot a claim. */
  async draw() {
    const rows = figures(known.claims).find(({ unit }) => unit === this.unit)?.rows;
    const picture = this.querySelector(".race-picture");
    if (!rows || !(picture instanceof HTMLElement) || !this.offsetParent) return;
    await drawChart(picture, JSON.parse(this.dataset.plotly ?? '""'), dots(rows, known.raced, colour), {
      margin: { l: 8, r: 12, t: 40, b: 40 },
      height: 110 + 34 * new Set(rows.map(rowOf)).size,
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
      xaxis: { title: { text: this.unit }, gridcolor: colour("line"), rangemode: "tozero" },
      yaxis: { automargin: true, gridcolor: colour("line"), autorange: "reversed" },
    });
    picture.dataset.drawn = String(rows.length);
  }

  /** One number of the work that the estimates are for.
   * @param {[string, string, number]} field
   */
  field([name, title, value]) {
    const change = into(this.work, name, () => this.show());
    return html`<label
      >${t(title)}<input type="number" min="0" step="any" value=${value} data-work=${name} @input=${change}
    /></label>`;
  }

  estimates() {
    const work = /** @type {any} */ (this.work);
    const rows = sources().map((one) => {
      const month = monthlyCost(one, one.verbosity, work);
      return html`<tr>
        <th scope="row">${one.name}</th>
        <td>${seconds(agentLoop(one, work))}</td>
        <td>${seconds(voiceDelay(one, work))}</td>
        <td>${Number.isFinite(month) ? `$${figure(month)}` : t("unknown")}</td>
      </tr>`;
    });
    return table([t("Model"), t("An agent's loop waits"), t("First spoken word after"), t("A month costs")], rows);
  }
}

/** @param {Row} claim */
function claimRow(claim) {
  const value = Array.isArray(claim.value) ? claim.value.join(` ${t("and")} `) : String(claim.value);
  const date = claim.date || (claim.seen ? t("seen {date}", { date: claim.seen }) : "");
  const where = claim.source.startsWith("https://")
    ? html`<a href=${claim.source} target="_blank" rel="noopener noreferrer">${new URL(claim.source).host}, ${date}</a>`
    : `${claim.article || t("not found")}, ${date}`;
  const yours = measured(claim, known.raced) || (claim.check ? t("race it with a key") : t("not checked here"));
  const cells = [claim.about, claim.what, `${value} ${claim.unit}`, claim.by, claim.condition, where, yours];
  return html`<tr>
    ${cells.map((cell) => html`<td>${cell}</td>`)}
  </tr>`;
}

/**
 * @param {string[]} titles
 * @param {unknown[]} rows
 */
function table(titles, rows) {
  return html`<table>
    <thead>
      <tr>
        ${titles.map((title) => html`<th scope="col">${title}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

/** Every speed there is: those of the last race, and the claimed ones. */
function sources() {
  const { claims, raced, rivals } = known;
  const verbose = claims.filter((claim) => claim.check === "verbosity").map((claim) => claim.value);
  const wordy = verbose.length === 2 && verbose[1] ? verbose[0] / verbose[1] : 1;
  const published = claims
    .filter((claim) => claim.check === "tokens_per_second_after_first" && typeof claim.value === "number")
    .map((claim) => ({
      name: t("{name}, {n} claimed", { name: claim.about, n: claim.value }),
      first: HALF,
      rate: claim.value,
      verbosity: claim.about === "Mercury 2" ? wordy : 1,
      ...priced(claim.about, rivals),
    }));
  const own = raced
    .filter((row) => row.tokens_per_second_after_first || row.tokens_per_second)
    .map((row) => ({
      name: t("{name}, your race", { name: row.title }),
      first: row.first,
      rate: row.tokens_per_second_after_first || row.tokens_per_second, // as near as that race can tell
      verbosity: 1,
      ...priced(row.title, rivals),
    }));
  const once = new Map(published.map((one) => [one.name, one])); // two sources may claim the same
  return [...own, ...once.values()];
}
