/** What the decoders were measured to do, as a picture: texts without an error against looks. */

import { measuredPoints } from "../views/measured.js";
import { t } from "../looks/language.js";
import { html, nothing } from "../vendor/lit-html.js";

/** @typedef {import("../views/measured.js").Item} Item */
/** @typedef {import("../views/measured.js").Point} Point */

/**
 * @param {Item[]} items
 * @param {[label: string, name: string][]} named points of the dial, each with its word
 * @param {string} chosen
 * @param {number} now looks of the run on the stage; 0 where it is not over
 */
export function decoderChart(items, named, chosen, now) {
  const points = measuredPoints(items);
  if (!points.length) return nothing;
  const words = new Map(named.map(([word, name]) => [name, word]));
  const looksOf = [...points.map(({ looks }) => looks), now || Infinity];
  const first = Math.floor(Math.log2(Math.min(...looksOf))); // each step to the right doubles
  const doublings = Math.max(1, Math.ceil(Math.log2(Math.max(...looksOf.filter(Number.isFinite)))) - first);
  const least = Math.floor(10 * Math.min(...points.map(({ share }) => share))) / 10;
  const across = (/** @type {number} */ looks) => (100 * (Math.log2(looks) - first)) / doublings;
  const down = (/** @type {number} */ share) => 100 - (100 * (Math.max(share, least) - least)) / (1 - least);
  const dot = (/** @type {Point} */ { name, plain, looks, share, low, high }) => {
    const word = words.get(name);
    const shown = name === chosen ? "chosen" : word ? "named" : "";
    const text = word ? t(word) : shown ? t(plain) : "";
    const bar =
      shown === "chosen"
        ? html`<i
            class="interval"
            style="left: ${across(looks)}%; top: ${down(high)}%; bottom: ${100 - down(low)}%"
          ></i>`
        : nothing;
    return html`${bar}<b class="dot ${shown}" style="left: ${across(looks)}%; top: ${down(share)}%"
        >${text ? html`<span class=${across(looks) > 60 ? "left" : ""}>${text}</span>` : nothing}</b
      >`;
  };
  const rank = (/** @type {Point} */ { name }) => Number(words.has(name)) + 2 * Number(name === chosen);
  const order = [...points].sort((a, b) => rank(a) - rank(b));
  const mark = (/** @type {number} */ looks) => html`<li style="left: ${across(looks)}%">${looks}</li>`;
  const says = order.flatMap((point) => {
    const word = words.get(point.name);
    return word
      ? [t("{name}: {looks} looks, {share} %", { name: t(word), looks: point.looks, share: percent(point.share) })]
      : [];
  });
  return html`<figure class="measured">
    <figcaption>${t("texts without an error, in %")}</figcaption>
    <div class="field" role="img" aria-label=${says.join("; ")}>
      <span class="most">100</span><span class="least">${percent(least)}</span>
      ${order.map(dot)}
      ${now > 0 ? html`<i class="this" style="left: ${across(now)}%"><span>${t("this run")}</span></i>` : nothing}
    </div>
    <ol>
      ${Array.from({ length: doublings + 1 }, (_, i) => mark(2 ** (first + i)))}
    </ol>
    <p>${t("looks, on average; bar: 95 % interval")}</p>
  </figure>`;
}

/** @param {number} share */
function percent(share) {
  return Math.round(100 * share);
}
