/** Recorded runs that each show something: chosen by their words, replayed at once, each with an address of its own. */

import { covered, ledTo, uncovered } from "../looks/back.js";
import { el } from "../looks/dom.js";
import { counted, t } from "../looks/language.js";
import { Panel } from "../stage/of_page.js";

/** @typedef {{name: string, title: string, shows: string, proof: string, text: [string, number][]}} Row with stretches of
 * its text, each with when it was written: -1 if it was given, otherwise 0 to 4 */

const KEY = /[#&]gallery=([a-z]+)(?=&|$)/;

export class Gallery extends Panel {
  setUp() {
    /** @type {Row[]} */
    this.rows = JSON.parse(this.dataset.rows ?? "[]");
    if (!this.rows.length) return;
    this.toggle = el("button", { type: "button", className: "gallery-open", onclick: () => this.show() }, t("Gallery"));
    this.append(this.toggle);
    this.fill();
  }

  fill() {
    const close = el("button", { type: "button", onclick: () => this.dialog?.close() }, t("Close"));
    this.dialog = el(
      "dialog",
      { className: "gallery", ariaLabel: t("Gallery") },
      el("header", {}, el("h2", {}, t("Gallery")), close),
      el("p", {}, t("Recorded runs, chosen because each shows something. Touch a cell, and the model takes over.")),
      el("p", {}, t("Blue words were written first, yellow ones last; grey ones were given.")),
      el("ul", {}, ...(this.rows ?? []).map((row) => this.card(row))),
    );
    const { dialog } = this;
    dialog.addEventListener("close", () => uncovered(dialog));
    document.body.append(dialog);
    addEventListener("hashchange", () => this.open());
    if (!this.wanted) return;
    this.unmask.reserve("gallery"); // the recorded first view is not shown
    this.open();
  }

  /** The run that the page's address names. */
  get wanted() {
    const name = KEY.exec(location.hash)?.[1];
    return this.rows?.find((row) => row.name === name);
  }

  /** @param {string} file */
  address(file) {
    return new URL(`${JSON.parse(this.dataset.place ?? '""')}/${file}`, document.baseURI).href;
  }

  /** @param {Row} row */
  card(row) {
    const { name, title, shows, proof, text } = row;
    return el(
      "li",
      {},
      el(
        "a",
        {
          href: `${location.pathname}${location.search}#gallery=${name}`, // the page's base address may be another
          title: counted(proof),
          onclick: (/** @type {Event} */ event) => {
            event.preventDefault();
            if (!this.dialog) return;
            ledTo(this.dialog, `${location.pathname}${location.search}#gallery=${name}`);
            this.dialog.close();
            this.open();
          },
        },
        el(
          "p",
          { className: "words", "aria-hidden": "true" },
          ...text.map(([part, when]) => el("span", { "data-when": String(when) }, part)),
        ),
        el("strong", {}, t(title)),
        el("span", {}, t(shows)),
      ),
    );
  }

  show() {
    const { dialog } = this;
    if (!dialog) return;
    dialog.showModal();
    covered(dialog, () => dialog.close());
  }

  open() {
    const row = this.wanted;
    if (row) void this.play(row);
  }

  /** @param {Row} row */
  async play({ name, title, shows }) {
    try {
      const answer = await fetch(this.address(`${name}.trace.jsonl`));
      if (!answer.ok) throw new Error(t("This run is not here any more."));
      this.unmask.recordings.show([await answer.text()]);
      this.unmask.meet();
      this.unmask.note(`${t(title)}. ${t(shows)}`);
      document.querySelector("unmask-stage")?.scrollIntoView({ behavior: "smooth", block: "start" });
    } catch (error) {
      this.unmask.note(error instanceof Error ? error.message : String(error), true);
    }
  }
}
