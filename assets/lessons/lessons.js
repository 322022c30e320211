/** The course: a drawer beside the stage with one lesson in it, so that what is read can be played at once. */

import { Lesson } from "./lesson.js";
import { covered, uncovered } from "../looks/back.js";
import { el } from "../looks/dom.js";
import { course, language, t } from "../looks/language.js";
import { Panel } from "../stage/of_page.js";
import { html, render } from "../vendor/lit-html.js";
import { print, sheet } from "./sheet.js";

const DONE = "unmask-lessons";

/** @typedef {{name: string, title: string, language: string, claim: string, blocks: import("./lesson.js").Block[], runs: Record<string, import("./played.js").LessonRun>}} LessonRow */

export class Lessons extends Panel {
  setUp() {
    /** @type {LessonRow[]} */
    this.rows = [];
    /** @type {Record<string, string>} */
    this.words = {};
    /** @type {string[]} what is wrong with lessons of the host's own */
    this.wrong = [];
    this.toggle = el(
      "button",
      { type: "button", className: "lessons-open", onclick: () => void this.show() },
      t("Lessons"),
    );
    this.toggle.setAttribute("aria-expanded", "false");
    this.drawer = el("aside", { className: "lessons", ariaLabel: t("Lessons"), hidden: true });
    this.append(this.toggle);
    document.body.append(this.drawer);
    this.drawer.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
    const wanted = new URL(location.href).searchParams.get("lesson")?.replace(/\.md$/, "");
    if (wanted) void this.show().then(() => this.open(this.rows.findIndex(({ name }) => name.startsWith(wanted))));
  }

  async show() {
    if (!this.rows?.length) {
      const address = new URL(`${course().place}/lessons/${language()}.json`, document.baseURI);
      const answer = await fetch(address);
      const found = answer.ok ? await answer.json() : { words: {}, lessons: [], wrong: [] };
      this.rows = found.lessons;
      this.wrong = found.wrong;
      this.words = found.words;
    }
    document.documentElement.dataset.lessons = "open";
    if (this.drawer) {
      this.drawer.hidden = false;
      covered(this.drawer, () => this.close());
    }
    this.toggle?.setAttribute("aria-expanded", "true");
    if (!this.drawer?.childElementCount) this.list();
  }

  /** @type {Lesson | undefined} the one that is open */
  lesson;

  close() {
    if (this.drawer) {
      this.drawer.hidden = true;
      uncovered(this.drawer);
    }
    delete document.documentElement.dataset.lessons;
    this.toggle?.setAttribute("aria-expanded", "false");
    this.toggle?.focus();
  }

  /** @param {unknown} page what the drawer shows under its two buttons */
  draw(page) {
    if (!this.drawer) return;
    render(
      html`<header>
          <button type="button" @click=${() => this.list()}>${this.words?.all}</button>
          <button type="button" @click=${() => this.close()}>${this.words?.close}</button>
        </header>
        <div class="lessons-body">${page}</div>`,
      this.drawer,
    );
  }

  list() {
    const done = finished();
    this.lesson?.leave();
    this.draw(
      html`<h2>${this.words?.title}</h2>
        <p>${this.words?.intro}</p>
        <ol class="lessons-list">
          ${(this.rows ?? []).map(
            ({ name, title, claim }, at) =>
              html`<li>
                <button type="button" @click=${() => this.open(at)}>
                  ${done.includes(name) ? `${title} ✓` : title}
                </button>
                <p>${claim}</p>
              </li>`,
          )}
        </ol>
        ${(this.wrong ?? []).map((why) => html`<p role="alert" class="lesson-trouble">${why}</p>`)}`,
    );
  }

  /** @param {number} at */
  open(at) {
    const row = this.rows?.[at];
    if (!row) return this.list();
    const next = this.rows?.[at + 1];
    const label = next ? `${this.words?.next} ${next.title}` : (this.words?.back ?? "");
    const onward = el("button", { type: "button", className: "primary", onclick: () => this.open(at + 1) }, label);
    this.lesson?.leave();
    const finish = () => localStorage.setItem(DONE, JSON.stringify([...new Set([...finished(), row.name])]));
    this.lesson = new Lesson(this.unmask, row, String(at + 1), this.words ?? {}, finish, onward);
    const printed = () => print(sheet(row, at + 1, this.words ?? {}), language());
    this.draw(
      html`<button type="button" class="lesson-sheet" @click=${printed}>${this.words?.sheet}</button>
        ${this.lesson.node}`,
    );
    this.drawer?.querySelector(".lessons-body")?.scrollTo(0, 0);
  }
}

/** Names of lessons whose check was answered.
 * @returns {string[]}
 */
function finished() {
  try {
    const row = JSON.parse(localStorage.getItem(DONE) ?? "[]");
    return Array.isArray(row) ? row.map(String) : [];
  } catch {
    return [];
  }
}

customElements.define("unmask-lessons", Lessons);
