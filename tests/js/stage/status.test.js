// A walk through the states of the page: what it says of itself is true in each.
import assert from "node:assert/strict";
import { test } from "node:test";
import { badgeOf, branchedAt, linkNotice, passSentence, progressOf, stateOf } from "../../../assets/stage/status.js";
import { modelSentence } from "../../../assets/steer/card.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened, stepped } from "../runs.js";

/** @param {any} start @param {...any} events @returns {any} */
function after(start, ...events) {
  return events.reduce(reduce, { sides: [start] }).sides[0];
}

const NONE = null;
const LOADING = { model: "denoiser" };
const finished = stepped(3, [3, 4], [3, 2], { open: 0, done: true });
const pin = {
  did: "edited",
  session: "s",
  n: 9,
  at: 4,
  edit: { do: "pin", cells: [2], tokens: [4] },
  canvas: opened().canvas,
};

test("nothing is there, and nothing is said", () => {
  const side = emptySide();
  assert.deepEqual([badgeOf(side), stateOf(side, -1, false, "open", NONE)], ["", ""]);
  assert.equal(modelSentence([side, side], ["denoiser"], NONE), "Nothing is shown yet. Press Run to open denoiser.");
});

test("a recording plays, is paused, and is at its end", () => {
  const events = [{ ...opened(), session: "replay" }, stepped(1, [1], [2]), stepped(2, [2], [2]), finished];
  const side = after(emptySide(), ...events.map((event) => ({ ...event, session: "replay" })));
  assert.equal(badgeOf(side), "replay");
  assert.equal(stateOf(side, 1, true, "open", NONE), "look 1 of 3");
  assert.equal(stateOf(side, 3, false, "open", NONE), "finished");
  assert.equal(stateOf(side, 3, false, "lost", NONE), "finished"); // a recording needs no line
});

test("a model is being opened: alone, from the network, and behind others", () => {
  assert.equal(progressOf(true, false, NONE, ["denoiser", "twin"]), "Opening denoiser and twin …");
  assert.equal(progressOf(true, false, LOADING, ["denoiser"]), "Opening denoiser …");
  assert.match(
    progressOf(true, false, { model: "x", done: 1e9, total: 4e9, seconds_left: 7 }, ["x"]),
    /25 % of 4.0 GB, about 7 s/,
  );
  assert.equal(progressOf(true, true, NONE, ["denoiser"]), "The model is working on the first look …");
  assert.equal(progressOf(false, false, NONE, ["denoiser"]), "");
  const waiting = after(after(emptySide(), opened()), { did: "waiting", session: "s", n: 2, place: 2, seconds: 3 });
  assert.equal(stateOf(waiting, 0, true, "open", NONE), "waiting");
});

test("a live run is written, paused, looked back on, lost and finished", () => {
  const side = after(emptySide(), opened(), stepped(1, [1], [2]), stepped(2, [2], [2]));
  assert.equal(badgeOf(side), "live");
  assert.equal(stateOf(side, 2, true, "open", NONE), "writing");
  assert.equal(stateOf(side, 2, false, "open", NONE), "paused");
  assert.equal(stateOf(side, 1, false, "open", NONE), "look 1 of 2");
  assert.equal(stateOf(side, 2, true, "lost", NONE), "connection lost, trying again");
  const end = after(side, finished);
  assert.equal(stateOf(end, 3, false, "open", NONE), "finished");
  assert.equal(stateOf({ ...side, failed: "no memory" }, 2, true, "open", NONE), "stopped");
});

test("an edit is no pass", () => {
  const end = after(after(emptySide(), opened(), stepped(1, [1], [2]), stepped(2, [2], [2])), finished);
  const edited = after(end, { ...pin, at: 4 });
  assert.equal(stateOf(edited, 3, false, "open", NONE), "before your last change");
  assert.equal(stateOf(edited, 1, false, "open", NONE), "look 1 of 3");
});

test("a lost server is named, and what is seen stays", () => {
  assert.equal(linkNotice("open"), "");
  assert.match(linkNotice("lost"), /connection was lost.*stays/);
  assert.match(linkNotice("blocked"), /blocks live connections/);
});

test("branches begin at passes, and slow motion names each", () => {
  const side = after(emptySide(), opened(), stepped(1, [1], [2]), stepped(2, [2], [2]));
  assert.match(branchedAt(side, 0), /^Forked at the start\. Press Play/);
  assert.match(branchedAt(side, 2), /^Forked after look 2\. Press Play/);
  assert.match(passSentence(side, 1), /Look 1: 1 token, 3 are still open/);
  assert.equal(passSentence(side, 0), "");
});
