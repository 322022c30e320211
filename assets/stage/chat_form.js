/** The prompt of a run in its chat form, as the model reads it. */

import { templateOf } from "../cells/template.js";
import { html, render } from "../vendor/lit-html.js";

/** @typedef {import("../wire/store.js").Side} Side */

/** The whole prompt as the model reads it: its pieces, and whether each is a turn's own or the template's.
 * @param {Side} side
 * @returns {{text: string, own: boolean}[]}
 */
function promptParts(side) {
  const template = templateOf(side);
  const tokens = side.moments[0]?.tokens ?? [];
  /** @type {{text: string, own: boolean}[]} */
  const parts = [];
  for (let cell = 0; cell < (template?.from ?? 0); cell++) {
    const own = !template?.hidden.has(cell);
    const text = side.pieces.get(tokens[cell] ?? -1) ?? "";
    const last = parts.at(-1);
    if (last?.own === own) last.text += text;
    else parts.push({ text, own });
  }
  return parts;
}

/**
 * @param {HTMLElement} node
 * @param {Side} side
 */
export function drawForm(node, side) {
  const parts = promptParts(side);
  render(
    parts.map(({ text, own }) => (own ? html`<b>${text}</b>` : text.replaceAll("\n", " ⏎ "))),
    node,
  );
}
