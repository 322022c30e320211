/** The previews on the page: what would follow from another word, while a person rests on it. */

/** @type {import("../../assets/looks/features.js").Offer} */
export const feature = {
  preview: async () => (await import("./ripple.js")).Ripple,
};
