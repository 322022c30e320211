/** State made of signals: a drawing that reads a field is drawn again when the field changes. */

import { signal } from "../vendor/signals-core.js";

/**
 * The same object, each of its fields a signal. Fields are replaced, never changed in place.
 * @template {object} T
 * @param {T} fields
 * @returns {T}
 */
export function reactive(fields) {
  const made = /** @type {any} */ ({});
  for (const [name, first] of Object.entries(fields)) {
    const field = signal(first);
    Object.defineProperty(made, name, {
      enumerable: true,
      get: () => field.value,
      set: (value) => {
        field.value = value;
      },
    });
  }
  return made;
}
