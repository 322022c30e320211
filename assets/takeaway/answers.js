/** A button that saves what a lens has answered as a picture. */

import { el } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { coloursNow, saved } from "./saved.js";
import { answerSvg } from "./sheets.js";

/** @param {() => import("./sheets.js").Answer} answer what stands there when it is pressed */
export function saveButton(answer) {
  const save = () => void saved("unmask-answer.svg", "image/svg+xml", answerSvg(answer(), coloursNow()));
  return el("button", { type: "button", className: "inline", onclick: save }, t("Save as SVG"));
}
