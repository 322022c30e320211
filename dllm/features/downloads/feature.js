/** The models on the page: a page of the dock, its button in the head, and what may answer a declined prompt. */

/** @type {import("../../assets/looks/features.js").Offer} */
export const feature = {
  elements: { "unmask-models": async () => (await import("./button.js")).Models },
  answer: async () => (await import("./answer.js")).Answer,
};
