/** One lesson, a step at a time: predict, play, check. Prose has numbers to drag; runs play on the stage. */

import { language } from "../looks/language.js";
import { html, nothing, render } from "../vendor/lit-html.js";
import { Played } from "./played.js";
import { filled, stepsOf, withValues } from "./steps.js";

/** @typedef {{text?: string, strong?: boolean, link?: string, handle?: string, unit?: string, value?: number, low?: number, high?: number}} Part */
/** @typedef {Record<string, any>} Order */
/**
 * @typedef {object} Block
 * @property {"text" | "predict" | "check" | "play" | "why"} kind
 * @property {Part[]} [parts]
 * @property {Part[][]} [paragraphs]
 * @property {string} [question]
 * @property {string[]} [answers]
 * @property {number} [right]
 * @property {string[]} [replies] one to each answer
 * @property {string} [run] the name of the run that is played
 */

/** @typedef {import("./steps.js").Step & {ready: boolean, prediction: Block | null, verdict: {right: boolean, says: string} | null}} StepState */

export class Lesson {
  node = document.createElement("article");
  at = 0; // the step that is shown
  trouble = "";
  /** @type {StepState[]} */
  steps = [];
  /** @type {Map<Block, {at: number, says: string}>} what was answered to each question, and the reply */
  answers = new Map();
  /** @type {Record<string, boolean[] | "running">} the goals of each run that was played: met or not */
  goals = {};
  /** @type {Map<Part, Record<string, number>>} the numbers in the prose, with those of the same run */
  values = new Map();
  /** @type {Record<string, Record<string, number>>} the numbers that each run takes along */
  ofRun = {};

  /**
   * @param {import("../stage/controller.js").Controller} unmask
   * @param {import("./lessons.js").LessonRow} row
   * @param {string} number
   * @param {Record<string, string>} words what is written around it, in its language
   * @param {() => void} done called when its last question was answered
   * @param {{label: string, go: () => void}} following leads to the next lesson
   */
  constructor(unmask, row, number, words, done, following) {
    this.row = row;
    this.number = number;
    this.words = words;
    this.done = done;
    this.following = following;
    this.node.className = "lesson";
    this.played = new Played(
      unmask,
      (name, met) => this.ended(name, met),
      (why) => this.fail(`${words.failed ?? ""} ${why}`.trim()),
    );
    this.prepare();
    this.go(0);
  }

  /** Which prediction each run answers, and which numbers of the prose it takes along. */
  prepare() {
    /** @type {Block | null} */
    let prediction = null;
    /** @type {Record<string, number>} */
    let values = {};
    for (const step of stepsOf(this.row.blocks)) {
      const predicts = step.blocks.findLast(({ kind }) => kind === "predict");
      this.steps.push({ ...step, ready: false, prediction: step.kind === "play" ? prediction : null, verdict: null });
      if (predicts) prediction = predicts;
      else if (step.kind === "play") prediction = null;
      for (const { parts = [], paragraphs = [], run } of step.blocks) {
        for (const part of [...parts, ...paragraphs.flat()]) {
          if (!part.handle) continue;
          this.values.set(part, values);
          values[part.handle] = bounded(part, part.value ?? 0);
        }
        if (!run) continue;
        this.ofRun[run] = values;
        values = {}; // numbers before a run change that run, and no later one
      }
    }
  }

  /** Another lesson takes its place. */
  leave() {
    delete document.documentElement.dataset.lessonStep;
    this.played.leave();
  }

  /** Show a step: only those whose steps before are done can be reached.
   * @param {number} at
   */
  go(at) {
    this.at = at;
    document.documentElement.dataset.lessonStep = this.steps[at]?.kind ?? "";
    this.trouble = "";
    this.show();
    this.section?.querySelector("button")?.focus({ preventScroll: true });
  }

  /** The step that is shown. */
  get section() {
    return this.node.querySelector(".lesson-step:not([hidden])");
  }

  /** @param {string} why */
  fail(why) {
    this.trouble = why;
    this.show();
  }

  show() {
    const { row, words, at, steps, following } = this;
    const reached = steps.findIndex(({ ready }) => !ready);
    const last = at === steps.length - 1;
    const { ready = false, kind = "" } = steps[at] ?? {};
    render(
      html`<p class="lesson-number">${words.lesson} ${this.number}</p>
        <h2>${row.title}</h2>
        ${row.language === language() ? nothing : html`<p class="lesson-note">${words.untranslated}</p>`}
        <ol class="lesson-steps" aria-label=${words.steps}>
          ${steps.map(
            (step, i) =>
              html`<li data-done=${step.ready}>
                <button
                  type="button"
                  aria-current=${i === at ? "step" : nothing}
                  ?disabled=${reached >= 0 && i > reached}
                  @click=${() => this.go(i)}
                >
                  ${words[step.kind]}
                </button>
              </li>`,
          )}
        </ol>
        ${steps.map((step, i) => this.step(step, i !== at))}
        <p class="lesson-claim" ?hidden=${reached >= 0}><strong>${words.goal}:</strong> ${row.claim}</p>
        <p role="alert" class="lesson-trouble">${this.trouble}</p>
        <p class="lesson-onward">
          <button
            type="button"
            class="primary"
            title=${ready ? "" : words[`first-${kind}`]}
            ?hidden=${last}
            ?disabled=${!ready}
            @click=${() => this.go(at + 1)}
          >
            ${words.step}
          </button>
          <button type="button" class="primary" ?hidden=${!last} @click=${following.go}>${following.label}</button>
        </p>`,
      this.node,
    );
  }

  /**
   * @param {StepState} step
   * @param {boolean} hidden
   */
  step(step, hidden) {
    const { prediction, verdict } = step;
    const chosen = prediction ? this.answers.get(prediction)?.at : undefined;
    const own = prediction && chosen !== undefined ? prediction.answers?.[chosen] : "";
    return html`<section class="lesson-step lesson-step-${step.kind}" ?hidden=${hidden}>
      ${own ? html`<p class="lesson-recalled">${this.words.predicted} <strong>${own}</strong></p>` : nothing}
      ${step.blocks.map((block) => this.block(block, step))}
      ${
        prediction
          ? html`<p
              role="status"
              class="lesson-verdict lesson-predicted"
              data-right=${verdict?.right ?? nothing}
              ?hidden=${!verdict}
            >
              ${verdict?.says}
            </p>`
          : nothing
      }
    </section>`;
  }

  /**
   * @param {Block} block
   * @param {StepState} step
   */
  block(block, step) {
    switch (block.kind) {
      case "text":
        return html`<p>${this.prose(block.parts ?? [])}</p>`;
      case "why":
        return html`<details>
          <summary>${this.words.why}</summary>
          ${(block.paragraphs ?? []).map((parts) => html`<p>${this.prose(parts)}</p>`)}
        </details>`;
      case "play":
        return this.play(block.run ?? "");
      default:
        return this.question(block, step);
    }
  }

  /** @param {Part[]} parts */
  prose(parts) {
    return parts.map((part) => {
      const { handle, link, strong, text = "" } = part;
      if (handle) return this.handle(part);
      if (link) return html`<a href=${link} target="_blank" rel="noopener">${text}</a>`;
      return strong ? html`<em>${text}</em>` : text;
    });
  }

  /** A number in the prose: drag it, or use the arrow keys.
   * @param {Part} part
   */
  handle(part) {
    const { handle = "", unit = "", value = 0, low = 0, high = 1 } = part;
    const values = this.values.get(part) ?? {};
    const now = values[handle] ?? value;
    const set = (/** @type {number} */ wanted) => {
      values[handle] = bounded(part, wanted);
      this.show();
    };
    const press = (/** @type {KeyboardEvent} */ event) => {
      const by = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      set((values[handle] ?? value) + by * stepOf(part));
    };
    const drag = (/** @type {PointerEvent} */ down) => {
      const node = /** @type {HTMLElement} */ (down.currentTarget);
      node.setPointerCapture(down.pointerId);
      node.onpointermove = ({ clientX }) => set(now + ((clientX - down.clientX) / 160) * (high - low));
      node.onpointerup = () => (node.onpointermove = null);
    };
    return html`<span
      class="lesson-handle"
      role="slider"
      tabindex="0"
      aria-label=${`${handle}${unit}`}
      aria-valuemin=${low}
      aria-valuemax=${high}
      aria-valuenow=${now}
      @keydown=${press}
      @pointerdown=${drag}
      >${now}${unit}</span
    >`;
  }

  /** A run with its goals, which are ticked as it ends.
   * @param {string} name
   */
  play(name) {
    const run = this.row.runs[name];
    if (!run) return nothing;
    const met = this.goals[name];
    const over = Array.isArray(met);
    const begin = () => {
      this.goals[name] = "running";
      this.fail("");
      this.played.play(name, run, withValues(run.order, this.ofRun[name] ?? {}));
    };
    const tick = (/** @type {boolean | undefined} */ yes) => (yes ? "✓ " : `– ${this.words.unmet ?? ""} `);
    return html`<button type="button" class="lesson-play" @click=${begin}>▶ ${run.button}</button>
      <ul
        class="lesson-goals"
        aria-label=${this.words.goals}
        data-run=${name}
        data-state=${over ? "over" : (met ?? nothing)}
      >
        ${Object.keys(run.goals).map(
          (sentence, i) =>
            html`<li data-met=${over ? (met[i] ? "yes" : "no") : nothing}>
              <span class="lesson-tick">${over ? tick(met[i]) : ""}</span>${sentence}
            </li>`,
        )}
      </ul>`;
  }

  /** A run has ended: its goals are met or not, and a prediction about it is answered once all of its runs are over.
   * @param {string} name
   * @param {boolean[]} met
   */
  ended(name, met) {
    if (!this.row.runs[name]) return;
    this.goals[name] = met;
    const { known } = this.played;
    for (const step of this.steps) {
      const runs = step.blocks.flatMap(({ run }) => run ?? []);
      if (!runs.includes(name) || !runs.every((run) => known[run])) continue;
      step.ready = true;
      step.verdict = step.prediction && this.verdict(step.prediction);
    }
    this.show();
    this.section?.querySelector(".lesson-predicted[data-right]")?.scrollIntoView({ block: "nearest" });
  }

  /** What came of a prediction; nothing where none was made.
   * @param {Block} prediction
   */
  verdict(prediction) {
    const chosen = this.answers.get(prediction)?.at;
    if (chosen === undefined) return null;
    const right = chosen === prediction.right;
    return { right, says: this.reply(prediction, chosen, right) };
  }

  /** What is replied to an answer, with what was measured.
   * @param {Block} block
   * @param {number} at
   * @param {boolean} right
   */
  reply({ replies = [] }, at, right) {
    return `${right ? this.words.yes : this.words.no} ${filled(replies[at] ?? "", this.played.known)}`;
  }

  /**
   * @param {Block} block
   * @param {StepState} step
   */
  question(block, step) {
    const { kind, question = "", answers = [], right = 0 } = block;
    const answer = this.answers.get(block);
    const state = kind === "predict" ? "chosen" : answer?.at === right ? "right" : "wrong";
    const choose = (/** @type {number} */ at) => () => {
      const says = kind === "predict" ? (this.words.noted ?? "") : this.reply(block, at, at === right);
      this.answers.set(block, { at, says });
      step.ready = true;
      if (kind === "check") this.done();
      this.show();
    };
    return html`<fieldset class="lesson-ask lesson-${kind}">
      <legend>${this.words[kind]}</legend>
      <p>${question}</p>
      ${answers.map(
        (text, at) =>
          html`<button
            type="button"
            aria-pressed=${answer?.at === at}
            data-chosen=${answer?.at === at ? state : ""}
            @click=${choose(at)}
          >
            ${text}
          </button>`,
      )}
      <p role="status" class="lesson-verdict">${answer?.says}</p>
    </fieldset>`;
  }
}

/** How much an arrow key moves a number of the prose.
 * @param {Part} part
 */
function stepOf({ low = 0, high = 1 }) {
  return high - low > 2 ? 1 : 0.05;
}

/** A number of the prose within its bounds.
 * @param {Part} part
 * @param {number} wanted
 */
function bounded(part, wanted) {
  const { low = 0, high = 1 } = part;
  const step = stepOf(part);
  return Number(Math.min(high, Math.max(low, Math.round(wanted / step) * step)).toFixed(2));
}
