/** A button that saves what a lens has answered as a picture. */

import { t } from "../looks/language.js";
import { saved } from "../looks/saved.js";
import { html } from "../vendor/lit-html.js";
import { coloursNow } from "./colours.js";
import { answerSvg } from "./sheets.js";

/** @param {() => import("./sheets.js").Answer} answer what is shown when it is pressed */
export function saveButton(answer) {
  const save = () => saved("unmask-answer.svg", "image/svg+xml", answerSvg(answer(), coloursNow()));
  return html`<button type="button" class="inline link" @click=${save}>${t("Save as SVG")}</button>`;
}
