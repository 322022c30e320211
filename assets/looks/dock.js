/** Everything behind the first view, beside the stage and never over it: four pages behind tabs, and pages with a button elsewhere. */

import { el } from "./dom.js";
import { t } from "./language.js";

/** @typedef {"run" | "how" | "word" | "many" | "share" | "models"} Page */

/** The pages, and the parts of the page that Python has made for them. @type {{page: Page, parts: string[]}[]} */
const PAGES = [
  { page: "run", parts: ["views"] },
  { page: "how", parts: ["controls"] },
  { page: "word", parts: [] },
  { page: "many", parts: ["runs"] },
];

/** Pages without a tab. @type {Page[]} */
const ALONE = ["share", "models"];

/** @param {Page} page */
function titleOf(page) {
  const titles = { run: t("This run"), how: t("How it decides"), word: t("A word"), many: t("Many runs") };
  return { ...titles, share: t("Share this run"), models: t("Models") }[page];
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
    for (const page of ALONE)
      this.panels.set(page, el("section", { className: "page unmask", ariaLabel: titleOf(page) }));
    this.list = list;
    this.heading = el("h2", { tabIndex: -1 });
    this.append(el("header", { className: "unmask" }, list, this.heading, close), ...this.panels.values());
    this.show("run");
    document.addEventListener("unmask-deeper", (event) => {
      const open = /** @type {CustomEvent<boolean>} */ (event).detail;
      if (!open && ALONE.includes(this.shown)) this.show("run"); // what is opened next has its tabs
    });
  }

  /** @type {Map<Page, HTMLElement>} */
  tabs = new Map();
  /** @type {Map<Page, HTMLElement>} */
  panels = new Map();
  /** @type {Page} */
  shown = "run";
  /** @type {HTMLElement | undefined} */
  list;
  /** @type {HTMLElement | undefined} of a page without a tab */
  heading;

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
    for (const [name, panel] of this.panels) {
      panel.hidden = name !== page;
      const tab = this.tabs.get(name);
      tab?.setAttribute("aria-selected", String(name === page));
      if (tab) tab.tabIndex = name === page ? 0 : -1;
    }
    const alone = ALONE.includes(page);
    if (this.list) this.list.hidden = alone;
    if (this.heading) {
      this.heading.hidden = !alone;
      this.heading.textContent = alone ? titleOf(page) : "";
    }
    this.dispatchEvent(new Event("unmask-page"));
  }

  /** @type {HTMLElement | null} the button that opened it */
  opener = null;

  /** Give the keyboard back to the button that opened it, if that is still there. */
  back() {
    const there = Boolean(this.opener?.checkVisibility());
    if (there) this.opener?.focus();
    return there;
  }

  focus() {
    const now = document.activeElement;
    if (now instanceof HTMLButtonElement && !this.contains(now)) this.opener = now;
    (this.tabs.get(this.shown) ?? this.heading)?.focus({ preventScroll: true });
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
