/** From the two controls of a rule to a constraint as the engine reads it. Pure. */

/**
 * @param {unknown} kind
 * @param {unknown} text
 * @returns {Record<string, unknown>} empty where there is no rule, or none is complete yet
 */
export function constraintOf(kind, text) {
  const written = String(text ?? "");
  if (!kind) return {};
  if (kind === "json_object") return { kind };
  if (!written.trim()) return {};
  switch (kind) {
    case "choice":
      return { kind, options: written.split("\n").filter((line) => line.trim()) };
    case "regex":
      return { kind, pattern: written.trim() };
    case "schema":
      return { kind, schema: parsed(written) };
    default: // contains, avoids, grammar
      return { kind, text: written };
  }
}

/** What is no JSON is handed on as it is: the engine says what is wrong with it.
 * @param {string} text
 */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
