/** The modelled clock's chips and models, and what decoders compute: written by `python -m scripts.contract`. Pure. */

/** @typedef {import("./pass_time.js").Chip & {name: string, source: string}} NamedChip */
/** @typedef {import("./pass_time.js").Size & {name: string}} NamedSize */
/** @typedef {{verify?: boolean, shadow?: boolean, ahead?: string, length?: number}} Needs `length`: `ahead`'s default */

/** Accelerators. @type {Record<string, NamedChip>} */
// prettier-ignore
export const CHIPS = {"a100": {"name": "A100 80 GB", "bandwidth": 2040000000000.0, "operations": 312000000000000.0, "fp8": false, "source": "the vendor's data sheet, dense"}, "h100": {"name": "H100 SXM", "bandwidth": 3350000000000.0, "operations": 989000000000000.0, "fp8": true, "source": "the vendor's data sheet, dense"}, "h200": {"name": "H200", "bandwidth": 4800000000000.0, "operations": 989000000000000.0, "fp8": true, "source": "the vendor's data sheet, dense"}, "b200": {"name": "B200", "bandwidth": 8000000000000.0, "operations": 2250000000000000.0, "fp8": true, "source": "the vendor's data sheet, dense"}, "l4": {"name": "L4", "bandwidth": 300000000000.0, "operations": 121000000000000.0, "fp8": true, "source": "the vendor's data sheet, dense"}, "rtx4090": {"name": "RTX 4090", "bandwidth": 1010000000000.0, "operations": 165000000000000.0, "fp8": true, "source": "the vendor's data sheet, dense"}, "m3max": {"name": "M3 Max", "bandwidth": 400000000000.0, "operations": 28000000000000.0, "fp8": false, "source": "the vendor's bandwidth; operations of its GPU in fp16"}};

/** Models. @type {Record<string, NamedSize>} */
// prettier-ignore
export const SIZES = {"llada-8b": {"parameters": 8000000000.0, "active": 8000000000.0, "experts": 1, "chosen": 1, "name": "LLaDA-8B", "cached": 524288, "bytes": 2}, "llada-moe": {"parameters": 7000000000.0, "active": 1000000000.0, "experts": 64, "chosen": 8, "name": "LLaDA-MoE 7B-A1B", "cached": 131072, "bytes": 2}, "llada2-mini": {"parameters": 16000000000.0, "active": 1400000000.0, "experts": 256, "chosen": 8, "name": "LLaDA2.0-mini 16B-A1.4B", "cached": 40960, "bytes": 2}, "diffusion-gemma": {"parameters": 25200000000.0, "active": 4000000000.0, "experts": 128, "chosen": 8, "name": "DiffusionGemma 26B-A4B", "cached": 245760, "bytes": 1}};

/** What a decoder computes beyond its canvas. @type {Record<string, Needs>} */
// prettier-ignore
export const NEEDS = {"proofread": {"verify": true}, "revoke": {"shadow": true}, "self_speculate": {"verify": true, "ahead": "ahead", "length": 64}};

/** The efficiencies that published figures lie between. @type {[number, number]} */
// prettier-ignore
export const BAND = [0.3, 0.9];

/** The efficiency to begin with. @type {number} */
// prettier-ignore
export const EFFICIENCY = 0.6;
