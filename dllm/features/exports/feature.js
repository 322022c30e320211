/** Taking a run away, on the page: *Share* in its head, and what can be taken of one side. */

/** @type {import("../../assets/looks/features.js").Offer} */
export const feature = {
  elements: { "unmask-share": async () => (await import("./share_button.js")).Share },
  ways: async () => (await import("./ways.js")).ways,
};
