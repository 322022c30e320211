/** The stage of a page, for what stands beside it: panels come before or after it, and work on the first one. */

/** @typedef {import("./controller.js").Controller} Controller */

const READY = "unmask-stage";

/** Tell the panels that a stage is set up.
 * @param {Element} stage
 */
export function announceStage(stage) {
  stage.dispatchEvent(new Event(READY, { bubbles: true }));
}

/** Call with the controller of the page's first stage: at once, or when it is set up.
 * @param {(controller: Controller) => void} use
 */
export function withStage(use) {
  const ready = () => {
    const controller = /** @type {{controller?: Controller} | null} */ (document.querySelector("unmask-stage"))
      ?.controller;
    if (controller?.ready) use(controller);
    return Boolean(controller?.ready);
  };
  if (ready()) return;
  const retry = () => ready() && document.removeEventListener(READY, retry);
  document.addEventListener(READY, retry);
}

/** A part of the page that works on its stage, and is set up once that is there. */
export class Panel extends HTMLElement {
  /** @type {Controller} */
  unmask = /** @type {any} */ (null);
  placed = false; // an element that is moved is connected again

  connectedCallback() {
    if (this.placed) return;
    this.placed = true;
    withStage((unmask) => {
      this.unmask = unmask;
      this.setUp();
    });
  }

  setUp() {}
}
