/** What the server can open: its models and, where a person may choose, what could be fetched. */

/**
 * @param {boolean} shelf also what could be fetched
 * @returns {Promise<Record<string, any> | null>} null where the server does not say
 */
export async function menu(shelf) {
  try {
    const answer = await fetch(new URL(shelf ? "menu?shelf=1" : "menu", document.baseURI));
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

/** Whether a model fits this machine, as a sentence; empty where the server does not say.
 * @param {string} name
 * @returns {Promise<string>}
 */
export async function fit(name) {
  try {
    const answer = await fetch(new URL(`menu/fit?model=${encodeURIComponent(name)}`, document.baseURI));
    return answer.ok ? (await answer.json()).says : "";
  } catch {
    return "";
  }
}
