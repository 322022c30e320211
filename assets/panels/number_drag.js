/** Numbers in a sentence: dragged sideways, typed, or changed with the arrow keys. */

const FAR = 240; // pixels of dragging from the least value to the greatest
const NEAR = 4; // pixels that are a click still

/**
 * Let the number fields of a part of the page be dragged; double-click gives back what Gradio calls the default.
 * @param {HTMLElement} root
 */
export function dragNumbers(root) {
  /** @type {{field: HTMLInputElement, x: number, from: number, moved: boolean} | null} */
  let drag = null;
  const fieldOf = (/** @type {Event} */ event) =>
    event.target instanceof HTMLInputElement && event.target.type === "number" ? event.target : null;
  root.addEventListener("pointerdown", (event) => {
    const field = fieldOf(event);
    if (field && !event.button) drag = { field, x: event.clientX, from: field.valueAsNumber, moved: false };
  });
  root.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const by = event.clientX - drag.x;
    if (!drag.moved && Math.abs(by) < NEAR) return;
    if (!drag.moved) {
      drag.field.setPointerCapture(event.pointerId);
      drag.field.blur(); // or the text in it would be selected
    }
    drag.moved = true;
    put(drag.field, drag.from + (by / FAR) * (Number(drag.field.max) - Number(drag.field.min)), "unmask-dragged");
  });
  for (const over of ["pointerup", "pointercancel"])
    root.addEventListener(over, () => {
      if (drag?.moved) drag.field.dispatchEvent(new Event("input", { bubbles: true })); // one run a drag
      drag = null;
    });
  root.addEventListener("dblclick", (event) => {
    const reset = fieldOf(event)?.parentElement?.querySelector("button");
    reset?.click();
  });
  root.addEventListener("keydown", (event) => {
    const field = fieldOf(event);
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!field || !by) return;
    event.preventDefault();
    put(field, field.valueAsNumber + by * (event.shiftKey ? 10 : 1) * Number(field.step), "input");
  });
  root.addEventListener("keyup", (event) => {
    if (!/^Arrow(Up|Down)$/.test(event.key)) return;
    fieldOf(event)?.dispatchEvent(new PointerEvent("pointerup", { bubbles: true })); // for Gradio, the end of a change
  });
}

/** Another value, within the bounds of the field.
 * @param {HTMLInputElement} field
 * @param {number} value
 * @param {string} kind of the event that tells it
 */
function put(field, value, kind) {
  const [least, most, step] = [field.min, field.max, field.step].map(Number);
  const bounded = Math.max(least ?? -Infinity, Math.min(most ?? Infinity, value));
  const whole = step ? Math.round(bounded / step) * step : bounded;
  const text = String(Number(whole.toFixed(4)));
  if (text === field.value) return;
  field.value = text;
  field.dispatchEvent(new Event(kind, { bubbles: true }));
}
