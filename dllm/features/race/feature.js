/** The race and the claims on the page: two tabs of *Many runs*, and their entries there. */

/** @type {import("../../assets/looks/features.js").Offer} */
export const feature = {
  elements: {
    "unmask-race": async () => (await import("./race.js")).RaceTab,
    "unmask-claims": async () => (await import("./claims.js")).Claims,
  },
  runs: async () => (await import("./entries.js")).entries,
};
