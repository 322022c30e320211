/** The list of the marks that occur in a run. */

import { faces } from "../cells/face.js";
import { t } from "../looks/language.js";
import { html, nothing, render } from "../vendor/lit-html.js";
import { marksOf, meaningOf } from "./marks.js";

export class Legend {
  /**
   * @param {import("../stage/controller.js").Controller} controller
   * @param {HTMLInputElement} box whether they are shown in the text
   */
  constructor(controller, box) {
    this.controller = controller;
    this.box = box;
    this.node = document.createElement("section");
    this.node.className = "marks-of-run";
    this.node.ariaLabel = t("Marks in this run");
  }

  show() {
    const { controller } = this;
    const rows = controller.sides.flatMap((side, number) => faces(side, controller.player.at(number)));
    const marks = marksOf(rows);
    this.node.hidden = marks.length === 0;
    render(
      html`<header>
          <h3>${t("Marks in this run")}</h3>
          <label class="toggle">${this.box}<span>${t("show them in the text")}</span></label>
        </header>
        <ul class="legend">
          ${marks.map(
            ({ look, face, count }) =>
              html`<li data-mark=${look}>
                <span
                  class=${face.look.replace(/ (fresh|selected|linked)\b/g, "")}
                  data-sure=${face.sure}
                  data-ticks=${face.ticks || nothing}
                  aria-hidden="true"
                  ><span>${face.ink.trim()}</span></span
                ><span>${count} × ${meaningOf(look)}</span>
              </li>`,
          )}
        </ul>`,
      this.node,
    );
  }
}
