/** The course: a drawer beside the stage with one lesson in it, so that what is read can be played at once. */

import { course, language, t } from "../looks/language.js";
import { Panel } from "../stage/of_page.js";
import { html, render } from "../vendor/lit-html.js";

const DONE = "unmask-lessons";

/** @typedef {{name: string, title: string, language: string, claim: string, blocks: import("./lesson.js").Block[], runs: Record<string, import("./played.js").LessonRun>}} LessonRow */

export class Lessons extends Panel {
  setUp() {
    this.drawer.className = "lessons";
    this.drawer.ariaLabel = t("Lessons");
    this.drawer.hidden = true;
    this.toggle();
    document.body.append(this.drawer);
    this.drawer.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
    document.addEventListener("unmask-deeper", (event) => {
      if (/** @type {CustomEvent<boolean>} */ (event).detail) this.leave(); // only one thing is beside the stage at a time
    });
    const wanted = new URL(location.href).searchParams.get("lesson")?.replace(/\.md$/, "");
    if (wanted) void this.show().then(() => this.open(this.rows.findIndex(({ name }) => name.startsWith(wanted))));
  }

  drawer = document.createElement("aside");
  /** @type {LessonRow[]} */
  rows = [];
  /** @type {Record<string, string>} */
  words = {};
  /** @type {string[]} what is wrong with lessons of the host's own */
  wrong = [];
  /** @type {Awaited<ReturnType<typeof scripts>> | undefined} */
  scripts;
  /** @type {import("./lesson.js").Lesson | undefined} the one that is open */
  lesson;

  /** The button that opens the course. */
  toggle() {
    render(
      html`<button
        type="button"
        class="lessons-open"
        aria-expanded=${!this.drawer.hidden}
        @click=${() => void this.show()}
      >
        ${t("Lessons")}
      </button>`,
      this,
    );
  }

  async show() {
    if (!this.rows.length) {
      const address = new URL(`${course().place}/lessons/${language()}.json`, document.baseURI);
      const [answer, loaded] = await Promise.all([fetch(address), scripts()]);
      this.scripts = loaded;
      const found = answer.ok ? await answer.json() : { words: {}, lessons: [], wrong: [] };
      this.rows = found.lessons;
      this.wrong = found.wrong;
      this.words = found.words;
    }
    const stage = /** @type {import("../stage/stage.js").Stage | null} */ (document.querySelector("unmask-stage"));
    if (stage?.wantsDeep) void stage.deepen(false);
    this.drawer.hidden = false;
    this.scripts?.covered(this.drawer, () => this.close());
    this.toggle();
    if (this.lesson) this.shows("lesson");
    else this.list();
  }

  close() {
    this.leave();
    this.querySelector("button")?.focus();
  }

  /** Put the course away. */
  leave() {
    this.drawer.hidden = true;
    this.scripts?.uncovered(this.drawer);
    delete document.documentElement.dataset.lessons;
    delete document.documentElement.dataset.lessonStep;
    this.toggle();
  }

  /** What is open; while it is a lesson, the prompt is out of sight.
   * @param {"list" | "lesson"} part
   */
  shows(part) {
    document.documentElement.dataset.lessons = part;
  }

  /** @param {unknown} page what the drawer shows under its two buttons */
  draw(page) {
    render(
      html`<header>
          <button type="button" @click=${() => this.list()}>${this.words.all}</button>
          <button type="button" @click=${() => this.close()}>${this.words.close}</button>
        </header>
        <div class="lessons-body">${page}</div>`,
      this.drawer,
    );
  }

  list() {
    const done = finished();
    this.lesson?.leave();
    this.lesson = undefined;
    this.shows("list");
    this.draw(
      html`<h2>${this.words.title}</h2>
        <p>${this.words.intro}</p>
        <ol class="lessons-list">
          ${this.rows.map(
            (row, at) =>
              html`<li>
                <button type="button" @click=${() => this.open(at)}>
                  ${done.includes(row.name) ? `${row.title} ✓` : row.title}
                </button>
                <p>${done.includes(row.name) ? row.claim : this.scripts?.questionOf(row.blocks)}</p>
              </li>`,
          )}
        </ol>
        ${this.wrong.map((why) => html`<p role="alert" class="lesson-trouble">${why}</p>`)}`,
    );
  }

  /** @param {number} at */
  open(at) {
    const row = this.rows[at];
    if (!row || !this.scripts) return this.list();
    const { Lesson, print, sheet } = this.scripts;
    const next = this.rows[at + 1];
    const label = next ? `${this.words.next} ${next.title}` : (this.words.back ?? "");
    this.lesson?.leave();
    const finish = () => localStorage.setItem(DONE, JSON.stringify([...new Set([...finished(), row.name])]));
    this.lesson = new Lesson(this.unmask, row, String(at + 1), this.words, finish, {
      label,
      go: () => this.open(at + 1),
    });
    this.shows("lesson");
    const printed = () => print(sheet(row, at + 1, this.words), language());
    this.draw(
      html`<button type="button" class="lesson-sheet" @click=${printed}>${this.words.sheet}</button>
        ${this.lesson.node}`,
    );
    this.drawer.querySelector(".lessons-body")?.scrollTo(0, 0);
  }
}

/** What the drawer shows lessons with, loaded when it is first opened. */
async function scripts() {
  const [{ Lesson }, { print, sheet }, { questionOf }, { covered, uncovered }] = await Promise.all([
    import("./lesson.js"),
    import("./sheet.js"),
    import("./steps.js"),
    import("../looks/back.js"),
  ]);
  return { Lesson, print, sheet, questionOf, covered, uncovered };
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
