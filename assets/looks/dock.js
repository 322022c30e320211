/** Everything behind the first view, beside the stage and never over it: four pages, of which one is seen. */

import { el } from "./dom.js";
import { t } from "./language.js";

/** @typedef {"run" | "how" | "word" | "many"} Page */

/** The pages, and the parts of the page that Python has made for them. @type {{page: Page, parts: string[]}[]} */
const PAGES = [
  { page: "run", parts: ["views"] },
  { page: "how", parts: ["controls"] },
  { page: "word", parts: [] },
  { page: "many", parts: ["more"] },
];

/** @param {Page} page */
function titleOf(page) {
  return { run: t("This run"), how: t("How it decides"), word: t("A word"), many: t("Many runs") }[page];
}

export class Dock extends HTMLElement {
  connectedCallback() {
    if (this.childElementCount) return;
    const tabs = PAGES.map(({ page }) => {
      const tab = el(
        "button",
        {
          type: "button",
          role: "tab",
          id: `dock-tab-${page}`,
          "aria-controls": `dock-${page}`,
          onclick: () => this.show(page),
        },
        titleOf(page),
      );
      this.tabs.set(page, tab);
      const panel = el("div", {
        role: "tabpanel",
        id: `dock-${page}`,
        className: page === "run" || page === "word" ? "page unmask" : "page", // Python's forms have their own looks
        "aria-labelledby": `dock-tab-${page}`,
      });
      this.panels.set(page, panel);
      return tab;
    });
    const list = el("div", { role: "tablist", "aria-label": t("Look deeper"), onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event) }, ...tabs); // prettier-ignore
    const close = el(
      "button",
      {
        type: "button",
        className: "quiet close",
        "aria-label": t("Close"),
        onclick: () => this.dispatchEvent(new Event("unmask-close")),
      },
      "×",
    );
    this.append(el("header", { className: "unmask" }, list, close), ...this.panels.values());
    this.show("run");
  }

  /** @type {Map<Page, HTMLElement>} */
  tabs = new Map();
  /** @type {Map<Page, HTMLElement>} */
  panels = new Map();
  /** @type {Page} */
  shown = "run";

  /** Whether it stands beside the stage; on a narrow screen it stands below. */
  get beside() {
    return matchMedia("(width > 900px)").matches;
  }

  /** Take in what belongs on its pages.
   * @param {Partial<Record<Page, HTMLElement[]>>} own of the stage
   */
  fill(own) {
    for (const { page, parts } of PAGES) {
      const found = parts.flatMap((id) => document.getElementById(id) ?? []);
      const [first = [], ...more] = own[page] ?? [];
      this.panels.get(page)?.append(...[first].flat(), ...found, ...more);
    }
  }

  /** @param {Page} page */
  show(page) {
    this.shown = page;
    for (const [name, tab] of this.tabs) {
      const chosen = name === page;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      const panel = this.panels.get(name);
      if (panel) panel.hidden = !chosen;
    }
    this.dispatchEvent(new Event("unmask-page"));
  }

  focus() {
    this.tabs.get(this.shown)?.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const now = PAGES.findIndex(({ page }) => page === this.shown);
    const to = by
      ? (now + by + PAGES.length) % PAGES.length
      : event.key === "Home"
        ? 0
        : event.key === "End"
          ? PAGES.length - 1
          : -1;
    const page = PAGES[to]?.page;
    if (!page) return;
    event.preventDefault();
    this.show(page);
    this.focus();
  }
}
