// A link: an order with its edits in an address, and what is said when it is opened.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addressFor,
  cameOut,
  differences,
  linkOf,
  openLink,
  packed,
  sentenceOf,
  snippet,
  unpacked,
} from "../../../assets/links/link.js";
import { together } from "../../../assets/links/changes_again.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened, stepped } from "../runs.js";

const SETTINGS = { policy: "threshold", options: { tau: 0.8 }, passes: 112, precision: "double", seed: 7, noise: 3 };
const DEFAULTS = { policy: "confidence", options: {}, passes: 32, precision: "single", seed: 0, noise: 0, top_p: 1 };
const HEAD = {
  prompt: "Recipe: berry pudding für vier — ‮x\n",
  settings: { ...SETTINGS, top_p: 1, end: "stop", end_after: 0, end_penalty: 5 },
  model: { name: "toy", weights: "b4b842c90d166c8ed790", number: "fp32" },
  made: { torch: "2.9.0" },
};
const PIN = { do: "pin", cells: [2], tokens: [3] };

/** @param {Record<string, any>} edit */
function run(edit = PIN, settings = HEAD.settings) {
  const canvas = { tokens: [1, 2, 3, -1, -1], kinds: "gwpoo" };
  const events = [
    opened(4, HEAD),
    stepped(1, [1], [2]),
    { did: "edited", session: "s", n: 3, at: 2, edit, canvas, settings },
    stepped(3, [3, 4], [3, 4], { open: 0, done: true, n: 4 }),
  ];
  return reduceAll(events);
}

/** @param {any[]} events */
function reduceAll(events) {
  return events.reduce((stage, event) => reduce(stage, event), { sides: [emptySide(), emptySide()] }).sides;
}

test("a link holds what the run needs, and nothing that goes without saying", () => {
  const link = linkOf(run(), ["denoiser", "twin"], DEFAULTS);
  assert.equal(link.sides.length, 1); // a side with nothing on it is left out
  const [side] = link.sides;
  assert.deepEqual(Object.keys(side?.settings ?? {}).sort(), [
    "end",
    "end_after",
    "end_penalty",
    "options",
    "passes",
    "policy",
    "precision",
    "seed",
  ]);
  assert.deepEqual([side?.model, side?.length, side?.edits, side?.at], ["denoiser", 4, [[2, PIN]], 3]);
  const message = openLink(link, ["other"], "id");
  assert.deepEqual([message.prompt, message.seed, message.sides[0]?.model], [HEAD.prompt, 7, "other"]);
  assert.deepEqual(message.sides[0]?.edits, [[2, PIN]]);
});

test("a change of settings is kept as what it changed", () => {
  const changes = { ...HEAD.settings, passes: 16, bans: undefined };
  const [side] = linkOf(run({ do: "tune", changes }, { ...HEAD.settings, passes: 16 }), ["m"], DEFAULTS).sides;
  assert.deepEqual(side?.edits, [
    [2, { do: "tune", changes: { policy: "threshold", options: { tau: 0.8 }, passes: 16 } }],
  ]);
});

test("a link comes back as it went, and is short", async () => {
  const link = linkOf(run(), ["denoiser"], DEFAULTS);
  const edits = /** @type {any} */ (
    Array.from({ length: 5 }, (_, i) => [3 * i + 1, { do: "pin", cells: [90 - 7 * i, 91], tokens: [4001 + i, 17] }])
  );
  const both = { ...link, sides: [0, 1].map(() => ({ .../** @type {any} */ (link.sides[0]), length: 96, edits })) };
  const fragment = await packed(both);
  assert.deepEqual(await unpacked(`#${fragment}`), both);
  assert.deepEqual(await unpacked(`a=b&${fragment}&c`), both);
  assert.ok(fragment.length <= 900, String(fragment.length)); // an address stands before it
  assert.match(fragment, /^run=1\.[\w.-]+$/); // nothing that a mail program would break
});

test("a link that was cut, changed, or comes from the future is refused in a sentence", async () => {
  const fragment = await packed(linkOf(run(), ["denoiser"], DEFAULTS));
  assert.equal(await unpacked("#class=abc"), null);
  assert.equal(await unpacked(""), null);
  await assert.rejects(unpacked(fragment.replace("run=1.", "run=2.")), /newer version/);
  const damaged = /damaged/;
  for (let cut = 6; cut < fragment.length; cut += 7) await assert.rejects(unpacked(fragment.slice(0, cut)), damaged);
  for (let at = 6; at < fragment.length; at += 5) {
    const letter = fragment[at] === "A" ? "B" : "A";
    const other = fragment.slice(0, at) + letter + fragment.slice(at + 1);
    const read = await unpacked(other).catch((error) => error);
    if (read instanceof Error) assert.match(read.message, damaged);
    else assert.deepEqual(read, await unpacked(fragment)); // bits behind the end of the last byte mean nothing
  }
  for (const bad of ["run=", "run=1", "run=x.y.z", "run=1.000000.%%%", "run=-1.a.b", `run=1.a.${"A".repeat(20_000)}`])
    await assert.rejects(unpacked(bad), damaged);
});

test("a link with a right check and nonsense in it is refused too", async () => {
  const link = linkOf(run(), ["denoiser"], DEFAULTS);
  /** @type {any[]} */
  const wrong = [
    { ...link, sides: [] },
    { ...link, prompt: 3 },
    { ...link, sides: [link.sides[0], link.sides[0], link.sides[0]] },
    { ...link, sides: [{ ...link.sides[0], length: 0 }] },
    { ...link, sides: [{ ...link.sides[0], settings: [] }] },
    { ...link, sides: [{ ...link.sides[0], edits: [[1, "pin"]] }] },
    { ...link, sides: [{ ...link.sides[0], edits: Array(300).fill([1, PIN]) }] },
    { ...link, sides: [{ ...link.sides[0], model: "x".repeat(999) }] },
  ];
  for (const one of wrong) await assert.rejects(unpacked(await packed(one)), /damaged/);
});

test("little that unpacks to much is not unpacked", async () => {
  const link = linkOf(run(), ["denoiser"], DEFAULTS);
  await assert.rejects(unpacked(await packed({ ...link, prompt: "a".repeat(1 << 20) })), /damaged/);
});

test("a run of which a part was missed makes no link", () => {
  const canvas = { tokens: [1, 2, 2, 3, 4], kinds: "gwwww" };
  const missed = reduceAll([opened(4, HEAD), { did: "snapshot", session: "s", n: 9, at: 5, length: 6, canvas }]);
  assert.throws(() => linkOf(missed, ["m"], DEFAULTS), /was missed/);
  assert.throws(() => linkOf([emptySide()], ["m"], DEFAULTS), /no run/);
});

test("what differs is said precisely, and so is what came of it", () => {
  const sides = run();
  const [linked] = linkOf(sides, ["m"], DEFAULTS).sides;
  assert.ok(linked && sides[0]);
  assert.deepEqual(differences(linked, HEAD), []);
  const other = {
    ...HEAD,
    model: { name: "toy", weights: "ffffffffffffff", number: "bf16" },
    made: { torch: "3.0.0" },
  };
  const found = differences(linked, other);
  assert.match(found.join(), /b4b842c90d; here toy has ffffffffff.*fp32; here bf16.*2\.9\.0; here PyTorch 3\.0\.0/);
  assert.equal(cameOut(linked, sides[0], true), true);
  assert.equal(cameOut({ ...linked, digest: "0" }, sides[0], true), false);
  assert.equal(cameOut({ ...linked, at: 9 }, sides[0], true), false); // it ended earlier
  assert.equal(cameOut({ ...linked, at: 9 }, { ...sides[0], done: false }, true), null);
  const more = { ...linked, at: 9, edits: /** @type {any} */ ([...linked.edits, [9, PIN]]) };
  assert.equal(cameOut(more, sides[0], false), null); // all is written, and an edit is still to come
  assert.equal(cameOut(more, sides[0], true), false); // it cannot be made here
  assert.match(sentenceOf([], [null, null], true), /First the text without the change, then with it\./);
  assert.match(sentenceOf([], [true, null]), /opened by a link.*written again/);
  assert.match(sentenceOf([], [true, true]), /the same, token for token/);
  assert.match(
    sentenceOf(["other weights (a; here b)"], [false]),
    /^This link was made with other weights.*differently/,
  );
});

test("changes that were made together are made together again", () => {
  const edits = /** @type {any} */ ([[2, PIN], [3, PIN], [7, PIN]]); // prettier-ignore
  assert.deepEqual(together(edits), [{ moment: 1, edits: [PIN, PIN] }, { moment: 6, edits: [PIN] }]); // prettier-ignore
});

test("an address is right in a Space's frame, and gives no signature away", () => {
  const inside = "https://owner-name.hf.space/?__sign=secret&__theme=dark#run=1.x";
  assert.equal(addressFor(inside, "owner/name", true), "https://huggingface.co/spaces/owner/name");
  assert.equal(addressFor(inside, "owner/name", false), "https://owner-name.hf.space/");
  assert.equal(addressFor("http://localhost:7860/?lang=it", "", false), "http://localhost:7860/");
  assert.equal(
    snippet("https://a.b/", "run=1.x"),
    '<iframe src="https://a.b/?embed=1&amp;hide=controls#run=1.x" title="A run of Unmask" width="100%" height="560" loading="lazy"></iframe>',
  );
});
