/** Which settings are legal: written by `python -m scripts.contract` from the engine's own. Pure. */

/** Names of settings. @type {string[]} */
// prettier-ignore
export const NAMES = ["policy", "options", "passes", "passes_for", "block", "block_from", "sight", "schedule", "bend", "shares", "temperature", "temperature_end", "heats", "top_k", "top_p", "min_p", "presence", "frequency", "candidates", "guidance", "confidence", "precision", "end", "end_penalty", "end_after", "bans", "boosts", "constraint", "room", "seed"];

/** The least and the most of each number. @type {Record<string, [number, number]>} */
// prettier-ignore
export const RANGES = {"passes": [1, 4096], "block": [0, 65536], "bend": [0.1, 8], "temperature": [0, 5], "temperature_end": [0, 5], "top_k": [0, 1000000], "top_p": [0.0, 1], "min_p": [0.0, 1], "presence": [-2, 2], "frequency": [-2, 2], "candidates": [5, 20], "guidance": [0, 20], "end_penalty": [0, 100], "end_after": [0, 65536], "room": [0, 65536], "seed": [0, 9.223372036854776e+18]};

/** Those that are whole. @type {string[]} */
// prettier-ignore
export const WHOLE = ["block", "candidates", "end_after", "passes", "room", "seed", "top_k"];

/** What each word may be. @type {Record<string, string[]>} */
// prettier-ignore
export const WORDS = {"passes_for": ["answer", "block"], "block_from": ["answer", "sequence"], "sight": ["all", "block"], "schedule": ["linear", "cosine", "power", "geometric", "drawn", "timesteps"], "confidence": ["plain", "shaped"], "precision": ["model", "single", "double"], "end": ["allow", "penalise", "forbid", "stop"]};
