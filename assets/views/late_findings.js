/** What checks found: loaded with the first run in which one reads along. */

import { reactive } from "../wire/reactive.js";

const state = reactive({ loaded: /** @type {typeof import("./findings.js") | null} */ (null) });
let asking = false;

/** @param {import("../wire/store.js").Side} side */
export function lateFindings(side) {
  const { loaded } = state;
  if (loaded || asking || !(side.head.settings?.checks?.length || side.moments.at(-1)?.found)) return loaded;
  asking = true;
  void import("./findings.js").then((module) => (state.loaded = module));
  return null;
}
