/** A part of the page that is loaded when it is first seen: it holds one custom element, which nobody has defined yet. */

import { onceVisible } from "./dom.js";
import { define } from "./features.js";

export class Part extends HTMLElement {
  connectedCallback() {
    const element = this.firstElementChild;
    if (!(element instanceof HTMLElement) || element.matches(":defined")) return;
    onceVisible(element, () => void define(element.localName));
  }
}
