/** Many runs: what each of its parts answers, with a figure. One part is opened at a time. */

import { measuredRows } from "../lab/measured.js";
import { t } from "../looks/language.js";
import { askField } from "../race/field.js";
import { claimedSpeeds } from "../race/claimed.js";
import { Panel } from "../stage/of_page.js";
import { html, nothing, render, svg } from "../vendor/lit-html.js";
import { freshText } from "../views/meters.js";
import { nameOf } from "../views/names.js";

/** @typedef {import("../wire/store.js").Side} Side */

const [WIDE, TALL] = [1000, 20]; // of a row of bars, in its own units
const FULL = 34; // words whose bar is as tall as the row

export class ManyRuns extends Panel {
  setUp() {
    this.parts = JSON.parse(this.dataset.parts ?? "[]");
    this.unmask.frames.add(() => this.checkVisibility() && this.draw());
    new IntersectionObserver(([entry]) => entry?.isIntersecting && void this.ask()).observe(this);
    this.parentElement?.closest("#runs")?.addEventListener("keydown", (event) => {
      if (/** @type {KeyboardEvent} */ (event).key !== "Escape" || !this.opened) return;
      event.stopPropagation();
      this.show("");
    });
    this.show("");
  }

  /** @type {string[]} titles of the tabs behind it */
  parts = [];
  opened = "";
  /** @type {import("../race/claimed.js").Speeds | null} */
  speeds = null;
  claims = 0;
  asking = false;

  async ask() {
    if (this.asking) return;
    this.asking = true;
    try {
      const { claims } = await askField();
      this.claims = claims.length;
      this.speeds = claimedSpeeds(claims);
      this.draw();
    } catch {
      this.asking = false; // when it is seen again
    }
  }

  /** Open one part, or go back to all.
   * @param {string} part
   */
  show(part) {
    const before = this.opened;
    this.opened = part;
    const tabs = document.getElementById("more");
    if (tabs) tabs.hidden = !part;
    const found = tabs?.querySelectorAll('[role="tab"]')[this.parts.indexOf(part)];
    if (part && found instanceof HTMLElement) found.click();
    this.draw();
    const focus = part ? ".back" : before ? `[data-part="${before}"] button` : "";
    if (focus) /** @type {HTMLElement | null} */ (this.querySelector(focus))?.focus();
  }

  draw() {
    const opened = html`<header>
      <h3>${t(this.opened)}</h3>
      <button type="button" class="back" @click=${() => this.show("")}>${t("‹ All of them")}</button>
    </header>`;
    render(this.opened ? opened : html`${this.parts.map((part) => this.summary(part))}`, this);
  }

  /** @param {string} part */
  summary(part) {
    const { says = "", link = t("open"), figure = nothing } = this.about(part);
    return html`<section data-part=${part}>
      <header>
        <h3>${t(part)}</h3>
        <button type="button" @click=${() => this.show(part)}>${link}</button>
      </header>
      ${says ? html`<p class="question">${says}</p>` : nothing} ${figure}
    </section>`;
  }

  /** @param {string} part */
  about(part) {
    if (part === "Lab")
      return {
        says: t("Which decoder is right more often, and in fewer looks?"),
        link: t("compare decoders"),
        figure: measuredRows(),
      };
    if (part === "Race")
      return {
        says: t("Which model answers your prompt first: the pair here, or models on the web with your own key?"),
        link: t("set up a race"),
        figure: this.race(),
      };
    if (part === "Claims")
      return {
        says: t("What is said in public of a model's speed and price, who says it, and do they agree?"),
        link: this.claims ? t("all {n}, with their sources", { n: this.claims }) : t("all of them"),
        figure: this.speeds ? speedsFigure(this.speeds) : nothing,
      };
    return {};
  }

  /** How both sides came to their words in this run. */
  race() {
    const sides = this.unmask.sides.filter(({ moments }) => moments.length > 1);
    const last = Math.max(...sides.map(({ moments }) => moments.at(-1)?.clock ?? 0));
    if (!sides.length || !(last > 0)) return nothing;
    return html`<table class="bars">
        <tbody>
          ${sides.map((side, i) => {
            const seconds = ((side.moments.at(-1)?.clock ?? 0) / 1000).toFixed(2);
            return html`<tr class=${`of-${i}`}>
              <th scope="row">${nameOf(side, i)}</th>
              <td>
                <svg viewBox="0 0 ${WIDE} ${TALL}" preserveAspectRatio="none" aria-hidden="true">
                  <path class="axis" d="M0 ${TALL / 2}H${WIDE}" vector-effect="non-scaling-stroke" />
                  ${svg`<path d=${ticks(side, last)} vector-effect="non-scaling-stroke" />`}
                </svg>
              </td>
              <td>${t("{s} s", { s: seconds })}</td>
            </tr>`;
          })}
        </tbody>
      </table>
      <p class="fine">${t("In this run: each bar is a look, and a taller one wrote more words.")}</p>`;
  }
}

/** A line for each look that wrote, at its time.
 * @param {Side} side
 * @param {number} last
 */
function ticks(side, last) {
  return side.moments
    .map((moment) => {
      const words = moment.kind === "pass" ? freshText(side, moment) : 0;
      const half = (Math.sqrt(Math.min(FULL, words) / FULL) * TALL) / 2;
      const x = (moment.clock / last) * (WIDE - 4);
      return words ? `M${x.toFixed(1)} ${(TALL / 2 - half).toFixed(1)}v${(2 * half).toFixed(1)}` : "";
    })
    .join("");
}

/** @param {import("../race/claimed.js").Speeds} speeds */
function speedsFigure({ about, unit, points, most, says }) {
  return html`<h4>${about}, ${unit}</h4>
    <div class="claimed" aria-hidden="true">
      ${points.map(({ value }) => html`<b style="left: ${(100 * value) / most}%"><span>${Math.round(value)}</span></b>`)}
    </div>
    <p class="fine">${says}</p>`;
}
