/** Questions to the server that are no run: how good a text is, what a word leans on, what if. */

/** @typedef {import("./canvas.js").Event} Event */

const PATIENCE = 6000; // ms without a sign of life; while a model is being opened, signs come

export class Questions {
  /** @param {(message: Record<string, any>) => void} send */
  constructor(send) {
    this.send = send;
    this.count = 0;
    /** @type {Map<string, {answer: (event: Event | null) => void, patience: number, timer: ReturnType<typeof setTimeout>}>} */
    this.open = new Map();
  }

  /**
   * The answer, which may be a refusal with its reason, or null where none came.
   * @param {Record<string, any>} message
   * @param {number} [patience] ms
   * @returns {Promise<Event | null>}
   */
  ask(message, patience = PATIENCE) {
    const id = `question-${++this.count}`;
    return new Promise((answer) => {
      this.open.set(id, { answer, patience, timer: this.wait(id, patience) });
      this.send({ ...message, id });
    });
  }

  /**
   * @param {string} id
   * @param {number} patience
   */
  wait(id, patience) {
    return setTimeout(() => this.settle(id, null), patience);
  }

  /** An event: an answer, a refusal, or a sign that a model is still being opened. Whether it belongs to a question.
   * @param {Event} event
   */
  hear(event) {
    const question = this.open.get(event.id);
    if (!question) return false;
    if (event.did === "loading") {
      clearTimeout(question.timer);
      question.timer = this.wait(event.id, question.patience);
    } else this.settle(event.id, event);
    return true;
  }

  /**
   * @param {string} id
   * @param {Event | null} event
   */
  settle(id, event) {
    const question = this.open.get(id);
    if (!question) return;
    this.open.delete(id);
    clearTimeout(question.timer);
    question.answer(event);
  }
}
