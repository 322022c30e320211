/** What is said of a prompt that the model was not trained on, and what may be tried instead. */

import { t } from "../looks/language.js";
import { html, render } from "../vendor/lit-html.js";
import { asStory, cut, filled, inTalk, nearest } from "./shapes.js";

/** @typedef {import("./shapes.js").Shape} Shape */

const LONGEST = 40; // characters of a prompt on a button

export class Declined {
  /**
   * @param {Shape[]} shapes
   * @param {object} act what a press does
   * @param {(shape: Shape, prompt: string) => void} act.write
   * @param {() => void} act.anyway
   * @param {() => void} act.bigger
   * @param {() => void} act.close
   */
  constructor(shapes, act) {
    this.shapes = shapes;
    this.act = act;
    this.node = document.createElement("section");
    this.node.className = "outside";
    this.node.setAttribute("role", "alert");
    this.node.hidden = true;
  }

  /**
   * @param {string} prompt the one that was declined; empty for none
   * @param {boolean} mayOpen whether another model can be opened
   */
  show(prompt, mayOpen) {
    this.node.hidden = !prompt;
    render(prompt ? this.offers(prompt, mayOpen) : null, this.node);
  }

  /**
   * @param {string} prompt
   * @param {boolean} mayOpen
   */
  offers(prompt, mayOpen) {
    const { anyway, bigger, close, write } = this.act;
    const story = asStory(this.shapes, prompt);
    const talk = inTalk(this.shapes, prompt);
    const rest = this.shapes.filter((shape) => shape !== talk?.shape);
    const instead = talk
      ? t("In a talk it can greet, tell a story and add small numbers, and says when it does not know.")
      : t("Try one of these:");
    return html`<button type="button" class="quiet" @click=${close}>${t("close")}</button>
      <p>${reason(prompt, story?.title)} ${story ? null : instead}</p>
      <div class="near">
        ${story && this.own(t("Begin a story with it"), story, true)}
        ${talk && this.own(t("Ask it in a talk"), talk, !story)}
        ${(story ? [] : nearest(rest, prompt, talk ? 1 : 2)).map(
          (shape) =>
            html`<button type="button" class="kind" @click=${() => write(shape, filled(shape))}>
              ${shorter(filled(shape))}
            </button>`,
        )}
        <button type="button" class="anyway" @click=${anyway}>${t("Run it anyway")}</button>
        ${mayOpen ? html`<button type="button" class="bigger" @click=${bigger}>${t("Open a bigger model")}</button>` : null}
      </div>`;
  }

  /** A button that runs the same words as a text of a kind that the model knows.
   * @param {string} label
   * @param {{shape: Shape, prompt: string}} text
   * @param {boolean} best
   */
  own(label, { prompt, shape }, best) {
    return html`<button type="button" class=${best ? "best" : ""} @click=${() => this.act.write(shape, prompt)}>
      ${label}
    </button>`;
  }
}

/** Why it is not run.
 * @param {string} prompt
 * @param {string} [title] the one left out of the story that it could begin; undefined where it could begin none
 */
function reason(prompt, title) {
  if (title === undefined)
    return t("“{prompt}” is nothing this small model was trained on: it would go on with a story or a list.", {
      prompt: cut(prompt.trim(), 60),
    });
  if (title)
    return t("This small model does not write texts of the kind “{title}” well. Yours could begin a story.", {
      title: cut(title, LONGEST),
    });
  return t("This small model's texts begin with their kind, such as “Story:”. Yours could begin a story.");
}

/** @param {string} text */
function shorter(text) {
  return cut(text.trim().replace(/\s*\n\s*/g, " ⏎ "), LONGEST);
}
