/** The numbers of one side, what thinks there, and what can be taken from it or asked of it as a whole. */

import { t } from "../looks/language.js";
import { html, nothing, render } from "../vendor/lit-html.js";
import { costOf, readings } from "./meters.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("../looks/features.js").Ask} Ask */

export class Numbers {
  /**
   * @param {number} number
   * @param {Ask[]} asks
   */
  constructor(number, asks) {
    this.number = number;
    this.asks = asks;
    this.node = document.createElement("section");
    this.node.className = "numbers";
    this.node.dataset.side = String(number);
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
    this.node.dataset.source = side.source;
    const meters = readings(costOf(timed, at), quality).map(
      ({ name: label, value, title }) =>
        html`<div title=${title} data-meter=${label}>
          <dt>${t(label)}</dt>
          <dd>${value}</dd>
        </div>`,
    );
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
        <div class="foot flow">${this.asks.map((ask) => this.ask(ask, side))}</div>`,
      this.node,
    );
  }

  /**
   * @param {Ask} ask
   * @param {Side} side
   */
  ask({ text, title, may, go, open, file }, side) {
    const press = (/** @type {any} */ { currentTarget }) => go(this.number, currentTarget);
    const hidden = !may(side);
    if (file)
      return html`<a
        class="save link"
        role="button"
        download=${file}
        href="#"
        ?hidden=${hidden}
        title=${title}
        @click=${press}
        >${text}</a
      >`;
    return html`<button
      type="button"
      class="ask link"
      title=${title}
      aria-expanded=${open ? String(open(this.number)) : nothing}
      ?hidden=${hidden}
      @click=${press}
    >
      ${text}
    </button>`;
  }
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
