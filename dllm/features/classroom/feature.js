/** The class on the page: a button in its head, and what an address with a code opens. */

/** @type {import("../../assets/looks/features.js").Offer} */
export const feature = {
  elements: { "unmask-class": async () => (await import("./class.js")).Classes },
};
