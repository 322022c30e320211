/** Many runs: what each of its parts answers, with a figure. One part is opened at a time. */

import { define, offered } from "../looks/features.js";
import { t } from "../looks/language.js";
import { Panel } from "../stage/of_page.js";
import { html, nothing, render } from "../vendor/lit-html.js";

export class ManyRuns extends Panel {
  setUp() {
    this.parts = JSON.parse(this.dataset.parts ?? "[]");
    this.unmask.frames.add(() => this.checkVisibility() && this.draw());
    this.parentElement?.closest("#runs")?.addEventListener("keydown", (event) => {
      if (/** @type {KeyboardEvent} */ (event).key !== "Escape" || !this.opened) return;
      event.stopPropagation();
      void this.show("");
    });
    void this.show("");
    this.loading = this.load();
    new IntersectionObserver(([entry]) => entry?.isIntersecting && void this.ask()).observe(this);
  }

  /** @type {string[]} titles of the tabs behind it */
  parts = [];
  /** @type {Record<string, import("../looks/features.js").Entry>} by title */
  entries = {};
  /** @type {Set<string>} those whose figures were asked for */
  requested = new Set();
  opened = "";
  loading = Promise.resolve();

  /** What the features have here. */
  async load() {
    this.entries = Object.assign({}, ...(await offered("runs")));
    this.draw();
  }

  /** Ask what the figures need of the server, once; what fails is asked for when it is seen again. */
  async ask() {
    await this.loading;
    for (const part of this.parts) {
      const ask = this.entries[part]?.ask;
      if (!ask || this.requested.has(part)) continue;
      this.requested.add(part);
      ask().then(
        () => this.draw(),
        () => this.requested.delete(part),
      );
    }
  }

  wanted = ""; // the part that was pressed last

  /** Open one part, once its script is there; or go back to all.
   * @param {string} part
   */
  async show(part) {
    this.wanted = part;
    const own = document.querySelectorAll("#more unmask-part > *")[this.parts.indexOf(part)];
    if (own && !own.matches(":defined")) await define(own.localName);
    if (this.wanted !== part) return; // another press came meanwhile
    const before = this.opened;
    this.opened = part;
    const tabs = document.getElementById("more");
    if (tabs) tabs.hidden = !part;
    const found = tabs?.querySelectorAll('[role="tab"]')[this.parts.indexOf(part)];
    if (part && found instanceof HTMLElement) found.click();
    this.draw();
    const focus = part ? ".back" : before ? `[data-part="${before}"] button` : "";
    if (focus) /** @type {HTMLElement | null} */ (this.querySelector(focus))?.focus();
  }

  draw() {
    const opened = html`<header>
      <h3>${t(this.opened)}</h3>
      <button type="button" class="back" @click=${() => void this.show("")}>${t("‹ All of them")}</button>
    </header>`;
    render(this.opened ? opened : html`${this.parts.map((part) => this.summary(part))}`, this);
  }

  /** @param {string} part */
  summary(part) {
    const entry = this.entries[part];
    return html`<section data-part=${part}>
      <header>
        <h3>${t(part)}</h3>
        <button type="button" @click=${() => void this.show(part)}>${entry?.link() ?? t("open")}</button>
      </header>
      ${entry ? html`<p class="question">${entry.says()}</p>` : nothing} ${entry?.figure?.(this.unmask) ?? nothing}
    </section>`;
  }
}
