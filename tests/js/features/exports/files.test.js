// Files to take away: each read back and compared with what went in.
import assert from "node:assert/strict";
import { test } from "node:test";
import { together } from "../../../../dllm/features/exports/both.js";
import { pictureOf, lettersFor, widthOf } from "../../../../assets/pictures/drawing.js";
import { timesOf } from "../../../../assets/pictures/film.js";
import { Gif, compressed, nearest, paletteOf } from "../../../../assets/pictures/gif.js";
import { canvasSvg, escaped, mapSvg } from "../../../../assets/pictures/svg.js";
import { csvOf } from "../../../../dllm/features/exports/table.js";
import { field } from "../../../../assets/looks/csv.js";
import { sealOf, traceOf } from "../../../../assets/wire/trace.js";
import { sha256 } from "../../../../assets/wire/digest.js";
import { emptySide, reduce } from "../../../../assets/wire/store.js";
import { faces } from "../../../../assets/cells/face.js";
import { opened, stepped } from "../../runs.js";

const COLOURS = Object.fromEntries(
  ["paper", "ink", "ink-2", "soft", "accent", "mark", "mark-soft", "doubt", "tint-0", "tint-5", "heat-0", "heat-6"].map(
    (name, i) => [name, `#0000${(16 + i).toString(16)}`],
  ),
);

/** Pixels from the codes of a GIF, as a reader takes them.
 * @param {Uint8Array} bytes
 */
function decompressed(bytes) {
  /** @type {number[]} */
  const out = [];
  let [bits, count, size, at] = [0, 0, 9, 0];
  /** @type {number[][]} */
  let table = [];
  /** @type {number[] | null} */
  let last = null;
  const reset = () => (table = Array.from({ length: 258 }, (_, i) => [i]));
  for (;;) {
    while (count < size) {
      bits |= (bytes[at++] ?? 0) << count;
      count += 8;
    }
    const code = bits & ((1 << size) - 1);
    bits >>>= size;
    count -= size;
    if (code === 257) return out;
    if (code === 256) {
      reset();
      size = 9;
      last = null;
      continue;
    }
    const entry = /** @type {number[]} */ (table[code] ?? [...(last ?? []), last?.[0] ?? 0]);
    for (const one of entry) out.push(one);
    if (last && table.length < 4096) table.push([...last, entry[0] ?? 0]);
    if (table.length === 1 << size && size < 12) size++;
    last = entry;
  }
}

test("pixels come out of their codes as they went in", () => {
  let state = 7;
  const random = () => (state = (state * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
  for (const make of [() => 3, () => Math.floor(random() * 256), (/** @type {number} */ i) => (i >> 6) & 255]) {
    for (const length of [1, 2, 255, 40_000]) {
      const pixels = Uint8Array.from({ length }, (_, i) => make(i));
      assert.deepEqual(decompressed(compressed(pixels)), Array.from(pixels));
    }
  }
});

test("a GIF holds of each picture only what is new", async () => {
  const { palette, size } = paletteOf(["#ffffff", "#ff0000"], ["#000000"]);
  const index = nearest(palette, size);
  assert.equal(index(new Uint8ClampedArray([250, 3, 2, 255]))[0], 1);
  const gif = new Gif(40, 30, palette);
  const first = new Uint8Array(1200);
  gif.frame(first, 20);
  const second = first.slice();
  second[5 * 40 + 7] = second[9 * 40 + 12] = 1;
  assert.deepEqual(gif.differing(second), { left: 7, top: 5, width: 6, height: 5 });
  gif.frame(second, 20);
  assert.deepEqual(gif.differing(second), { left: 0, top: 0, width: 1, height: 1 });
  const bytes = new Uint8Array(await gif.done().arrayBuffer());
  assert.equal(String.fromCharCode(...bytes.subarray(0, 6)), "GIF89a");
  assert.equal(bytes.at(-1), 0x3b);
});

/** @param {Record<string, string>} pieces */
function side(pieces = {}) {
  const events = [
    opened(4),
    { ...stepped(1, [1], [2]), pieces },
    stepped(2, [2, 3, 4], [3, 3, 4], { open: 0, done: true }),
  ];
  const [made] = events.reduce((stage, event) => reduce(stage, /** @type {any} */ (event)), {
    sides: [emptySide()],
  }).sides;
  return /** @type {import("../../../../assets/wire/store.js").Side} */ (made);
}

test("a picture holds every cell, in order, and code in it is only text", () => {
  const one = side({ 2: " <script>alert(1)</script>&\u0007\ud800" });
  const drawn = { name: 'A "name"', caption: "<b>", causal: false, row: faces(one, 2) };
  const sentence = {
    first: [{ text: "<i>one</i>", as: /** @type {const} */ ("first") }, { text: " & two" }],
    second: "",
  };
  const svg = canvasSvg({ prompt: "<u>prompt</u>", sides: [drawn], sentence }, COLOURS);
  assert.equal(svg.match(/data-cell="/g)?.length, 5);
  assert.ok(!/<script|<[bui]>/.test(svg) && !svg.includes("\u0007") && svg.includes("&lt;script&gt;"));
  assert.match(svg, /viewBox="0 0 1920 1080"/);
  assert.equal(escaped("a<b>&\"'\u0001"), "a&lt;b&gt;&amp;&quot;&#39;\ufffd");
});

test("a map has a square for each value, and none where there is nothing to say", () => {
  const rows = [
    ["", "heat-0", "heat-6"],
    ["", "heat-6", "ink"],
  ];
  const key = [
    { colour: "heat", says: "a guess" },
    { colour: "ink", says: "written" },
  ];
  const svg = mapSvg([{ name: "A", caption: "", rows }], COLOURS, key);
  assert.match(svg, />a guess<.*>written</s);
  assert.deepEqual(
    [...svg.matchAll(/data-at="(\d,\d)"[^>]*fill="([^"]*)"/g)].map(([, at, fill]) => [at, fill]),
    [
      ["0,1", COLOURS["heat-0"]],
      ["0,2", COLOURS["heat-6"]],
      ["1,1", COLOURS["heat-6"]],
      ["1,2", COLOURS["ink"]],
    ],
  );
});

test("words stay within their side, and letters are as large as they may be", () => {
  const row = faces(side(), 2);
  const long = Array.from({ length: 40 }, () => row).flat();
  const room = { width: 960, height: 540 };
  const samples = [long, row].map((one) => ({ causal: false, rows: [one] }));
  const { size, pitch } = lettersFor(samples, room);
  const sides = [long, row].map((one) => ({ name: "A", caption: "2 looks", causal: false, row: one }));
  const drawn = (/** @type {number} */ letters) =>
    pictureOf({ prompt: "p", sides, sentence: null }, COLOURS, {
      ...room,
      size: letters,
      pitch: Math.max(pitch, letters * 1.2),
    }).texts;
  const words = drawn(size).filter(({ cell }) => cell !== undefined);
  assert.equal(words.length, long.length + row.length);
  /** @param {import("../../../../assets/pictures/drawing.js").Text} word */
  const inside = ({ x, y, text, side: number = 0 }) =>
    x >= (number ? 480 : 0) && x + widthOf(text) * size <= (number ? 960 : 480) && y <= 540 * 0.825;
  assert.ok(words.every(inside));
  assert.ok(
    size > 8 &&
      !drawn(size + 2)
        .filter(({ cell }) => cell !== undefined)
        .every(inside),
  );
  assert.ok(widthOf("漢字") > widthOf("il") * 2);
});

test("a film has at most 121 pictures", () => {
  const slow = side();
  const timed = [{ ...slow, moments: slow.moments.map((moment, i) => ({ ...moment, clock: 100 * i })) }];
  const stage = /** @type {any} */ ({ sides: timed, timed, at: () => 0 });
  assert.ok(timesOf(stage).length <= 121 && timesOf(stage, 30).length === 31);
});

test("a table says what stood where and when, and a spreadsheet takes no word for a formula", () => {
  const rows = csvOf([side({ 2: "=SUM(A1)" })], ["Diffusion"])
    .trimEnd()
    .split("\r\n");
  assert.equal(rows.length, 1 + 3 * 5);
  assert.match(rows[1] ?? "", /^Diffusion,0,start,0,0,0,given,1,one,/);
  assert.match(rows[7] ?? "", /^Diffusion,1,pass,1,1,1,written,2,'=SUM\(A1\),0\.75,/);
  assert.equal(field('a"b,c'), '"a""b,c"');
  assert.equal(field("-3"), "'-3");
  assert.equal(field(-3), "-3");
  assert.throws(() => csvOf([emptySide()], ["x"]), /no run/);
});

test("both traces become one file, sealed if both were whole", () => {
  const make = (/** @type {string} */ prompt, seal = true) => {
    const { head, canvas, pieces } = opened(4, { prompt, settings: {} });
    const first = { head, canvas, pieces };
    const row = { did: "edited", at: 1, edit: { do: "pin", cells: [1], tokens: [2] } };
    const content = `${JSON.stringify({ unmask: 2, runs: [first] })}\n${JSON.stringify(row)}\n`;
    return seal ? `${content}${JSON.stringify({ did: "sealed", sha256: sha256(content) })}\n` : content;
  };
  const both = together([make("a"), make("b")]);
  assert.equal(sealOf(both), "whole");
  assert.deepEqual(
    traceOf(both).map((events) => [events[0]?.head.prompt, events.length]),
    [
      ["a", 2],
      ["b", 2],
    ],
  );
  assert.equal(sealOf(together([make("a"), make("b", false)])), "none");
  assert.equal(sealOf(together([make("a"), make("b").replace('"prompt":"b"', '"prompt":"c"')])), "none");
  assert.equal(together([make("a")]), make("a"));
});
