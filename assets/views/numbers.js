/** The numbers of one side, what thinks there, and what can be taken from it or asked of it as a whole. */

import { t } from "../looks/language.js";
import { html, render } from "../vendor/lit-html.js";
import { costOf, readings } from "./meters.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {{fit: (side: number) => void, script: (side: number) => void, save: (side: number) => string}} Handlers */

export class Numbers {
  /**
   * @param {number} number
   * @param {Handlers} handlers
   */
  constructor(number, handlers) {
    this.number = number;
    this.handlers = handlers;
    this.node = document.createElement("section");
    this.node.className = "numbers";
    this.node.dataset.side = String(number);
  }

  /** The button that opens *Which words clash?* */
  get fit() {
    return this.node.querySelector("button") ?? undefined;
  }

  /**
   * @param {Side} side
   * @param {number} at
   * @param {{name: string, badge: string, state: string, weights: string}} says
   * @param {import("../stage/quality.js").Quality | null | undefined} quality
   * @param {Side} timed the side with the times that it plays at
   * @param {string} machine the name of another machine, if those are its times
   */
  show(side, at, { name, badge, state, weights }, quality, timed = side, machine = "") {
    const { number, handlers } = this;
    this.node.dataset.source = side.source;
    const live = side.source === "live";
    const whole = side.of !== "" || Boolean(side.keys.left); // its run has all branches
    const meters = readings(costOf(timed, at), quality).map(
      ({ name: label, value, title }) =>
        html`<div title=${title} data-meter=${label}>
          <dt>${t(label)}</dt>
          <dd>${value}</dd>
        </div>`,
    );
    const ask = (/** @type {string} */ text, /** @type {string} */ title, /** @type {boolean} */ may, /** @type {() => void} */ go) =>
      html`<button type="button" class="ask" title=${title} ?hidden=${!may} @click=${go}>${text}</button>`; // prettier-ignore
    render(
      html`<header>
          <h3>${name}</h3>
          <span class="badge" ?hidden=${!badge}>${badge}</span><span class="state">${state}</span>
        </header>
        <p class="model">${modelLine(side, weights)}</p>
        <dl class="meters" aria-label=${t("{name}: numbers", { name })}>${meters}</dl>
        <p class="whose" ?hidden=${!machine}>
          ${machine ? t("Times on one {chip}, modelled.", { chip: machine }) : ""}
        </p>
        <div class="foot">
          ${ask(
            t("Which words clash?"),
            t("See how the words about to be written suit each other"),
            live && !side.head.causal, // one word at a time suits itself
            () => handlers.fit(number),
          )}${ask(t("Copy as Python"), t("This run as a script for the engine"), live, () => handlers.script(number))}<a
            class="save"
            role="button"
            download="run.trace.jsonl"
            href="#"
            ?hidden=${side.source === "empty" || !side.moments.length || whole}
            title=${t("Take this run away as a file; drop it on the page to replay it")}
            @click=${this.save}
            >${t("Save run")}</a
          >
        </div>`,
      this.node,
    );
  }

  /** Where it really leads is known when it is pressed; a recording of the page's own has no name there.
   * @param {MouseEvent} event
   */
  save = ({ currentTarget }) =>
    Object.assign(/** @type {object} */ (currentTarget), { href: this.handlers.save(this.number) });
}

/** What thinks here, on what, and what must be known about it.
 * @param {Side} side
 * @param {string} weights
 */
function modelLine(side, weights) {
  const { name, device, number, trained, note } = side.head.model ?? {};
  if (!name) return "";
  const words = [
    name,
    device && `${device}${number ? ` ${number}` : ""}`,
    trained === false ? t("no trained weights") : "",
    side.source === "replay" ? weights : "",
    t(note ?? ""),
  ];
  return words.filter(Boolean).join(" · ");
}
