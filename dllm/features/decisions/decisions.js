/** Questions with options about a text, each answered by the belief in one open place; and whether it is right as often as
 * it says. */

import { here } from "../../assets/wire/here.js";
import { onceVisible } from "../../assets/looks/dom.js";
import { into, onSubmit } from "../../assets/looks/fields.js";
import { t } from "../../assets/looks/language.js";
import { html, nothing, render } from "../../assets/vendor/lit-html.js";
import { Curve } from "./curve.js";
import { blank, message, percent, sureness } from "./question.js";

/** @typedef {{name: string, options: string[], together: number[], alone: number[], certainty: number, certainty_alone: number}} Answered */
/** @typedef {{written: string, option: string, question: string, before: string, after: string, share: number}} Turned */
/** @typedef {{answers: Answered[], turned: Turned[], forwards: {together: number, alone: number}, model: string}} Answer */

const MOST = 8; // questions at once
const BAR = 4; // options beside each other

/** A message to the server, and its answer; a sentence where it was refused.
 * @param {string} path
 * @param {unknown} [body]
 */
export async function ask(path, body) {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(
    here(path, document.baseURI),
    body ? { method: "POST", headers, body: JSON.stringify(body) } : {},
  );
  const row = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(row.why ?? t("The server did not answer. Try again in a moment."));
  return row;
}

export class Decisions extends HTMLElement {
  kept = { model: "denoiser", state: "" };
  questions = [blank()];
  /** @type {Answer | null} */
  answer = null;
  way = /** @type {"together" | "alone"} */ ("together");
  status = "";
  /** @type {Curve | undefined} */
  curve;

  connectedCallback() {
    if (this.curve) return; // Gradio moves elements about
    this.curve = new Curve(() => this.kept.model.trim(), JSON.parse(this.dataset.plotly ?? '""'));
    this.show();
    onceVisible(this, () => void this.begin());
  }

  /** What was measured here, and an example to ask. */
  async begin() {
    await this.curve?.take(async () => {
      const { example, ...measured } = await ask("decisions");
      this.kept.state = example.state;
      this.questions = example.questions;
      this.show();
      return measured;
    }, "");
  }

  async ask() {
    this.say(t("Reading …"));
    try {
      const { model, state } = this.kept;
      this.answer = await ask("decisions", { model: model.trim(), state, questions: message(this.questions) });
      this.say("");
    } catch (error) {
      this.say(/** @type {Error} */ (error).message);
    }
  }

  /** @param {string} status */
  say(status) {
    this.status = status;
    this.show();
  }

  show() {
    const { kept, questions, answer } = this;
    const add = () => {
      questions.push(blank());
      this.show();
    };
    render(
      html`<p class="question">
          ${t("A question with options is an open place behind your text. What the model believes there is its answer.")}
        </p>
        <form @submit=${onSubmit(() => void this.ask())}>
          <label
            >${t("Text")}<textarea
              rows="3"
              maxlength="8000"
              .value=${kept.state}
              @input=${into(kept, "state")}
            ></textarea>
          </label>
          <fieldset>
            <legend>${t("Questions, with commas between the options")}</legend>
            ${questions.map((one, i) => this.field(one, i))}
            <button type="button" class="plain" ?hidden=${questions.length >= MOST} @click=${add}>
              ${t("Another question")}
            </button>
          </fieldset>
          <div class="flow">
            <label class="decisions-model"
              >${t("Model")}<input maxlength="300" .value=${kept.model} @input=${into(kept, "model")}
            /></label>
            <button type="submit" class="primary">${t("Ask")}</button>
          </div>
        </form>
        <p role="status" class="fine">${this.status}</p>
        ${answer ? this.answers(answer) : nothing} ${this.curve?.node}`,
      this,
    );
    this.dataset.state = answer && !this.status ? "answered" : "";
  }

  /**
   * @param {{asks: string, options: string}} one
   * @param {number} i
   */
  field(one, i) {
    const remove = () => {
      this.questions.splice(i, 1);
      this.show();
    };
    const number = { n: i + 1 };
    return html`<div class="decisions-question">
      <input
        maxlength="300"
        aria-label=${t("question {n}", number)}
        placeholder=${t("a question, or nothing: the text asks")}
        .value=${one.asks}
        @input=${into(one, "asks")}
      />
      <input
        maxlength="1000"
        aria-label=${t("options of question {n}", number)}
        placeholder=${t("options")}
        .value=${one.options}
        @input=${into(one, "options")}
      />
      <button type="button" class="plain" aria-label=${t("remove question {n}", number)} @click=${remove}>×</button>
    </div>`;
  }

  /** @param {Answer} answer */
  answers({ answers, turned, forwards, model }) {
    const choose = (/** @type {"together" | "alone"} */ way) => () => {
      this.way = way;
      this.show();
    };
    const button = (/** @type {"together" | "alone"} */ way, /** @type {string} */ title) =>
      html`<button type="button" aria-pressed=${String(this.way === way)} @click=${choose(way)}>${title}</button>`;
    const looks = t("{n} looks", { n: forwards[this.way] });
    return html`<section class="decisions-answers" aria-label=${t("answers")}>
      <p class="decisions-way">
        ${t("asked")} ${button("together", t("together"))} ${button("alone", t("alone"))}
        <span class="fine"
          >${forwards[this.way] === 1 ? t("one look of {model}", { model }) : `${looks}, ${model}`}</span
        >
      </p>
      ${answers.map((one, i) => this.row(one, this.questions[i]?.asks || one.name))}
      ${turned.map((one) => html`<p class="decisions-turned">${this.turn(one)}</p>`)}
      <p class="fine">${t("The line in a bar: what it says when asked the other way.")}</p>
    </section>`;
  }

  /** @param {Turned} one */
  turn({ written, option, question, before, after, share }) {
    return t("With {option} written for “{written}”, “{question}” turns from {before} to {after} ({share}).", {
      option,
      written: this.text(written),
      question: this.text(question),
      before,
      after,
      share: percent(share),
    });
  }

  /** The text of a question, which is sent under its number.
   * @param {string} name
   */
  text(name) {
    return this.questions[Number(name) - 1]?.asks || name;
  }

  /**
   * @param {Answered} one
   * @param {string} asks
   */
  row(one, asks) {
    const other = this.way === "together" ? "alone" : "together";
    const shares = one[this.way];
    const best = shares.indexOf(Math.max(...shares));
    const certain = this.way === "together" ? one.certainty : one.certainty_alone;
    const order = one.options.map((_, i) => i).sort((a, b) => (shares[b] ?? 0) - (shares[a] ?? 0));
    const shown = order.slice(0, BAR).sort((a, b) => a - b);
    return html`<div class="decisions-row">
      <p>${asks} <b>${one.options[best]}</b><span class="fine">${t(sureness(certain))}</span></p>
      <ul>
        ${shown.map(
          (i) =>
            html`<li class=${i === best ? "best" : ""}>
              <span>${one.options[i]}</span><span>${percent(shares[i] ?? 0)}</span>
              <div aria-hidden="true">
                <i style="width: ${100 * (shares[i] ?? 0)}%"></i><u style="left: ${100 * (one[other][i] ?? 0)}%"></u>
              </div>
            </li>`,
        )}
      </ul>
      ${order.length > BAR ? html`<p class="fine">${t("and {n} more options", { n: order.length - BAR })}</p>` : nothing}
    </div>`;
  }
}
