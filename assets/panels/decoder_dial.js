/** The dial in the first view: from careful to bold in one movement, and what the decoder there was measured to do. */

import { counted, t } from "../looks/language.js";
import { Panel } from "../stage/of_page.js";
import { html, nothing, render } from "../vendor/lit-html.js";
import { Decoders, figures, sentences } from "./decoders.js";

/** Stands on the page's own stage, where there are decoders to choose from. */
export class DecoderDial extends Panel {
  setUp() {
    document.addEventListener("unmask-decoders", () => this.draw());
    this.draw();
  }

  open = false; // its card is shown

  get decoders() {
    const own = this.closest("unmask-stage") === document.querySelector("unmask-stage");
    const found = own ? document.querySelector("unmask-decoders") : null;
    return found instanceof Decoders && found.points.length ? found : null;
  }

  draw() {
    const { decoders } = this;
    if (!decoders) return;
    const { points, chosen } = decoders;
    const place = points.findIndex(([, name]) => name === chosen);
    const item = decoders.item(chosen);
    const fold = (/** @type {boolean} */ open) => {
      this.open = open;
      this.draw();
    };
    const move = (/** @type {InputEvent} */ event) => {
      const slider = /** @type {HTMLInputElement} */ (event.target);
      const [, name = ""] = points[Number(slider.value)] ?? [];
      this.open = true;
      if (!decoders.reason(name)) return decoders.take(name);
      slider.value = String(place); // the model here cannot be decoded so
      this.draw();
    };
    const escape = (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Escape" || !this.open) return;
      event.stopPropagation();
      fold(false);
    };
    render(
      html`<label class=${place < 0 ? "off" : ""}
          ><span>${t("careful")}</span
          ><input
            type="range"
            min="0"
            max=${points.length - 1}
            .value=${String(place < 0 ? Math.floor(points.length / 2) : place)}
            aria-label=${t("How it decides, from careful to bold")}
            aria-valuetext=${item ? t(item.plain) : nothing}
            @input=${move}
            @pointerdown=${() => fold(true)}
            @blur=${() => fold(false)}
            @keydown=${escape}
          /><span>${t("bold")}</span></label
        >${this.open && item ? this.card(item) : nothing}`,
      this,
    );
  }

  /** @param {import("./decoders.js").Item} item */
  card(item) {
    const says = sentences(t(item.says), figures(item), counted(item.warning));
    return html`<output><b>${t(item.plain)}</b> ${says}</output>`;
  }
}
