/** What is pressed on the keyboard, and what the stage does for it. */

import { NOTHING } from "../wire/canvas.js";
import { actionOf } from "./keyboard.js";

export class Keys {
  /** @param {import("./stage.js").Stage} stage */
  constructor(stage) {
    this.stage = stage;
  }

  /** Whether a key that was pressed nowhere is meant for this stage. */
  get meant() {
    return (
      document.querySelector("unmask-stage:hover") === this.stage ||
      document.querySelector("unmask-stage") === this.stage
    );
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const target = event.target instanceof HTMLElement ? event.target : document.body;
    const mine = this.stage.contains(target);
    if (!mine && (target.closest("unmask-stage") || !this.meant)) return;
    const own = "unmask-ask, unmask-menu, aside, dialog, input, textarea, select"; // these close by themselves
    if (event.key === "Escape") return mine || !target.closest(own) ? this.escape(event) : undefined;
    const writing = target.closest("input:not([type=range]), textarea, select, [contenteditable]");
    const key = event.ctrlKey || event.metaKey ? event.key.toLowerCase() : "";
    if ((key === "z" || key === "y") && !writing) {
      event.preventDefault();
      const { undo } = this.stage.controller;
      return key === "y" || event.shiftKey ? undo.forth() : undo.back();
    }
    const number = this.stage.views.findIndex(
      ({ paper }) => paper.node.contains(target) && target.dataset.cell !== undefined,
    );
    const busy = target.closest(
      "input, textarea, select, button, [role=slider], [role=tab], [contenteditable], summary, a",
    );
    const player = this.stage.track?.node.contains(target) || this.stage.below?.steps.node.contains(target);
    const steers = player && event.key !== " " && target.tagName === "BUTTON";
    if (number < 0 && busy && !steers && !this.letter(event, target)) return;
    const view = this.stage.views[number];
    const cell = Number(target.dataset.cell ?? NOTHING);
    const place = view ? { cell, length: view.paper.shown, rows: view.paper.lines } : null;
    const action = this.letter(event, target) ?? actionOf(event, place);
    if (!action) return;
    event.preventDefault();
    this.act(action, number, cell);
  }

  /**
   * @param {import("./keyboard.js").KeyAction} action
   * @param {number} number
   * @param {number} cell
   */
  act(action, number, cell) {
    const { controller } = this.stage;
    const { selection } = controller;
    if (number >= 0 && !selection.selected.includes(cell)) controller.select(number, cell, false, false);
    switch (action.do) {
      case "toggle":
        return this.stage.toggle();
      case "back":
        return controller.player.step(-1);
      case "on":
        return controller.player.step(1);
      case "start":
        return controller.player.seek(0);
      case "end":
        return controller.player.seek(Infinity);
      case "move": {
        this.stage.wordPopover?.close();
        const to = nextDrawn(this.stage.views[number]?.paper.drawn ?? [], cell, action.to);
        controller.select(number, to, action.extend, false);
        return this.stage.views[number]?.focus(to);
      }
      case "inspect":
        return this.stage.choose(number, cell, false);
      case "erase":
        return controller.steering.steer("erase", "");
      case "leave":
        return controller.leave();
      case "type":
        this.stage.wordPopover?.open(selection.side, selection.cell, action.text);
        return controller.frames.now();
    }
  }

  /** With a word chosen, letters begin a word of one's own, wherever the keyboard is.
   * @param {KeyboardEvent} event
   * @param {HTMLElement} target
   * @returns {import("./keyboard.js").KeyAction | null}
   */
  letter({ key, ctrlKey, metaKey, altKey }, target) {
    const letter = [...key].length === 1 && key !== " " && !ctrlKey && !metaKey && !altKey;
    const free = target === document.body || target.closest(".slip, [data-cell]");
    const field = target.closest("input, textarea, select, [contenteditable]");
    return letter && free && !field && this.stage.controller.selection.selected.length
      ? { do: "type", text: key }
      : null;
  }

  /** @param {Element | null} element in the stage, or in what stands beside it */
  inside(element) {
    return this.stage.contains(element) || Boolean(this.stage.dock?.contains(element));
  }

  /** What was opened last is closed first.
   * @param {KeyboardEvent} event
   */
  escape(event) {
    const { controller, wordPopover } = this.stage;
    const { side, cell, selected } = controller.selection;
    if (wordPopover?.shown) {
      wordPopover.close();
      this.stage.views[side]?.focus(cell);
    } else if (this.stage.below?.escape()) this.stage.views[side]?.focus(cell);
    else if (controller.player.first && controller.player.head.playing) this.stage.skip();
    else if (selected.length) controller.leave();
    else if (this.stage.captions?.inviting) this.stage.captions.refuse();
    else if (this.stage.deep && this.inside(document.activeElement)) this.stage.away();
    else return;
    event.preventDefault();
    controller.frames.now();
  }
}

/** The first cell from one on, in the direction of a move, that is on the paper; without one, where the move began.
 * @param {boolean[]} drawn
 * @param {number} from
 * @param {number} to
 */
function nextDrawn(drawn, from, to) {
  const by = to < from ? -1 : 1;
  for (let cell = to; cell >= 0 && cell < drawn.length; cell += by) if (drawn[cell]) return cell;
  return from;
}
