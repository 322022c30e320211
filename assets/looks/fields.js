/** What a person types or chooses in a field, kept in an object. */

/**
 * A listener that keeps what its field holds: a number, a yes or no, or the text.
 * @template {object} T
 * @param {T} kept
 * @param {keyof T} name
 * @param {() => void} [then]
 */
export function into(kept, name, then = () => {}) {
  return (/** @type {Event} */ { target }) => {
    const { type, checked, value } = /** @type {HTMLInputElement} */ (target);
    Object.assign(kept, { [name]: type === "checkbox" ? checked : /number|range/.test(type) ? Number(value) : value });
    then();
  };
}

/** A listener for a form: it does something, and sends nothing.
 * @param {() => void} act
 */
export function onSubmit(act) {
  return (/** @type {Event} */ event) => {
    event.preventDefault();
    act();
  };
}
