/** The changes and branches of both sides, each a strip under the sentence; drawn again when they differ. */

import { el } from "../looks/dom.js";
import { BranchList } from "../views/branch_list.js";

/** @param {import("./controller.js").Controller} controller */
export function branchStrips(controller) {
  const lists = controller.sides.map(
    (_, side) =>
      new BranchList(
        side,
        (act, name, more) => controller.branching.act(side, act, name, more),
        (change) => controller.steering.takeBack(side, change),
      ),
  );
  const others = (/** @type {number} */ side) => controller.others.has(controller.side(side).session);
  controller.frames.add(() => lists.forEach((list, side) => list.show(controller.side(side), others(side))));
  return el("div", { className: "strips" }, ...lists.map(({ node }) => node));
}
