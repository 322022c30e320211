/** Questions as they are typed, and answers in words. Pure. */

/** @typedef {{asks: string, options: string}} Typed */

const SURE = 0.5; // certainty from which on an answer is sure
const LEANING = 0.1;

/** @returns {Typed} */
export function blank() {
  return { asks: "", options: "" };
}

/** The questions as the server takes them, each under its number. Yes and no are a question of their own kind.
 * @param {Typed[]} typed
 * @returns {Record<string, Record<string, unknown>>}
 */
export function message(typed) {
  return Object.fromEntries(
    typed.map(({ asks, options }, i) => {
      const named = options.split(",").map((option) => option.trim());
      const instructions = asks.trim() ? { instructions: asks.trim() } : {};
      if (asks.trim() && named.join() === "yes,no") return [String(i + 1), { type: "noul", ...instructions }];
      const criteria = Object.fromEntries(named.map((option) => [option, null]));
      const twice = named.length !== Object.keys(criteria).length; // one name twice is for the server to refuse
      return [
        String(i + 1),
        { type: "choice", ...instructions, criteria: twice ? { ...criteria, "": null } : criteria },
      ];
    }),
  );
}

/** How sure an answer is, in a word.
 * @param {number} certainty 1 less the entropy over that of equal shares
 */
export function sureness(certainty) {
  if (certainty >= SURE) return "sure";
  return certainty >= LEANING ? "leaning" : "torn";
}

/** @param {number} share */
export function percent(share) {
  const value = 100 * share;
  return `${value > 99 && value < 100 ? Math.min(value, 99.9).toFixed(1) : value < 1 && value > 0 ? "< 1" : Math.round(value)} %`;
}
