/** The Lab: decoders compared on many prompts, side by side on one, and against a person. It speaks to the Lab's own door. */

import { Beside } from "./beside.js";
import { Game } from "./game.js";
import { ask } from "./ask.js";
import { SweepPanel } from "./sweep.js";
import { el } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { onceVisible } from "../race/claims.js";

/** @typedef {{title: string, says: string, usual: boolean}} DecoderRow */
/** @typedef {{decoders: Record<string, DecoderRow>, prompts: string[], measures: Record<string, string>}} Offer */

export class Lab extends HTMLElement {
  connectedCallback() {
    if (this.childElementCount) return;
    this.question = el(
      "p",
      { className: "question" },
      t("Which decoder is right more often, and in fewer looks? Compare them on many prompts, or two of them on one."),
    );
    this.notice = el("p", { role: "status", className: "lab-notice" }, t("Asking which decoders there are …"));
    this.append(this.question, this.notice);
    onceVisible(this, () => void this.fill());
  }

  /** @type {HTMLElement | undefined} what is answered here */
  question;
  /** @type {HTMLElement | undefined} */
  notice;

  async fill() {
    /** @type {Offer} */
    let offer;
    try {
      offer = await ask("lab");
    } catch (error) {
      if (this.notice) this.notice.textContent = /** @type {Error} */ (error).message;
      return;
    }
    const plotly = JSON.parse(this.dataset.plotly ?? '""');
    this.replaceChildren(
      ...(this.question ? [this.question] : []),
      section(t("Many prompts"), new SweepPanel(offer, plotly).node, true),
      section(t("Side by side"), new Beside(offer).node),
      section(t("Beat the schedule"), new Game().node),
    );
    this.dataset.state = "ready";
  }
}

/**
 * @param {string} title
 * @param {HTMLElement} body
 * @param {boolean} open
 */
function section(title, body, open = false) {
  return el("details", { className: "lab-part", open }, el("summary", {}, title), body);
}

customElements.define("unmask-lab", Lab);
