/** The changes and branches of both sides, each a strip under the sentence; drawn again when they differ. */

import { el } from "../looks/dom.js";
import { changesOf } from "../views/changes.js";

/** @param {import("./controller.js").Controller} controller */
export function branchStrips(controller) {
  const node = el("div", { className: "strips" });
  let loading = false; // most runs have neither
  const stop = controller.frames.add(() => {
    if (loading || !controller.sides.some((side) => side.tree.length > 1 || changesOf(side).length > 0)) return;
    loading = true;
    void import("../views/branch_list.js").then(({ BranchList }) => {
      stop();
      show(controller, node, BranchList);
    });
  });
  return node;
}

/**
 * @param {import("./controller.js").Controller} controller
 * @param {HTMLElement} node
 * @param {typeof import("../views/branch_list.js").BranchList} BranchList
 */
function show(controller, node, BranchList) {
  const lists = controller.sides.map(
    (_, side) =>
      new BranchList(
        side,
        (act, name, more) => controller.branching.act(side, act, name, more),
        (change) => controller.steering.takeBack(side, change),
      ),
  );
  node.append(...lists.map((list) => list.node));
  const others = (/** @type {number} */ side) => controller.others.has(controller.side(side).session);
  controller.frames.add(() => lists.forEach((list, side) => list.show(controller.side(side), others(side))));
}
