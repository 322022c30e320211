/** The drawer about words that are about to be written together: how they suit each other, and what that has cost. */

import { t } from "../../assets/looks/language.js";
import { saveButton } from "../../assets/pictures/answers.js";
import { html, nothing, render } from "../../assets/vendor/lit-html.js";
import { matrixOf, matrixSays, moves, paidSentence, paidUpTo, pairs, priceOf, threadsOf, worst } from "./fit.js";
import { NO_LOOK } from "./lenses.js";
import { OPEN } from "../../assets/wire/canvas.js";

/** @typedef {import("../../assets/wire/store.js").Side} Side */
/** @typedef {import("./lenses.js").Kind} Kind */
/** @typedef {import("./lenses.js").Look} Look */
/** @typedef {import("./threads.js").Thread} Thread */

export class Drawer {
  /**
   * @param {(side: Side, at: number, kind: Kind, cell?: number) => Look} look
   * @param {() => void} close
   */
  constructor(look, close) {
    this.look = look;
    this.close = close;
    this.node.className = "drawer";
    this.node.setAttribute("aria-labelledby", "unmask-fit");
    this.node.hidden = true;
  }

  node = document.createElement("section");
  /** @type {Thread[]} */
  threads = [];

  /**
   * @param {Side} side
   * @param {number} at
   * @param {number} pointed the cell under the pointer
   * @param {boolean} moving
   */
  show(side, at, pointed, moving) {
    const moment = side.moments[at];
    this.threads = [];
    this.node.hidden = false;
    if (!moment) return;
    const open = moment.open > 0;
    const whole = open && !moving ? this.look(side, at, "clash") : NO_LOOK;
    const row = open && moment.kinds[pointed] === OPEN ? this.look(side, at, "clash", pointed) : NO_LOOK;
    const answer = whole.state === "known" ? whole.answer : null;
    const threads = answer ? threadsOf(pairs(answer)) : [];
    this.threads = row.state === "known" ? threadsOf(pairs(row.answer)) : threads;
    const cost = { worst: answer ? worst(side, answer) : "", price: answer ? priceOf(answer) : "" };
    const moved = row.state === "known" ? moves(side, row.answer) : row.state === "asking" ? t("Asking …") : row.why;
    const spent = this.spent(side, at, moving);
    const save = () => taken(side, answer ?? {}, [cost.worst, cost.price, spent.says]);
    render(
      html`<header>
          <h3 id="unmask-fit">${t("Which words clash?")}</h3>
          <button type="button" class="quiet close" aria-label=${t("Close")} @click=${this.close}>×</button>
        </header>
        <p class="about" role="status">${this.says(open, moving, whole)}</p>
        <p class="worst">${cost.worst}</p>
        <p class="pointed">${moved}</p>
        <p>${cost.price}</p>
        ${
          answer && threads.length
            ? html`<div class="wide" tabindex="0" role="group" aria-label=${t("Each word with each")}>
                  ${matrix(side, answer)}
                </div>
                ${saveButton(save)}`
            : nothing
        }
        <h4>${t("Paid so far")}</h4>
        <p class="paid">${spent.says}</p>
        <div class="meter" aria-hidden="true">
          ${spent.bars.map(
            ({ title, share, gained }) =>
              html`<i title=${title} data-gained=${String(gained)} style="--share: ${share}"></i>`,
          )}
        </div>
        <p class="gains" ?hidden=${!spent.bars.some(({ gained }) => gained)}>
          ${t("A striped bar is a gain: together the words of that look are likelier than their chances multiplied.")}
        </p>`,
      this.node,
    );
  }

  /**
   * @param {boolean} open
   * @param {boolean} moving
   * @param {Look} whole
   */
  says(open, moving, whole) {
    if (!open) return t("Everything is written: go back to a look where cells are open.");
    if (moving)
      return t("Pause to see which of the next words suit each other. Point at an open cell to see what it moves.");
    if (whole.state === "asking") return t("Writing each of the next words alone …");
    if (whole.state !== "known") return whole.why;
    const { coming, cells } = whole.answer;
    const more = cells.length - coming;
    return [
      coming === 1
        ? t("The next look would write one word.")
        : t("The next look would write {n} words at once, none knowing of the others.", { n: coming }),
      t("Each was tried alone."),
      ...(more === 1 ? [t("So was one guess that may still change.")] : []),
      ...(more > 1 ? [t("So were {n} guesses that may still change.", { n: more })] : []),
      t("Threads show whose chances a word changes."),
    ].join(" ");
  }

  /** What writing several words together has cost so far, and a bar for each look.
   * @param {Side} side
   * @param {number} at
   * @param {boolean} moving
   */
  spent(side, at, moving) {
    const last = side.moments.length - 1;
    const look = moving || side.playing ? NO_LOOK : this.look(side, last, "paid");
    const paid = look.state === "known" ? paidUpTo(look.answer.nats, at) : null;
    const passOf = (/** @type {number} */ moment) => side.moments[moment]?.passes ?? moment;
    if (!paid) return { says: look.state === "none" ? t("Pause to count it.") : look.why || t("Counting …"), bars: [] };
    const most = Math.max(0.5, ...paid.nats.map(({ nats }) => Math.abs(nats)));
    const bars = paid.nats.map(({ moment, nats }) => ({
      title: t("Look {look}: {nats} nats", { look: passOf(moment), nats: nats.toFixed(2) }),
      share: Math.abs(nats) / most,
      gained: nats < 0,
    }));
    return { says: paidSentence(paid, passOf), bars };
  }

  hide() {
    this.node.hidden = true;
    this.threads = [];
  }
}

/** An answer as a picture to take away.
 * @param {Side} side
 * @param {Record<string, any>} answer
 * @param {string[]} says
 */
function taken(side, answer, says) {
  const { columns, rows, left } = matrixOf(side, answer);
  /** @type {Record<string, string>} */
  const inks = { against: "doubt", for: "accent", "": "ink-2" };
  return {
    title: t("Which words clash?"),
    says,
    columns,
    rows: rows.map(({ name, cells }) => ({
      name,
      cells: cells.map(({ text, sign }) => ({ text, ink: inks[sign] })),
    })),
    note: matrixSays(left),
  };
}

/**
 * @param {Side} side
 * @param {Record<string, any>} answer
 */
function matrix(side, answer) {
  const { columns, rows, left } = matrixOf(side, answer);
  if (!rows.length) return nothing;
  return html`<p class="reading">${matrixSays(left)}</p>
    <table class="matrix" aria-label=${t("What each word does to the chance of each other")}>
      <thead>
        <tr>
          <td></td>
          ${columns.map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ name, cells }) =>
            html`<tr>
              <th scope="row">${name}</th>
              ${cells.map(({ text, sign, title }) => html`<td data-sign=${sign} title=${title}>${text}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>`;
}
