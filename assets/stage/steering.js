/** What a person does to a run: edits of the moment that is shown; a recording is taken over first. */

import { reopenRequest } from "../wire/request.js";
import { spoken } from "../looks/glyphs.js";
import { t } from "../looks/language.js";
import { pieceOf } from "../cells/face.js";
import { doneOf, messageOf, opensCells } from "../steer/edits.js";
import { changeRequest, wordStart } from "../views/changes.js";
import { GIVEN, NOTHING } from "../wire/canvas.js";

/** @typedef {import("../wire/canvas.js").Event} Event */
/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("./controller.js").Controller} Controller */
/** @typedef {{ref: number, side: number, from: number}} Changing `from`: looks that the run keeps */
/** @typedef {{side: number, moments: number[], passes: number[], gaps: boolean, weights: (string | undefined)[], message: Record<string, any>}} Takeover */

export class Steering {
  again = NOTHING; // the edit after which a finished run goes on by itself

  /** @param {Controller} unmask */
  constructor(unmask) {
    this.unmask = unmask;
  }

  /** A change is on its way that the run goes back for.
   * @returns {Changing | null}
   */
  get changing() {
    return this.unmask.machine.kept("edit");
  }

  /** The change is made, or refused.
   * @param {number | undefined} ref
   */
  answered(ref) {
    if (ref === this.changing?.ref) this.unmask.machine.send("changed");
  }

  /** Say what became of an edit; after a fork, what that was for.
   * @param {Event} event
   */
  edited(event) {
    const side = this.unmask.sides.find(({ session }) => session === event.session);
    if (!side || !event.edit || (event.ref === undefined && !event.edit.own)) return; // what was changed before is kept
    if (event.ref === this.changing?.ref) return this.answered(event.ref); // the sentence says what comes of it
    const done = doneOf(event.edit, (...tokens) => spoken(tokens.map((token) => pieceOf(side, token)).join("")));
    const fresh = this.unmask.branching.forked !== "" && this.unmask.notice.text === this.unmask.branching.forked;
    if (fresh) return this.unmask.note(`${this.unmask.notice.text} ${done}`);
    const moment = side.moments[event.at ?? 0];
    const late = event.edit.do === "pin" && moment?.open === 0;
    const { player } = this.unmask;
    const empty = opensCells(event.edit) && !player.head.playing && event.ref !== this.again;
    const rest = late
      ? ` ${t("The run is finished, so the other words stay as they are.")}`
      : empty
        ? ` ${t("Type a word for it, or let the model write.")}`
        : "";
    const action = late
      ? { text: t("Step back and let the rest follow"), go: () => this.unmask.branching.follow(event) }
      : empty
        ? { text: t("Let the model write"), go: () => player.move({ playing: true, following: true }) }
        : null;
    if (done) this.unmask.note(`${done}${rest}`, false, action);
    if (event.ref === this.again && moment?.open) this.unmask.player.move({ playing: true, following: true });
  }

  /** A recording of other weights cannot be gone on with: the same passes would not come out.
   * @param {string} name of the model that is here
   */
  startAnew(name) {
    this.unmask.machine.send("otherWeights");
    this.unmask.selection.settle();
    this.unmask.note(
      t("The recording was made by other weights than {name} has here, so this is a new run of the same prompt.", {
        name,
      }),
    );
  }

  /** A run that was recorded has been thought again up to where it was touched: now the touch. */
  caughtUp() {
    const wanted = /** @type {Takeover | null} */ (this.unmask.machine.kept("run", "reopening"));
    const sides = this.unmask.next?.sides;
    if (!wanted || !sides) return;
    const failed = sides.some((side) => side.failed);
    const behind = (/** @type {Side} */ side, /** @type {number} */ i) =>
      !side.session || (side.moments.length - 1 < (wanted.moments[i] ?? 0) && !(side.done && wanted.gaps));
    if (!failed && sides.some(behind)) return;
    this.unmask.show(sides);
    if (failed) return; // the sentence says why
    const { session } = this.unmask.side(wanted.side);
    if (wanted.message.do === "ban") this.again = wanted.message.ref;
    const goesBack = wanted.message.at_moment !== undefined || wanted.message.do === "revert";
    if (goesBack) this.unmask.branching.goOnThen(true);
    this.unmask.connection.send({ ...wanted.message, session }); // undone together with the run that was taken over
    this.unmask.player.move({ playing: !goesBack, following: true });
  }

  /**
   * An edit of a side at the moment that is shown. A recorded run is taken over first.
   * @param {number} number
   * @param {Record<string, any>} message
   */
  edit(number, message) {
    const side = this.unmask.side(number);
    const at = this.unmask.player.at(number);
    const request = { ...message, ref: this.unmask.nextRef() };
    this.unmask.note("");
    if (side.of) return this.unmask.branching.touch(side, { ...request, at_moment: at });
    if (message.do === "pin") {
      const [cell, text] = [message.at ?? message.cells[0], message.text ?? pieceOf(side, message.tokens[0])];
      this.unmask.selection.expect(request.ref, { side: number, cell, text });
    }
    if (side.source === "replay") return this.takeOver(number, request);
    const earlier = at < side.moments.length - 1;
    this.unmask.send(side, earlier ? { ...request, at_moment: at, keep: true } : request);
    this.unmask.branching.goOnThen(earlier || this.unmask.player.head.playing);
    // a finished run in which a word is banned goes on; what was erased may get a word of one's own first
    this.again = side.moments[at]?.open === 0 && message.do === "ban" ? request.ref : NOTHING;
    // until the branch is there; what is changed at the end is looked at, also by a person who had scrubbed back to it
    this.unmask.player.move(earlier ? { playing: false } : { following: true });
  }

  /**
   * Another word for one that is written: back to before it was, with this one set, and on from there. What was changed
   * before stays.
   * @param {number} number
   * @param {number} cell
   * @param {{token: number} | {text: string}} word
   */
  replace(number, cell, word) {
    const { unmask } = this;
    const side = unmask.side(number);
    const at = unmask.player.at(number);
    if (!side.moments[at]) return;
    if (side.source === "replay" && unmask.others.has(side.session)) return this.takeOver(number, {});
    const { at_moment, keep, ...pin } = changeRequest(side, at, cell, word);
    if (at_moment === undefined) return this.edit(number, pin);
    if (side.of) return unmask.branching.touch(side, { ...pin, at_moment, keep, ref: unmask.nextRef() });
    unmask.selection.leave();
    const text = "text" in word ? word.text : pieceOf(side, word.token);
    const ref = this.goBack(number, { ...pin, at_moment, keep });
    unmask.selection.expect(ref, { side: number, cell: wordStart(side, at, cell), text });
  }

  /** Take one change back; the others stay.
   * @param {number} number
   * @param {import("../views/changes.js").Change} change
   */
  takeBack(number, { at }) {
    this.unmask.selection.leave();
    this.goBack(number, { do: "revert", at });
  }

  /** Let a run go back, with a change, and on from there. A recording is written again first.
   * @param {number} number
   * @param {Record<string, any>} message
   * @returns {number} of the request
   */
  goBack(number, message) {
    const { unmask } = this;
    const side = unmask.side(number);
    const ref = unmask.nextRef();
    unmask.note("");
    if (side.source === "replay") this.takeOver(number, { ...message, ref }, true);
    else {
      unmask.branching.goOnThen(true);
      unmask.player.move({ playing: false });
      unmask.send(side, { ...message, ref });
    }
    if (message.at_moment !== undefined)
      unmask.machine.send("change", { ref, side: number, from: side.moments[message.at_moment]?.passes ?? 0 });
    return ref;
  }

  /**
   * @param {number} side
   * @param {Record<string, any>} message
   * @param {boolean} [whole] whether the recording is written again to its end, and not to the moment that is shown
   */
  takeOver(side, message, whole = false) {
    if (this.unmask.others.has(this.unmask.side(side).session))
      return this.unmask.note(t("The class sees this recording. Only the one who presents may change it."), true);
    const moments = this.unmask.sides.map((one, number) =>
      whole ? one.moments.length - 1 : this.unmask.player.at(number),
    );
    const weights = this.unmask.sides.map(({ head }) => head.model?.weights);
    // a moment that this page has missed was a pass
    const missed = this.unmask.sides.map(
      ({ moments: row }, i) => row.slice(0, (moments[i] ?? 0) + 1).filter(({ kind }) => kind === "gap").length,
    );
    const passes = this.unmask.sides.map(
      ({ moments: row }, i) => (row[moments[i] ?? 0]?.passes ?? 0) + (missed[i] ?? 0),
    );
    const gaps = missed.some((many) => many > 0);
    this.unmask.open(reopenRequest(this.unmask.sides, this.unmask.models, this.unmask.newId(), moments));
    const { machine } = this.unmask;
    machine.send("takeOver", { ...machine.kept("run"), side, moments, passes, gaps, weights, message });
    if (!whole) this.unmask.note(t("The model takes over from the recording."));
  }

  /**
   * @param {import("../steer/steerbar.js").Act} act
   * @param {string} text
   */
  steer(act, text) {
    if (act === "undo") return this.unmask.undo.back();
    if (act === "redo") return this.unmask.undo.forth();
    const { side: number, selected } = this.unmask.selection;
    const side = this.unmask.side(number);
    const at = this.unmask.player.at(number);
    const moment = side.moments[at];
    if (!moment) return;
    if (act === "fork") {
      const message = { do: "fork", at };
      if (side.source === "live") return this.unmask.send(side, message);
      return side.of ? this.unmask.branching.touch(side, message) : this.takeOver(number, message);
    }
    if (act === "erase" && selected.length && selected.every((cell) => moment.kinds[cell] === GIVEN)) {
      const go = () => dispatchEvent(new CustomEvent("unmask-write", { detail: { side: number, cells: selected } }));
      return this.unmask.note(t("The prompt stays as it is."), true, { text: t("Open it in a text of your own"), go });
    }
    const message = messageOf(act, moment, selected, text);
    if (typeof message === "string") this.unmask.note(message, true);
    else this.edit(number, message);
  }

  /** Use a candidate in the inspected cell.
   * @param {number} token
   */
  choose(token) {
    this.edit(this.unmask.selection.side, { do: "pin", cells: [this.unmask.selection.cell], tokens: [token] });
  }
}
