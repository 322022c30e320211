/** The player's page, unpacked once for all stages of one version on a page. */

const shared = /** @type {any} */ (globalThis); // each stage has a copy of this script

/** @returns {Map<string, Promise<string>>} */
const pages = () => (shared.unmaskPages ??= new Map());

/** The HTML of the player.
 * @param {string} version
 * @param {() => Promise<string>} packed its base64 of gzip
 * @returns {Promise<string>}
 */
export function unpackedPage(version, packed) {
  const known = pages().get(version);
  if (known) return known;
  const page = packed().then(async (text) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  });
  page.catch(() => pages().delete(version)); // it is tried again
  pages().set(version, page);
  return page;
}
