/** Writes a GIF: 256 colours, of each picture only what differs from the one before. Pure. (GIF89a, LZW as in TIFF 6.) */

const MOST_CODES = 4096;
const STEPS = [0.5, 0.25, 0.75, 0.125, 0.375, 0.625, 0.875];

export class Gif {
  /**
   * @param {number} width
   * @param {number} height
   * @param {Uint8Array} palette three bytes for each of 256 colours
   */
  constructor(width, height, palette) {
    this.width = width;
    this.height = height;
    /** @type {Uint8Array[]} */
    this.parts = [];
    /** @type {Uint8Array | null} */
    this.last = null;
    this.frames = 0;
    this.bytes([..."GIF89a"].map((letter) => letter.charCodeAt(0)));
    this.bytes([...pair(width), ...pair(height), 0xf7, 0, 0]);
    this.parts.push(palette);
    this.bytes([0x21, 0xff, 11, ...[..."NETSCAPE2.0"].map((letter) => letter.charCodeAt(0)), 3, 1, 0, 0, 0]); // again and again
  }

  /** @param {number[]} row */
  bytes(row) {
    this.parts.push(Uint8Array.from(row));
  }

  /**
   * One more picture.
   * @param {Uint8Array} pixels an index into the palette for each
   * @param {number} hundredths of a second that it stands
   */
  frame(pixels, hundredths) {
    const { left, top, width, height } = this.differing(pixels);
    this.bytes([0x21, 0xf9, 4, 4, ...pair(hundredths), 0, 0]);
    this.bytes([0x2c, ...pair(left), ...pair(top), ...pair(width), ...pair(height), 0, 8]);
    const part = new Uint8Array(width * height);
    for (let y = 0; y < height; y++) {
      const from = (top + y) * this.width + left;
      part.set(pixels.subarray(from, from + width), y * width);
    }
    this.parts.push(blocks(compressed(part)));
    this.last = pixels.slice();
    this.frames++;
  }

  /** The smallest rectangle outside of which nothing is new.
   * @param {Uint8Array} pixels
   */
  differing(pixels) {
    const { width, height, last } = this;
    if (!last) return { left: 0, top: 0, width, height };
    let [left, right, top, bottom] = [width, -1, height, -1];
    for (let y = 0; y < height; y++) {
      const row = y * width;
      for (let x = 0; x < width; x++) {
        if (pixels[row + x] === last[row + x]) continue;
        if (x < left) left = x;
        if (x > right) right = x;
        if (y < top) top = y;
        bottom = y;
      }
    }
    return right < 0
      ? { left: 0, top: 0, width: 1, height: 1 }
      : { left, top, width: right - left + 1, height: bottom - top + 1 };
  }

  /** The whole file. */
  done() {
    return new Blob(/** @type {any[]} */ ([...this.parts, Uint8Array.of(0x3b)]), { type: "image/gif" });
  }
}

/** @param {number} x */
function pair(x) {
  return [x & 255, (x >> 8) & 255];
}

/** In blocks of at most 255 bytes, and an empty one.
 * @param {Uint8Array} data
 */
function blocks(data) {
  const out = new Uint8Array(data.length + Math.ceil(data.length / 255) + 1);
  let at = 0;
  for (let from = 0; from < data.length; from += 255) {
    const part = data.subarray(from, from + 255);
    out[at++] = part.length;
    out.set(part, at);
    at += part.length;
  }
  return out.subarray(0, at + 1);
}

/**
 * @param {Uint8Array} pixels
 * @returns {Uint8Array}
 */
export function compressed(pixels) {
  const clear = 256;
  const out = new Uint8Array(pixels.length * 2 + 16);
  const table = new Int16Array(MOST_CODES * 256); // a code and the pixel behind it: the code of both, 0 for none
  let [size, next, bits, count, at] = [9, clear + 2, 0, 0, 0];
  /** @type {number[]} */
  const used = [];
  const put = (/** @type {number} */ code) => {
    bits |= code << count;
    count += size;
    while (count >= 8) {
      out[at++] = bits & 255;
      bits >>>= 8;
      count -= 8;
    }
  };
  put(clear);
  let code = pixels[0] ?? 0;
  for (let i = 1; i < pixels.length; i++) {
    const place = (code << 8) | /** @type {number} */ (pixels[i]);
    const longer = table[place];
    if (longer) {
      code = longer;
      continue;
    }
    put(code);
    if (next < MOST_CODES) {
      table[place] = next;
      used.push(place);
      if (next === 1 << size) size++;
      next++;
    } else {
      put(clear);
      for (const one of used) table[one] = 0;
      used.length = 0;
      [size, next] = [9, clear + 2];
    }
    code = /** @type {number} */ (pixels[i]);
  }
  put(code);
  put(clear + 1);
  if (count > 0) out[at++] = bits & 255;
  return out.subarray(0, at);
}

/**
 * The colours of a picture with soft edges: each of these on each, in steps.
 * @param {string[]} grounds
 * @param {string[]} inks
 */
export function paletteOf(grounds, inks) {
  const found = new Map();
  const add = (/** @type {number[]} */ rgb) => {
    const key = rgb.join();
    if (found.size < 256 && !found.has(key)) found.set(key, rgb);
  };
  for (const one of [...grounds, ...inks]) add(rgb(one));
  for (const share of STEPS)
    for (const ground of grounds)
      for (const ink of inks) {
        const [a, b] = [rgb(ground), rgb(ink)];
        add(a.map((x, i) => Math.round(x + ((b[i] ?? 0) - x) * share)));
      }
  const palette = new Uint8Array(768);
  [...found.values()].forEach((one, i) => palette.set(one, 3 * i));
  return { palette, size: found.size };
}

/** @param {string} hex #rrggbb */
function rgb(hex) {
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) || 0);
}

/**
 * From pixels to the nearest colours; what was looked up once is known.
 * @param {Uint8Array} palette
 * @param {number} size
 */
export function nearest(palette, size) {
  const known = new Int16Array(1 << 15).fill(-1);
  return (/** @type {Uint8ClampedArray} */ data) => {
    const out = new Uint8Array(data.length / 4);
    for (let i = 0; i < out.length; i++) {
      const [r, g, b] = [Number(data[4 * i]), Number(data[4 * i + 1]), Number(data[4 * i + 2])];
      const key = ((r >> 3) << 10) | ((g >> 3) << 5) | (b >> 3);
      if (known[key] === -1) known[key] = closest(palette, size, r, g, b);
      out[i] = /** @type {number} */ (known[key]);
    }
    return out;
  };
}

/**
 * @param {Uint8Array} palette
 * @param {number} size
 * @param {number} r
 * @param {number} g
 * @param {number} b
 */
function closest(palette, size, r, g, b) {
  let [best, least] = [0, Infinity];
  for (let k = 0; k < size; k++) {
    const [x, y, z] = [Number(palette[3 * k]) - r, Number(palette[3 * k + 1]) - g, Number(palette[3 * k + 2]) - b];
    const distance = x * x + y * y + z * z;
    if (distance < least) [best, least] = [k, distance];
  }
  return best;
}
