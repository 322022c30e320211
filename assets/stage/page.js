/** The stage of this page, for the panels that are not part of it: the first stage that is set up takes it, others have their own. */

import { Controller } from "./controller.js";

export const unmask = new Controller();
let taken = false;

/** What a stage that is being set up runs on. */
export function ownController() {
  if (taken) return new Controller();
  taken = true;
  return unmask;
}
