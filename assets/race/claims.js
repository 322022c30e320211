/** Public claims side by side, your own measurements beside them, and what either means for a piece of work. */

import { el } from "../looks/dom.js";
import { agentLoop, figure, monthlyCost, seconds, voiceDelay } from "./estimate.js";

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

/** A model's name in any order of its words: "Claude 4.5 Haiku" is "Claude Haiku 4.5".
 * @param {string} name
 */
export function plain(name) {
  const words = (name.split(" by ")[0] ?? "").toLowerCase().split(/[^a-z0-9.]+/);
  return words.filter(Boolean).sort().join(" ");
}

/** What a race measured of the model that a claim is about; empty where it did not run.
 * @param {Row} claim
 * @param {Row[]} table
 */
export function measured(claim, table) {
  const row = table.find((one) => plain(one.title) === plain(claim.about));
  if (!row || !claim.check || claim.check === "verbosity" || row.failed === row.runs) return "";
  const value = row[claim.check];
  if (claim.check === "end") return seconds(value);
  if (claim.check === "cost") return value == null ? "unknown" : `$${figure(value)} for this race`;
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

/** Who can ask the server about the field. @type {Set<() => void>} */
export const refreshers = new Set();

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
    this.estimates = el("div", { className: "race-table" });
    this.work = Object.fromEntries(WORK.map(([name, , value]) => [name, value]));
    const fields = WORK.map(([name, title, value]) =>
      el(
        "label",
        {},
        title,
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
      el("h3", {}, "What is claimed"),
      el(
        "p",
        { className: "race-fine" },
        "As published, with their source and condition. Claims that contradict each other stand side by side. “Yours” fills in when you race that model.",
      ),
      this.table,
      el("h3", {}, "What that means"),
      el(
        "p",
        { className: "race-fine" },
        "Estimated from the claims' speeds, with a first byte as measured or half a second, and from your races. Verbosity counts: an index run took Mercury 2 69 million tokens where the median took 20.",
      ),
      el("div", { className: "race-work" }, ...fields),
      this.estimates,
    );
    this.show();
    onceVisible(this, () => refreshers.forEach((refresh) => refresh()));
  }

  disconnectedCallback() {
    pages.delete(this);
  }

  get claims() {
    return known.claims;
  }

  get raced() {
    return known.raced;
  }

  /** @type {Record<string, number>} */
  work = {};

  show() {
    const titles = ["About", "What", "Claimed", "Source", "Condition", "Where", "Yours"];
    const head = el("tr", {}, ...titles.map((title) => el("th", { scope: "col" }, title)));
    const rows = this.claims.map((claim) => {
      const value = Array.isArray(claim.value) ? claim.value.join(" and ") : String(claim.value);
      const date = claim.date || (claim.seen ? `seen ${claim.seen}` : "");
      const where = claim.source.startsWith("https://")
        ? el(
            "a",
            { href: claim.source, target: "_blank", rel: "noopener noreferrer" },
            `${new URL(claim.source).host}, ${date}`,
          )
        : "not found";
      const yours = measured(claim, this.raced) || (claim.check ? "race it with a key" : "not checked here");
      const texts = [claim.about, claim.what, `${value} ${claim.unit}`, claim.by, claim.condition];
      return el("tr", {}, ...texts.map((text) => el("td", {}, text)), el("td", {}, where), el("td", {}, yours));
    });
    this.table?.replaceChildren(el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows)));
    this.estimate();
    if (this.claims.length) this.dataset.ready = "yes";
  }

  /** Every speed there is: those of the last race, and the claimed ones. */
  sources() {
    const verbose = this.claims.filter((c) => c.check === "verbosity").map((c) => c.value);
    const wordy = verbose.length === 2 && verbose[1] ? verbose[0] / verbose[1] : 1;
    const claimed = this.claims
      .filter((c) => c.check === "tokens_per_second_after_first")
      .map((c) => ({
        name: `${c.about}, ${c.value} claimed`,
        first: HALF,
        rate: c.value,
        verbosity: c.about === "Mercury 2" ? wordy : 1,
        ...priced(c.about, known.rivals),
      }));
    const raced = this.raced
      .filter((row) => row.tokens_per_second_after_first)
      .map((row) => ({
        name: `${row.title}, your race`,
        first: row.first,
        rate: row.tokens_per_second_after_first,
        verbosity: 1,
        ...priced(row.title, known.rivals),
      }));
    return [...raced, ...claimed];
  }

  estimate() {
    const titles = ["Model", "An agent's loop waits", "First spoken word after", "A month costs"];
    const head = el("tr", {}, ...titles.map((title) => el("th", { scope: "col" }, title)));
    const work = /** @type {any} */ (this.work);
    const rows = this.sources().map((one) => {
      const month = monthlyCost(one, one.verbosity, work);
      const texts = [
        seconds(agentLoop(one, work)),
        seconds(voiceDelay(one, work)),
        Number.isFinite(month) ? `$${figure(month)}` : "unknown",
      ];
      return el("tr", {}, el("th", { scope: "row" }, one.name), ...texts.map((text) => el("td", {}, text)));
    });
    this.estimates?.replaceChildren(el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows)));
  }
}

customElements.define("unmask-claims", Claims);
