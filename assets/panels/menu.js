/** The menu in the page's head: what is not part of the first view, one press away. */

import { Panel } from "../stage/of_page.js";
import { fileButton } from "../stage/drop.js";
import { el } from "../looks/dom.js";
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
        onclick: () => this.open(content.hidden === true),
      },
      "⋯",
    );
    this.prepend(this.button);
    document.addEventListener(
      "keydown",
      (event) => {
        if (event.key !== "Escape" || content.hidden) return;
        event.stopPropagation();
        this.open(false);
        this.button?.focus();
      },
      true,
    );
    document.addEventListener("pointerdown", ({ target }) => {
      if (target instanceof Node && !this.contains(target)) this.open(false);
    });
    document.addEventListener("keyup", ({ key, target }) => {
      if (key === "Tab" && target instanceof Node && !this.contains(target)) this.open(false);
    });
    content.addEventListener("click", ({ target }) => {
      if (target instanceof Element && target.closest("[aria-expanded]")) this.open(false); // it opens beside the stage
    });
  }

  /** @type {HTMLButtonElement | undefined} */
  button;
  /** @type {HTMLElement | undefined} */
  content;

  /** @param {boolean} open */
  open(open) {
    if (!this.content) return;
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
