/** Decisions on the page: a tab of *Many runs*, and its entry there. */

/** @type {import("../../assets/looks/features.js").Offer} */
export const feature = {
  elements: { "unmask-decisions": async () => (await import("./decisions.js")).Decisions },
  runs: async () => (await import("./entries.js")).entries,
};
