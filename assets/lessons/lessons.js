/** The course: a drawer beside the stage with one lesson in it, so that what is read can be played at once. */

import { Lesson } from "./lesson.js";
import { covered, uncovered } from "../looks/back.js";
import { el } from "../looks/dom.js";
import { course, language, t } from "../looks/language.js";
import { Panel } from "../stage/of_page.js";
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
      t(t("Lessons")),
    );
    this.toggle.setAttribute("aria-expanded", "false");
    this.body = el("div", { className: "lessons-body" });
    this.home = el("button", { type: "button", onclick: () => this.list() });
    this.end = el("button", { type: "button", onclick: () => this.close() });
    this.drawer = el(
      "aside",
      { className: "lessons", ariaLabel: t("Lessons"), hidden: true },
      el("header", {}, this.home, this.end),
      this.body,
    );
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
      if (this.home) this.home.textContent = this.words.all ?? "";
      if (this.end) this.end.textContent = this.words.close ?? "";
    }
    document.documentElement.dataset.lessons = "open";
    if (this.drawer) {
      this.drawer.hidden = false;
      covered(this.drawer, () => this.close());
    }
    this.toggle?.setAttribute("aria-expanded", "true");
    if (!this.body?.childElementCount) this.list();
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

  list() {
    const done = finished();
    this.lesson?.leave();
    this.body?.replaceChildren(
      el("h2", {}, this.words?.title ?? ""),
      el("p", {}, this.words?.intro ?? ""),
      el(
        "ol",
        { className: "lessons-list" },
        ...(this.rows ?? []).map(({ name, title, claim }, at) =>
          el(
            "li",
            {},
            el("button", { type: "button", onclick: () => this.open(at) }, done.includes(name) ? `${title} ✓` : title),
            el("p", {}, claim),
          ),
        ),
      ),
      ...(this.wrong ?? []).map((why) => el("p", { role: "alert", className: "lesson-trouble" }, why)),
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
    this.body?.replaceChildren(
      el(
        "button",
        {
          type: "button",
          className: "lesson-sheet",
          onclick: () => print(sheet(row, at + 1, this.words ?? {}), language()),
        },
        this.words?.sheet ?? "",
      ),
      this.lesson.node,
    );
    this.body?.scrollTo(0, 0);
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
