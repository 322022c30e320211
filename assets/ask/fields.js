/** Writes into the page's own form fields, so that they say what is run. */

/**
 * A text or a number into the field of a control, as if somebody had typed it.
 * @param {string} id of the control
 * @param {string | number} value
 */
export function setField(id, value) {
  const field = document.querySelector(`#${id} textarea, #${id} input[type="number"], #${id} input`);
  if (!(field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement)) return;
  if (field.value === String(value)) return;
  field.value = String(value);
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.dispatchEvent(new Event("change", { bubbles: true }));
}

/** The text of the prompt as it stands in its field. */
export function promptField() {
  const field = document.querySelector("#prompt textarea");
  return field instanceof HTMLTextAreaElement ? field : null;
}
