/** Questions to the server that are no run: whether a prompt is of a kind the model knows, and how good a text is. */

/** @typedef {import("./canvas.js").Event} Event */

const PATIENCE = 6000; // ms without a sign of life; while a model is being opened, signs come

export class Questions {
  /** @param {(message: Record<string, any>) => void} send */
  constructor(send) {
    this.send = send;
    this.count = 0;
    /** @type {Map<string, {answer: (event: Event | null) => void, timer: ReturnType<typeof setTimeout>}>} */
    this.open = new Map();
  }

  /**
   * The answer, or null where none came.
   * @param {Record<string, any>} message
   * @returns {Promise<Event | null>}
   */
  ask(message) {
    const id = `question-${++this.count}`;
    return new Promise((answer) => {
      this.open.set(id, { answer, timer: this.wait(id) });
      this.send({ ...message, id });
    });
  }

  /** @param {string} id */
  wait(id) {
    return setTimeout(() => this.settle(id, null), PATIENCE);
  }

  /** An event: an answer, a refusal, or a sign that a model is still being opened.
   * @param {Event} event
   */
  hear(event) {
    const question = this.open.get(event.id);
    if (!question) return;
    if (event.did === "loading") {
      clearTimeout(question.timer);
      question.timer = this.wait(event.id);
    } else this.settle(event.id, event.did === "refused" ? null : event);
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
