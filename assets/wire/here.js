/** Addresses of the server that this page came from. */

/** An address of the server. A private Space signs its page's address, and wants each request signed alike.
 * @param {string} path relative to the page
 * @param {string} base the page's own address
 */
export function here(path, base) {
  const url = new URL(path, base);
  const sign = new URL(base).searchParams.get("__sign");
  if (sign) url.searchParams.set("__sign", sign);
  return url;
}
