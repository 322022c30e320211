/** The code of a class in the page's address, and the class that this tab was in before it was loaded again. */

export const KEPT = "unmask-class"; // in this tab alone, so that loading the page again comes back to the class

/** The code in an address, or "".
 * @param {string} hash
 */
export function codeIn(hash) {
  return /[#&]class=([\w-]{6,12})(?=&|$)/.exec(hash)?.[1]?.toUpperCase().replaceAll("-", "") ?? "";
}

/** @returns {{room: string, key?: string, seat?: string, name?: string} | null} */
export function remembered() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
  } catch {
    return null;
  }
}
