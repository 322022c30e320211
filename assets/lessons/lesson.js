/** One lesson, a step at a time: predict, play, check. Prose has numbers to drag; runs play on the stage. */

import { el, say } from "../looks/dom.js";
import { language } from "../looks/language.js";
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

export class Lesson {
  /**
   * @param {import("../stage/controller.js").Controller} unmask
   * @param {import("./lessons.js").LessonRow} row
   * @param {string} number
   * @param {Record<string, string>} words what stands around it, in its language
   * @param {() => void} done called when its last question was answered
   * @param {HTMLElement} onward leads to the next lesson
   */
  constructor(unmask, row, number, words, done, onward) {
    this.row = row;
    this.words = words;
    this.done = done;
    /** @type {Record<string, number>} the numbers in the prose since the last run */
    this.values = {};
    this.at = 0;
    this.played = new Played(
      unmask,
      (name, met) => this.ended(name, met),
      (why) => say(this.trouble, `${words.failed ?? ""} ${why}`.trim()),
    );
    /** @type {Record<string, HTMLElement>} the goals of each run */
    this.goals = {};
    this.trouble = el("p", { role: "alert", className: "lesson-trouble" });
    this.onward = onward;
    this.next = el(
      "button",
      { type: "button", className: "primary", onclick: () => this.go(this.at + 1) },
      words.step ?? "",
    );
    /** @type {{kind: string, prediction: Prediction | null, runs: string[], ready: boolean}[]} */
    this.states = [];
    /** @type {Prediction | null} */
    let prediction = null;
    this.sections = stepsOf(row.blocks).map(({ kind, blocks }) => {
      const section = el("section", { className: `lesson-step lesson-step-${kind}`, hidden: true });
      const recalled = kind === "play" ? prediction : null;
      const runs = blocks.flatMap(({ run }) => run ?? []);
      this.states.push({ kind, prediction: recalled, runs, ready: false });
      section.append(...blocks.flatMap((block) => this.block(block, this.states.length - 1)));
      if (recalled) section.prepend(recalled.recalled);
      if (recalled) section.append(recalled.verdict);
      const predicts = blocks.some((block) => block.kind === "predict");
      if (predicts) prediction = this.predictions[this.predictions.length - 1] ?? null;
      else if (kind === "play") prediction = null;
      return section;
    });
    this.tabs = this.states.map(({ kind }, at) =>
      el("li", {}, el("button", { type: "button", onclick: () => this.go(at) }, words[kind] ?? "")),
    );
    this.node = el(
      "article",
      { className: "lesson" },
      el("p", { className: "lesson-number" }, `${words.lesson} ${number}`),
      el("h2", {}, row.title),
      el("p", { className: "lesson-claim" }, row.claim),
      ...(row.language === language() ? [] : [el("p", { className: "lesson-note" }, words.untranslated ?? "")]),
      el("ol", { className: "lesson-steps", ariaLabel: words.steps }, ...this.tabs),
      ...this.sections,
      this.trouble,
      el("p", { className: "lesson-onward" }, this.next, onward),
    );
    this.go(0);
  }

  /** @type {Prediction[]} */
  predictions = [];

  /** Another lesson takes its place. */
  leave() {
    this.played.leave();
  }

  /** Show a step: only those whose steps before are done can be reached.
   * @param {number} at
   */
  go(at) {
    this.at = at;
    say(this.trouble, "");
    this.show();
    this.sections[at]?.querySelector("button")?.focus({ preventScroll: true });
  }

  show() {
    const reached = this.states.findIndex(({ ready }) => !ready);
    const last = this.at === this.states.length - 1;
    this.sections.forEach((section, at) => (section.hidden = at !== this.at));
    this.tabs.forEach((tab, at) => {
      const button = /** @type {HTMLButtonElement} */ (tab.firstElementChild);
      button.disabled = reached >= 0 && at > reached;
      tab.dataset.done = String(this.states[at]?.ready);
      if (at === this.at) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    this.next.hidden = last;
    this.next.disabled = !this.states[this.at]?.ready;
    this.next.title = this.next.disabled ? (this.words[`first-${this.states[this.at]?.kind}`] ?? "") : "";
    this.onward.hidden = !last;
  }

  /**
   * @param {Block} block
   * @param {number} step
   * @returns {HTMLElement[]}
   */
  block(block, step) {
    switch (block.kind) {
      case "text":
        return [el("p", {}, ...this.prose(block.parts ?? []))];
      case "why":
        return [
          el(
            "details",
            {},
            el("summary", {}, this.words.why ?? ""),
            ...(block.paragraphs ?? []).map((parts) => el("p", {}, ...this.prose(parts))),
          ),
        ];
      case "play":
        return this.play(block.run ?? "");
      default:
        return [this.question(block, step)];
    }
  }

  /** @param {Part[]} parts */
  prose(parts) {
    return parts.map((part) => {
      if (part.handle) return this.handle(part);
      if (part.link) return el("a", { href: part.link, target: "_blank", rel: "noopener" }, part.text ?? "");
      return part.strong ? el("em", {}, part.text ?? "") : (part.text ?? "");
    });
  }

  /** A number in the prose: drag it, or use the arrow keys.
   * @param {Part} part
   */
  handle({ handle = "", unit = "", value = 0, low = 0, high = 1 }) {
    const step = high - low > 2 ? 1 : 0.05;
    const node = el("span", { className: "lesson-handle", role: "slider", tabIndex: 0, ariaLabel: `${handle}${unit}` });
    const values = this.values; // those of the next run: it takes them along
    const set = (/** @type {number} */ wanted) => {
      const now = Math.min(high, Math.max(low, Math.round(wanted / step) * step));
      values[handle] = Number(now.toFixed(2));
      node.setAttribute("aria-valuenow", String(values[handle]));
      say(node, `${values[handle]}${unit}`);
    };
    node.setAttribute("aria-valuemin", String(low));
    node.setAttribute("aria-valuemax", String(high));
    set(value);
    node.addEventListener("keydown", (event) => {
      const by = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      set((values[handle] ?? value) + by * step);
    });
    node.addEventListener("pointerdown", (down) => {
      const [from, began] = [values[handle] ?? value, down.clientX];
      node.setPointerCapture(down.pointerId);
      node.onpointermove = (move) => set(from + ((move.clientX - began) / 160) * (high - low));
      node.onpointerup = () => (node.onpointermove = null);
    });
    return node;
  }

  /** A run with its goals, which are ticked as it ends.
   * @param {string} name
   */
  play(name) {
    const values = this.values; // numbers that stand before a run change that run, and no later one
    this.values = {};
    const run = this.row.runs[name];
    if (!run) return [];
    const goals = el(
      "ul",
      { className: "lesson-goals", ariaLabel: this.words.goals },
      ...Object.keys(run.goals).map((sentence) => el("li", {}, el("span", { className: "lesson-tick" }), sentence)),
    );
    goals.dataset.run = name;
    this.goals[name] = goals;
    const button = el(
      "button",
      {
        type: "button",
        className: "lesson-play",
        onclick: () => {
          say(this.trouble, "");
          goals.dataset.state = "running";
          this.played.play(name, run, withValues(run.order, values));
        },
      },
      `▶ ${run.button}`,
    );
    return [button, goals];
  }

  /** A run has ended: its goals are met or not, and a prediction about it is answered once all of its runs are over.
   * @param {string} name
   * @param {boolean[]} met
   */
  ended(name, met) {
    const goals = this.goals[name];
    if (!goals) return;
    goals.dataset.state = "over";
    [...goals.children].forEach((goal, at) => {
      const yes = met[at] ?? false;
      goal.setAttribute("data-met", yes ? "yes" : "no");
      say(/** @type {Node} */ (goal.firstElementChild), yes ? "✓ " : `– ${this.words.unmet ?? ""} `);
    });
    for (const state of this.states) {
      const { known } = this.played;
      if (!state.runs.includes(name) || !state.runs.every((run) => known[run])) continue;
      state.ready = true;
      state.prediction?.answer(known);
    }
    this.show();
  }

  /**
   * @param {Block} block
   * @param {number} step
   */
  question({ kind, question = "", answers = [], right = 0, replies = [] }, step) {
    const { words } = this;
    const verdict = el("p", { role: "status", className: "lesson-verdict" });
    const prediction = kind === "predict" ? new Prediction(words, answers, right, replies) : null;
    if (prediction) this.predictions.push(prediction);
    const buttons = answers.map((answer, at) =>
      el(
        "button",
        {
          type: "button",
          "aria-pressed": "false",
          onclick: () => {
            const state = kind === "predict" ? "chosen" : at === right ? "right" : "wrong";
            buttons.forEach((one, i) => {
              one.dataset.chosen = i === at ? state : "";
              one.setAttribute("aria-pressed", String(i === at));
            });
            prediction?.choose(at);
            const reply = filled(replies[at] ?? "", this.played.known);
            say(verdict, prediction ? (words.noted ?? "") : `${at === right ? words.yes : words.no} ${reply}`);
            const own = this.states[step];
            if (own) own.ready = true;
            if (kind === "check") this.done();
            this.show();
          },
        },
        answer,
      ),
    );
    return el(
      "fieldset",
      { className: `lesson-ask lesson-${kind}` },
      el("legend", {}, words[kind] ?? ""),
      el("p", {}, question),
      ...buttons,
      verdict,
    );
  }
}

/** A prediction, which stands beside what came out and is answered by it. */
class Prediction {
  /**
   * @param {Record<string, string>} words
   * @param {string[]} answers
   * @param {number} right
   * @param {string[]} replies
   */
  constructor(words, answers, right, replies) {
    this.words = words;
    this.answers = answers;
    this.right = right;
    this.replies = replies;
    this.chosen = -1;
    this.recalled = el("p", { className: "lesson-recalled" });
    this.verdict = el("p", { role: "status", className: "lesson-verdict lesson-predicted" });
  }

  /** @param {number} at */
  choose(at) {
    this.chosen = at;
    this.recalled.replaceChildren(`${this.words.predicted ?? ""} `, el("strong", {}, this.answers[at] ?? ""));
  }

  /** @param {Record<string, import("./steps.js").Measures>} known */
  answer(known) {
    if (this.chosen < 0) return;
    const { words, chosen } = this;
    const right = chosen === this.right;
    this.verdict.dataset.right = String(right);
    say(this.verdict, `${right ? words.yes : words.no} ${filled(this.replies[chosen] ?? "", known)}`);
    this.verdict.scrollIntoView({ block: "nearest" });
  }
}
