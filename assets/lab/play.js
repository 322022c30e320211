/** A run of the Lab opened on the stage: the same order, hence the same text. */

/** @param {{prompt?: string, model?: string, length?: number, preset?: string, changes?: Record<string, unknown>, seed?: number}} order */
export function play(order) {
  const unmask = /** @type {any} */ (globalThis).unmask;
  const { prompt = "", model = "denoiser", length = 96, preset = null, changes = {}, seed = 0 } = order;
  const second = unmask.models[1] ?? model;
  unmask.open({
    do: "open",
    id: unmask.newId(),
    prompt,
    length,
    seed,
    play: true,
    sides: [
      { model, preset, settings: { ...changes, seed } },
      { model: second, preset: "autoregressive", settings: { seed } },
    ],
  });
  document.querySelector("unmask-stage")?.scrollIntoView({ behavior: "smooth", block: "start" });
}
