/** The answers of a talk above the player, each a tab with its question: one press shows its run. */

import { cut } from "../ask/shapes.js";
import { t } from "../looks/language.js";
import { html, render } from "../vendor/lit-html.js";

const LONGEST = 40; // characters of a question
const BEFORE = 40; // px that are seen of the tab before

export class TalkTabs {
  /** @param {import("./talk.js").Talk} talk */
  constructor(talk) {
    this.talk = talk;
    this.node = document.createElement("div");
    this.node.className = "talk";
    this.node.role = "tablist";
    this.node.ariaLabel = t("Answers of this talk");
    this.node.addEventListener("keydown", (event) => this.key(event));
  }

  show() {
    const { answers, at, unmask } = this.talk;
    this.node.hidden = answers.length < 2;
    render(
      answers.map((answer, i) => {
        const question = String(answer.find(({ source }) => source !== "empty")?.head.prompt ?? "");
        const other = i !== at;
        return html`<button
          type="button"
          role="tab"
          aria-selected=${!other}
          tabindex=${other ? -1 : 0}
          ?disabled=${other && !unmask.over}
          @click=${() => this.talk.show(i)}
        >
          <small>${i + 1}</small> ${cut(question.trim().replace(/\s+/g, " "), LONGEST)}
        </button>`;
      }),
      this.node,
    );
    const tab = this.node.children[at];
    if (at === this.shown || !(tab instanceof HTMLElement)) return;
    this.shown = at;
    this.node.scrollLeft = tab.offsetLeft - this.node.offsetLeft - BEFORE;
  }

  shown = 0; // the answer that was scrolled to

  /** Arrows go from answer to answer.
   * @param {KeyboardEvent} event
   */
  key(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const { at, answers, unmask } = this.talk;
    this.talk.show(Math.max(0, Math.min(answers.length - 1, at + by)));
    unmask.frames.now();
    this.show();
    /** @type {HTMLElement | null} */ (this.node.querySelector("[aria-selected=true]"))?.focus();
  }
}
