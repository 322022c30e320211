/** Tables as text, a line each row. Pure. */

/** A value as it stands between commas. What a spreadsheet would take for a formula gets an apostrophe before it.
 * @param {string | number} value
 */
export function field(value) {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
