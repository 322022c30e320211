/** An order opened on the stage, beside the second model: the same order gives the same text. */

/**
 * @param {{prompt?: string, model?: string, length?: number, preset?: string, changes?: Record<string, unknown>, seed?: number}} order
 * @param {[number, Record<string, any>][]} edits of the first side: a moment, and the edit that leads to it
 */
export function openOrder(order, edits = []) {
  const stage = /** @type {any} */ (document.querySelector("unmask-stage"));
  const unmask = /** @type {import("./controller.js").Controller} */ (stage.controller);
  const { prompt = "", model = "denoiser", length = 96, preset = null, changes = {}, seed = 0 } = order;
  // beside the pair's denoiser stands its twin; any other model is set beside itself, read from the left
  const second = /^(denoiser|fast)$/.test(model) ? (unmask.models[1] ?? model) : model;
  const { temperature } = changes;
  unmask.player.inSlowMotion(false);
  unmask.open({
    do: "open",
    id: unmask.newId(),
    prompt,
    length,
    seed,
    play: true,
    sides: [
      { model, preset, settings: { ...changes, seed }, ...(edits.length && { edits }) },
      {
        model: second,
        preset: "autoregressive",
        settings: temperature === undefined ? { seed } : { seed, temperature },
      },
    ],
  });
  const detail = JSON.stringify({ ...order, preset: preset ?? "", model });
  document.dispatchEvent(new CustomEvent("unmask-order", { detail })); // the controls say what runs
  document.querySelector("unmask-stage")?.scrollIntoView({ behavior: "smooth", block: "nearest" });
}
