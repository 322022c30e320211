/** What a person does to a run: edits of the moment that is shown; a recording is taken over first. */

import { reopenRequest } from "../wire/request.js";
import { spoken } from "../looks/glyphs.js";
import { t } from "../looks/language.js";
import { pieceOf } from "../cells/face.js";
import { doneOf, messageOf, opensCells } from "../steer/edits.js";
import { placeOf } from "../views/belief.js";
import { GIVEN, NOTHING, OPEN } from "../wire/canvas.js";
import { reactive } from "../wire/reactive.js";

/** @typedef {import("../wire/canvas.js").Event} Event */
/** @typedef {import("./controller.js").Controller} Controller */
/**
 * @typedef {object} Change a word that was set where another was written
 * @property {number} side
 * @property {import("../wire/timeline.js").Moment} before what stood
 * @property {number} from passes made when the run went on with it
 */
/** @typedef {{side: number, moments: number[], passes: number[], weights: (string | undefined)[], message: Record<string, any>}} Takeover */

export class Steering {
  state = reactive({ takeover: /** @type {Takeover | null} */ (null) });
  again = NOTHING; // the edit after which a finished run goes on by itself

  /** A recording is being taken over. */
  get takeover() {
    return this.state.takeover;
  }

  /** The word that was set last where another was written, until something else is changed. */
  get change() {
    return this.unmask.undo.word;
  }

  /** @param {Controller} unmask */
  constructor(unmask) {
    this.unmask = unmask;
  }

  /** The recording is taken over no longer. */
  drop() {
    this.state.takeover = null;
  }

  /** Say what became of an edit; after a fork, what that was for.
   * @param {Event} event
   */
  edited(event) {
    const side = this.unmask.sides.find(({ session }) => session === event.session);
    if (!side || !event.edit) return;
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
    this.state.takeover = null;
    this.unmask.selection.settle();
    this.unmask.note(
      t("The recording was made by other weights than {name} has here, so this is a new run of the same prompt.", {
        name,
      }),
    );
  }

  /** A run that was recorded has been thought again up to where it was touched: now the touch. */
  caughtUp() {
    const wanted = this.takeover;
    const sides = this.unmask.next?.sides;
    if (!wanted || !sides) return;
    if (sides.some((side, i) => !side.session || side.moments.length - 1 < (wanted.moments[i] ?? 0))) return;
    this.unmask.giveUp();
    this.unmask.put(sides);
    this.unmask.player.move({ axis: this.unmask.player.pace.axis, at: 0, following: true });
    const { session } = this.unmask.side(wanted.side);
    if (wanted.message.do === "ban") this.again = wanted.message.ref;
    this.unmask.connection.send({ ...wanted.message, session }); // undone together with the run that was taken over
    this.unmask.player.move({ playing: true, following: true });
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
    this.unmask.send(side, earlier ? { ...request, at_moment: at } : request);
    this.unmask.branching.goOnThen(earlier || this.unmask.player.head.playing);
    // a finished run in which a word is banned goes on; what was erased may get a word of one's own first
    this.again = side.moments[at]?.open === 0 && message.do === "ban" ? request.ref : NOTHING;
    // until the branch is there; what is changed at the end is looked at, also by a person who had scrubbed back to it
    this.unmask.player.move(earlier ? { playing: false } : { following: true });
  }

  /**
   * Another word for one that is written: back to before it was, with this one set, and on from there.
   * @param {number} number
   * @param {number} cell
   * @param {{token: number} | {text: string}} word
   */
  replace(number, cell, word) {
    const { unmask } = this;
    const side = unmask.side(number);
    const at = unmask.player.at(number);
    const moment = side.moments[at];
    if (!moment) return;
    const pin = (/** @type {number} */ place) =>
      "text" in word ? { do: "pin", at: place, text: word.text } : { do: "pin", cells: [place], tokens: [word.token] };
    if (side.source === "replay" && unmask.others.has(side.session)) return this.takeOver(number, {});
    const from = Math.max(0, (moment.since[cell] ?? 0) - 1);
    const place = placeOf(side, at, cell, from);
    if (moment.kinds[cell] === OPEN || place < 0 || side.of) return this.edit(number, pin(cell));
    const before = side.moments[side.moments.length - 1] ?? moment;
    const passes = side.moments[from]?.passes ?? 0;
    unmask.note("");
    const request = { ...pin(place), ref: unmask.nextRef() };
    const text = "text" in word ? word.text : pieceOf(side, word.token);
    unmask.selection.leave();
    unmask.selection.expect(request.ref, { side: number, cell, text });
    if (side.source === "replay") this.takeOver(number, request, from);
    else {
      unmask.branching.goOnThen(true);
      unmask.player.move({ playing: false });
      unmask.send(side, { ...request, at_moment: from });
    }
    unmask.undo.changedWord({ side: number, before, from: passes });
  }

  /**
   * @param {number} side
   * @param {Record<string, any>} message
   * @param {number} [from] the moment of that side to go on from, if it is not the one that is shown
   */
  takeOver(side, message, from) {
    if (this.unmask.others.has(this.unmask.side(side).session))
      return this.unmask.note(t("The class sees this recording. Only the one who presents may change it."), true);
    const whole = (/** @type {number} */ number) => this.unmask.side(number).moments.length - 1;
    const moments = this.unmask.sides.map((_, number) =>
      from === undefined ? this.unmask.player.at(number) : number === side ? from : whole(number),
    );
    const weights = this.unmask.sides.map(({ head }) => head.model?.weights);
    const passes = this.unmask.sides.map(({ moments: row }, i) => row[moments[i] ?? 0]?.passes ?? 0);
    this.unmask.open(reopenRequest(this.unmask.sides, this.unmask.models, this.unmask.newId(), moments));
    this.state.takeover = { side, moments, passes, weights, message };
    if (from === undefined) this.unmask.note(t("The model takes over from the recording."));
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
