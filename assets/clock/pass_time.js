/** How long one pass takes on another machine, as in `dllm/run/pass_time.py`: a model of time, not a measurement. Pure. */

/**
 * @typedef {object} Chip
 * @property {number} bandwidth bytes read a second
 * @property {number} operations in bf16, a second
 * @property {boolean} fp8 it has fp8 arithmetic, twice as fast
 */

/**
 * @typedef {object} Size
 * @property {number} parameters
 * @property {number} active parameters that one token uses
 * @property {number} bytes for each parameter
 * @property {number} experts 1 for a dense model
 * @property {number} chosen experts that one token uses
 * @property {number} cached bytes of keys and values for each token
 */

/**
 * @typedef {object} Machine
 * @property {Chip} chip
 * @property {Size} size
 * @property {number} users at once
 * @property {number} efficiency above 0, at most 1
 * @property {number} overhead seconds to launch a forward
 */

/** @typedef {{forwards: number, tokens: number, cached: number}} Work what a pass computed, for one user */

/** Bytes of weights that a forward over so many tokens is expected to read.
 * @param {Size} size
 * @param {number} tokens
 */
export function weightsRead(size, tokens) {
  if (size.experts === 1) return size.parameters * size.bytes;
  const share = size.chosen / size.experts;
  const expert = (size.parameters - size.active) / (1 - share);
  const touched = 1 - (1 - share) ** tokens;
  return (size.parameters - expert + expert * touched) * size.bytes;
}

/** Seconds of a pass, in which all users make a pass together.
 * @param {Machine} machine
 * @param {Work} work
 */
export function passSeconds({ chip, size, users, efficiency, overhead }, { forwards, tokens, cached }) {
  const fed = users * tokens;
  const operations = chip.operations * (size.bytes === 1 && chip.fp8 ? 2 : 1);
  const arithmetic = (2 * size.active * fed) / (efficiency * operations);
  const reading = (weightsRead(size, fed) + users * cached * size.cached) / (efficiency * chip.bandwidth);
  return forwards * (Math.max(arithmetic, reading) + overhead);
}

/** Seconds of a run's passes.
 * @param {Machine} machine
 * @param {Work[]} works
 */
export function runSeconds(machine, works) {
  return works.reduce((sum, work) => sum + passSeconds(machine, work), 0);
}
