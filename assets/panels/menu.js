/** The menu in the page's head: what is not part of the first view, one press away. */

import { Panel } from "../stage/of_page.js";
import { fileButton } from "../stage/drop.js";
import { el } from "../looks/dom.js";
import { define } from "../looks/features.js";
import { t } from "../looks/language.js";

/** A button, and what its element holds, which opens under it. */
export class Menu extends HTMLElement {
  connectedCallback() {
    if (this.button) return;
    const content = this.firstElementChild;
    if (!(content instanceof HTMLElement)) return;
    this.content = content;
    content.hidden = true;
    this.button = el(
      "button",
      {
        type: "button",
        className: "quiet",
        "aria-label": t("More"),
        "aria-expanded": "false",
        onclick: () => void this.open(!this.wished),
      },
      "⋯",
    );
    this.prepend(this.button);
    document.addEventListener(
      "keydown",
      (event) => {
        if (event.key !== "Escape" || content.hidden) return;
        event.stopPropagation();
        void this.open(false);
        this.button?.focus();
      },
      true,
    );
    for (const kind of ["pointerdown", "focusin"])
      document.addEventListener(kind, ({ target }) => {
        if (target instanceof Node && !this.contains(target)) void this.open(false);
      });
    content.addEventListener("click", ({ target }) => {
      if (target instanceof Element && target.closest("[aria-expanded]")) void this.open(false); // it opens beside the stage
    });
  }

  /** @type {HTMLButtonElement | undefined} */
  button;
  /** @type {HTMLElement | undefined} */
  content;

  wished = false;

  /** What is in it is loaded before it is shown, so that nothing moves under the pointer.
   * @param {boolean} open
   */
  async open(open) {
    if (!this.content) return;
    this.wished = open;
    const late = open ? [...this.content.querySelectorAll("unmask-part > :not(:defined)")] : [];
    if (late.length) await Promise.all(late.map(({ localName }) => define(localName)));
    if (this.wished !== open) return; // another press came meanwhile
    this.content.hidden = !open;
    this.button?.setAttribute("aria-expanded", String(open));
  }
}

/** Opening a run that was saved. */
export class Tools extends Panel {
  setUp() {
    this.classList.add("unmask");
    const { recordings } = this.unmask;
    this.append(fileButton((files) => void recordings.openFiles(files)));
  }
}
