/** The shelf: small real models, each a press away. */

import { el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { deeds, facts, progress } from "../steer/book.js";

/** @typedef {import("../steer/book.js").Book} Book */

const AGAIN = 700; // ms between two looks while something is on its way

export class Shelf {
  /** @param {import("../stage/controller.js").Controller} unmask */
  constructor(unmask) {
    this.unmask = unmask;
    this.list = el("ul", {});
    this.note = el("p", { className: "why", role: "status" });
    this.node = el(
      "section",
      { className: "shelf", hidden: true, "aria-label": t("Small models") },
      el("h3", {}, t("Small models, one press away")),
      el(
        "p",
        {},
        t("From the Hugging Face hub. A look here means 128 open cells on this machine, as measured on one layer."),
      ),
      this.list,
      this.note,
    );
  }

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer;
  /** @type {Map<string, HTMLElement>} */
  rows = new Map();

  /** Look now, and again while something is on its way.
   * @param {Record<string, string> | null} wish
   */
  async look(wish = null) {
    clearTimeout(this.timer);
    const address = new URL("shelf", document.baseURI);
    try {
      const answer = await fetch(address, wish ? { method: "POST", body: JSON.stringify(wish) } : {});
      const shelf = await answer.json();
      say(this.note, shelf.why ?? "");
      if (!shelf.items) return;
      this.show(shelf.items, shelf.owner);
      if (shelf.items.some((/** @type {Book} */ { state }) => state === "coming"))
        this.timer = setTimeout(() => this.look(), AGAIN);
    } catch {
      this.timer = setTimeout(() => this.look(), 4 * AGAIN); // the line says that it is lost
    }
  }

  /** @param {Book[]} books
   * @param {boolean} owner
   */
  show(books, owner) {
    this.node.hidden = !books.length;
    for (const book of books) {
      const key = JSON.stringify([book, owner]);
      const before = this.rows.get(book.name);
      if (before?.dataset.key === key) continue;
      const row = this.row(book, owner);
      row.dataset.key = key;
      const focused = before?.contains(document.activeElement);
      if (before) before.replaceWith(row);
      else this.list.append(row);
      if (focused) row.querySelector("button")?.focus();
      this.rows.set(book.name, row);
    }
  }

  /** @param {Book} book
   * @param {boolean} owner
   */
  row(book, owner) {
    const [, short = book.name] = book.name.split("/");
    const coming = book.state === "coming" && book.total;
    return el(
      "li",
      { "data-state": book.state, "data-model": book.name },
      el("strong", { title: book.name }, short),
      el("span", { className: "good" }, book.good),
      el("span", { className: "facts" }, facts(book)),
      ...(coming
        ? [
            el("progress", {
              max: book.total,
              value: book.done,
              "aria-label": t("Download of {model}", { model: short }),
            }),
          ]
        : []),
      el("span", { className: "state" }, progress(book)),
      el(
        "span",
        { className: "deeds" },
        ...deeds(book, owner).map(([deed, word]) =>
          el(
            "button",
            { type: "button", "aria-label": `${word}: ${short}`, onclick: () => this.act(deed, book.name) },
            word,
          ),
        ),
      ),
    );
  }

  /** @param {string} deed
   * @param {string} name
   */
  act(deed, name) {
    if (deed === "use") this.unmask.think(0, name);
    else this.look({ model: name, do: deed });
  }
}
