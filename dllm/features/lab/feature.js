/** The Lab on the page: a tab of *Many runs*, and its entry there. */

/** @type {import("../../assets/looks/features.js").Offer} */
export const feature = {
  elements: { "unmask-lab": async () => (await import("./lab.js")).Lab },
  runs: async () => (await import("./entries.js")).entries,
};
