/** The colours that a picture is drawn in: those of the page's theme. */

import { colour } from "../looks/dom.js";
import { COLOURS } from "./drawing.js";

/** The colours of the present theme. */
export function coloursNow() {
  return Object.fromEntries(COLOURS.map((name) => [name, colour(name)]));
}
