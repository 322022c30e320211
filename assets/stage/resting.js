/** When a person rests on a word: the pointer stays on it, the keyboard comes to it, or a finger holds it. */

export const REST = 90; // ms for which a pointer stays
export const HOLD = 350; // ms for which a finger holds

/** @template T */
export class Resting {
  /**
   * @param {(word: T) => void} begin
   * @param {() => void} end
   */
  constructor(begin, end) {
    this.begin = begin;
    this.end = end;
  }

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer = undefined;
  holding = false; // by a finger, whose lifting chooses nothing

  /**
   * @param {number} ms
   * @param {() => void} then
   */
  after(ms, then) {
    clearTimeout(this.timer);
    this.timer = setTimeout(then, ms);
  }

  /**
   * @param {PointerEvent} event
   * @param {T} word
   */
  enter({ pointerType }, word) {
    if (pointerType !== "touch") this.after(REST, () => this.begin(word));
  }

  leave() {
    clearTimeout(this.timer);
    this.end();
  }

  /**
   * @param {FocusEvent} event
   * @param {T} word
   */
  focus({ currentTarget }, word) {
    if (currentTarget instanceof Element && currentTarget.matches(":focus-visible")) this.begin(word);
  }

  /**
   * @param {PointerEvent} event
   * @param {T} word
   */
  press({ pointerType }, word) {
    this.holding = false;
    if (pointerType !== "touch") return;
    this.after(HOLD, () => {
      this.holding = true;
      this.begin(word);
    });
  }

  /** @param {PointerEvent} event */
  release({ pointerType }) {
    if (pointerType === "touch") this.leave();
  }

  /** Whether a click chooses the word: not where a finger only holding it. */
  get chooses() {
    const { holding } = this;
    this.holding = false;
    return !holding;
  }
}
