/** A talk with a model that has a chat template: each answer with its own run, and the next question goes on from the
 * one that is shown. */

import { reactive } from "../wire/reactive.js";
import { t } from "../looks/language.js";
import { promptField } from "../ask/fields.js";
import { textOf } from "../views/meters.js";
import { kept } from "./recordings.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {[question: string, answer: string]} Turn */

export class Talk {
  /** @param {import("./controller.js").Controller} unmask */
  constructor(unmask) {
    this.unmask = unmask;
  }

  state = reactive({
    answers: /** @type {Side[][]} */ ([]), // the runs of this talk, in their order
    at: 0, // the one that is shown
    anew: false, // the next question begins a new talk
  });
  models = ""; // those that the talk is with
  before = 0; // answers before the one that was asked for last
  sent = 0; // turns that went with it

  get answers() {
    return this.state.answers;
  }

  get at() {
    return this.state.at;
  }

  /** Whether the next question may go on from what is shown. */
  get open() {
    const { unmask, state } = this;
    const there = unmask.sides.filter(({ source }) => source !== "empty");
    return (
      !state.anew &&
      this.models === unmask.models.join() &&
      there.length > 0 &&
      there.every((side) => side.head.turns?.length && (side.done || side.source === "replay")) &&
      !unmask.next
    );
  }

  /** The question that is shown. */
  get question() {
    return String(this.unmask.sides.find(({ source }) => source !== "empty")?.head.prompt ?? "");
  }

  /** Whether a prompt is another question than the one that is shown.
   * @param {string} prompt
   */
  further(prompt) {
    return this.open && prompt.trim() !== "" && prompt.trim() !== this.question.trim();
  }

  /** What a request for a run adds to each of its sides: the turns before its question.
   * @template {Record<string, any> & {sides: any[]}} R
   * @param {R} request
   * @returns {R}
   */
  added(request) {
    const further = this.further(String(request.prompt));
    this.before = further ? this.at + 1 : this.open ? this.at : 0;
    this.sent = 0;
    this.state.anew = false;
    const sides = request.sides.map((side, number) => {
      const talk = this.before ? this.turns(number, this.before) : [];
      this.sent = Math.max(this.sent, talk.length);
      return talk.length ? { ...side, talk } : side;
    });
    if (!sides.some(({ talk }) => talk)) return request;
    return { ...request, own_from: undefined, sides };
  }

  /** The first turns of a side.
   * @param {number} number
   * @param {number} count
   * @returns {Turn[]}
   */
  turns(number, count) {
    const sides = this.answers.slice(0, count).map((answer) => answer[number]);
    const own = sides.flatMap((side) =>
      side ? [/** @type {Turn} */ ([String(side.head.prompt ?? ""), textOf(side, side.moments.length - 1)])] : [],
    );
    return [.../** @type {Turn[]} */ (sides[0]?.head.talk ?? []), ...own];
  }

  /** Another run may be shown: it belongs to this talk, or ends it. */
  follow() {
    const { unmask, state } = this;
    const { sides } = unmask;
    const there = sides.find(({ source }) => source !== "empty");
    if (!there?.session || there.moments.length < 1) return;
    const at = state.answers.findIndex((answer) => keyOf(answer) === keyOf(sides));
    if (at >= 0) {
      if (state.at !== at) state.at = at;
      if (state.answers[at] !== sides) state.answers[at] = sides; // it goes on being written
      return;
    }
    if ((there.head.talk?.length ?? 0) < this.sent)
      unmask.note(t("This model has no room for the whole talk: it reads the last part."));
    const goes = there.source === "live" && (there.head.talk?.length ?? 0) > 0;
    const before = goes ? state.answers.slice(0, this.before).map((answer) => answer.map(kept)) : [];
    this.close(before.length);
    state.answers = there.head.turns?.length ? [...before, sides] : [];
    state.at = before.length;
    this.models = unmask.models.join();
  }

  /** The runs of later answers go; the one that was shown was closed when the new run was asked for.
   * @param {number} from
   */
  close(from) {
    for (const [i, answer] of this.answers.entries())
      for (const { source, session } of i < from || i === this.at ? [] : answer)
        if (source === "live") this.unmask.connection.end(session);
  }

  /** Show an earlier answer, or the last.
   * @param {number} at
   */
  show(at) {
    const answer = this.answers[at];
    if (!answer || at === this.at || !this.unmask.over) return;
    const last = at === this.answers.length - 1;
    this.unmask.selection.settle();
    this.unmask.put(last ? answer : answer.map(kept));
    this.unmask.player.move({ at: Infinity, playing: false, following: false });
    this.state.at = at;
    this.unmask.note("");
  }

  /** What is offered beside the sentence, until another question is in the field. */
  get offer() {
    if (!this.open || this.further(promptField()?.value ?? "")) return null;
    return { text: t("Ask further"), go: () => this.ask(), quiet: true };
  }

  /** The place of the next question. */
  ask() {
    const field = promptField();
    field?.focus();
    field?.select();
  }

  /** The next question begins a new talk. */
  begin() {
    this.state.anew = true;
    this.ask();
    this.unmask.frames.redraw();
  }
}

/** What names the runs of an answer.
 * @param {Side[]} sides
 */
function keyOf(sides) {
  return sides.map(({ session }) => session).join();
}
