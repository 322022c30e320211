/** What differs between the sides: a row a figure, with a bar each on one scale; what is alike is one sentence. */

import { t } from "../looks/language.js";
import { html, render } from "../vendor/lit-html.js";
import { costOf } from "./meters.js";
import { nameOf } from "./names.js";
import { comparison } from "./comparison.js";

export class Differences {
  /** @param {import("../stage/controller.js").Controller} controller */
  constructor(controller) {
    this.controller = controller;
    this.node = document.createElement("section");
    this.node.className = "differences";
  }

  show() {
    const { controller } = this;
    const there = controller.sides.flatMap((side, number) => (side.moments.length > 1 ? [number] : []));
    const costs = there.map((number) => costOf(controller.player.timedSide(number), controller.player.at(number)));
    const { rows, same } = comparison(
      there.map((number, i) => ({
        cost: /** @type {import("./meters.js").Cost} */ (costs[i]),
        facts: controller.qualities.of(controller.side(number), controller.player.at(number)),
      })),
    );
    const machine = controller.player.clock?.name ?? "";
    const alone = there.length < 2; // nothing to compare with
    const words = t("A look is one reading of the text, with a guess for each open place; a token is a word or a piece of one."); // prettier-ignore
    const busy = costs.some(({ shared }) => shared) ? t("Something else used this processor meanwhile: times are too long.") : ""; // prettier-ignore
    const times = machine ? t("Times on one {chip}, modelled.", { chip: machine }) : busy;
    render(
      html`<table>
          <thead>
            <tr>
              <th scope="col">${alone ? t("This run") : t("What differs")}</th>
              ${there.map(
                (number) => html`<th scope="col" data-side=${number}>${nameOf(controller.side(number), number)}</th>`,
              )}
            </tr>
          </thead>
          <tbody>
            ${rows.map(
              ({ label, values }) =>
                html`<tr>
                  <th scope="row">${label}</th>
                  ${values.map(
                    ({ text, share }, i) =>
                      html`<td data-side=${there[i] ?? 0}>
                        ${text}<i aria-hidden="true" style="width: ${(100 * share).toFixed(1)}%" ?hidden=${alone}></i>
                      </td>`,
                  )}
                </tr>`,
            )}
          </tbody>
        </table>
        <p class="same">
          ${there.length ? [same, times, words].filter(Boolean).join(" ") : t("Run something, and its figures are shown here.")}
        </p>`,
      this.node,
    );
  }
}
