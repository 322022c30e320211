/** Branches of a run: walked, compared, renamed, raced, and begun by an edit of an earlier moment. */

import { SPEEDS } from "../clock/playhead.js";
import { branchedAt } from "./status.js";
import { placeOf } from "../views/belief.js";
import { textBefore } from "../views/changes.js";
import { followed, racedOf } from "../wire/raced.js";
import { NOTHING } from "../wire/canvas.js";
import { t } from "../looks/language.js";

/** @typedef {import("../wire/canvas.js").Event} Event */
/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("./controller.js").Controller} Controller */

const FOLLOWS = 3; // a pin that the rest is to follow is made within this part of the run, while much is open

export class Branching {
  forked = ""; // the sentence on the newest branch

  /** @param {Controller} unmask */
  constructor(unmask) {
    this.unmask = unmask;
  }

  /** Whether a branch goes on by itself once it is there.
   * @param {boolean} goes
   */
  goOnThen(goes) {
    this.unmask.machine.send(goes ? "goOn" : "stand");
  }

  /**
   * Another branch is being written from now on.
   * @param {Event} event
   * @param {Record<string, number>} heads the branches before it
   */
  begun(event, heads) {
    const { unmask } = this;
    const raced = (/** @type {Side} */ one) => (one.of === event.session ? followed(one, heads, event.heads) : one);
    unmask.put(unmask.sides.map(raced));
    const changed = this.unmask.sides.find(({ session }) => session === event.session);
    if (changed?.source === "live") this.unmask.send(changed, { do: "compare" }); // the tree is another
    const { machine } = unmask;
    if (!event.left || machine.in("undo", "restoring")) return;
    if (changed && machine.kept("branch")?.head === event.head) return this.goOn(changed);
    const side = this.unmask.sides.find(({ session }) => session === event.session);
    const known = event.head in heads; // a person went back to a branch that is there already
    const goesOn = machine.in("branch", "goesOn");
    const says = side && !known && !goesOn; // a run that continues by itself is described in the sentence
    this.forked = says ? branchedAt(side, event.at ?? 0) : "";
    if (says) this.unmask.note(this.forked);
    this.unmask.player.move({ following: true, playing: goesOn });
    machine.send("branched");
  }

  /** A branch is written to its end: what its edits changed, against the text before the first of them.
   * @param {Event} event
   */
  compare({ session }) {
    const side = this.unmask.sides.find((one) => one.session === session);
    const left = side && (textBefore(side)?.name ?? side.tree.find(({ name }) => name === side.branch)?.left);
    if (left) this.unmask.send(side, { do: "compare", one: left, two: side.branch });
  }

  /**
   * A word was pinned when all was written: pin it again where much was still open, and write on from there.
   * @param {Event} event the pin
   */
  follow(event) {
    const number = this.unmask.sides.findIndex(({ session }) => session === event.session);
    const side = this.unmask.sides[number];
    const before = side?.moments[(event.at ?? 0) - 1];
    const cell = event.edit?.cells?.[0];
    if (!side || !before || cell === undefined) return;
    const at = Math.max(0, Math.min((before.since[cell] ?? 1) - 1, Math.floor(((event.at ?? 0) - 1) / FOLLOWS)));
    const shift = (side.moments[at]?.ids.indexOf(before.ids[cell] ?? NOTHING) ?? NOTHING) - cell;
    const cells = event.edit.cells.map((/** @type {number} */ one) => one + shift);
    this.goOnThen(true);
    this.unmask.player.move({ playing: false });
    this.unmask.send(side, {
      do: "pin",
      cells,
      tokens: event.edit.tokens,
      ref: this.unmask.nextRef(),
      at_moment: at,
      keep: true,
    });
  }

  /**
   * Walk the branches of a side, compare, rename or forget one.
   * @param {number} number
   * @param {import("../views/branches.js").BranchAct} act
   * @param {string} name
   * @param {string} [more] another name
   */
  act(number, act, name, more = "") {
    const side = this.unmask.side(number);
    this.unmask.note("");
    if (act === "race") return this.race(number, name);
    if (act === "compare") this.unmask.send(side, { do: act, one: name, two: side.branch });
    else this.unmask.send(side, act === "rename" ? { do: act, head: name, name: more } : { do: act, head: name });
  }

  /**
   * Two branches of one run against each other, from the first pass on: the other one plays on the other side.
   * @param {number} number
   * @param {string} name
   */
  race(number, name) {
    const side = this.unmask.side(number);
    const raced = racedOf(side, name);
    if (!raced) return this.unmask.note(t("Go to branch {name} first: this page has not seen it yet.", { name }), true);
    this.unmask.undo.replaced();
    const other = this.unmask.side(1 - number);
    if (other.source === "live") this.unmask.send(other, { do: "close" });
    this.unmask.put(this.unmask.sides.map((one, i) => (i === number ? one : raced)));
    this.unmask.player.setPace(SPEEDS.findIndex(({ axis }) => axis === "pass"));
    this.unmask.note(t("Branch {one} against branch {two}, look by look.", { one: side.branch, two: name }));
    this.unmask.player.move({ axis: this.unmask.player.pace.axis, at: 0, playing: true, following: false });
  }

  /**
   * A raced branch was touched: its run goes to that branch, and on from the moment that is shown. The other side keeps
   * what it shows, to be compared with.
   * @param {Side} raced
   * @param {Record<string, any>} message
   */
  touch(raced, message) {
    const { unmask } = this;
    const number = unmask.sides.findIndex(({ session }) => session === raced.of);
    const side = unmask.side(number);
    const { anchor, cell, selected } = unmask.selection;
    if (selected.length) {
      unmask.selection.select(number, anchor, false);
      unmask.selection.select(number, cell, true);
    }
    unmask.machine.send("touch", { head: raced.branch, message });
    if (side.branch === raced.branch) return this.goOn(side);
    unmask.send(side, { do: "switch", head: raced.branch });
  }

  /** The branch that was touched is the present one: now the touch.
   * @param {Side} side
   */
  goOn(side) {
    const { message } = this.unmask.machine.kept("branch");
    this.goOnThen(message.do === "fork" || message.at_moment < side.moments.length - 1);
    this.unmask.player.move({ playing: false, following: true }); // until the branch is there
    this.unmask.send(side, message);
  }

  /**
   * Had the model not written a word: a branch from the moment it did, where the cell is open again or holds another.
   * @param {number} number
   * @param {number} cell
   * @param {number} since the moment that wrote it
   * @param {number} token another word, or nothing
   */
  instead(number, cell, since, token) {
    const side = this.unmask.side(number);
    const place = placeOf(side, this.unmask.player.at(number), cell, since);
    if (place < 0) return;
    this.goOnThen(true);
    this.unmask.player.move({ playing: false });
    const edit = token === NOTHING ? { do: "erase", cells: [place] } : { do: "pin", cells: [place], tokens: [token] };
    this.unmask.send(side, { ...edit, ref: this.unmask.nextRef(), at_moment: since, keep: true });
  }
}
