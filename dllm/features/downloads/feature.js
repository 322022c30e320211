/** The downloads on the page: small models, each a press away, under the menu of models. */

/** @type {import("../../assets/looks/features.js").Offer} */
export const feature = {
  shelf: async () => (await import("./shelf.js")).Shelf,
};
