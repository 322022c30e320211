/** The lenses on the page: questions about a word and about the next words. */

/** @type {import("../../assets/looks/features.js").Offer} */
export const feature = {
  curves: async () => (await import("./drift_curves.js")).DriftCurves,
  lens: async () => (await import("./lens.js")).Lens,
};
