/** Which models write beside each other. Pure. */

const PAIR = ["denoiser", "fast", "twin"]; // trained for this page, on the same texts

/** Whether a model is one that the page opened with or a bundled one, which its examples and suggestions are for.
 * @param {string} [name]
 * @param {string[]} [home] the models that the page opened with
 */
export function isOwn(name = "", home = []) {
  return home.includes(name) || PAIR.includes(name.split("?")[0] ?? "");
}

/**
 * The models of both sides once another one has the first: the pair's twin writes beside the pair alone.
 * @param {string} name
 * @param {string[]} before
 * @param {string[]} home
 */
export function beside(name, before, home) {
  const [, second] = before;
  if (!isOwn(name, home)) return [name];
  return [name, second && isOwn(second, home) ? second : (home[1] ?? "twin")];
}
