// The line to the engine: it keeps what could not be sent, comes back with patience, and has a fallback.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Connection, address, pause } from "../../../assets/wire/connection.js";

class FakeSocket {
  /** @type {FakeSocket[]} */
  static all = [];
  readyState = 0;
  /** @type {any[]} */
  sent = [];
  /** @type {any} */
  onopen;
  /** @type {any} */
  onclose;
  /** @type {any} */
  onmessage;
  /** @param {string} url */
  constructor(url) {
    this.url = url;
    FakeSocket.all.push(this);
  }
  /** @param {string} text */
  send(text) {
    this.sent.push(JSON.parse(text));
  }
  open() {
    this.readyState = 1;
    this.onopen();
  }
  close() {
    this.readyState = 3;
    this.onclose();
  }
}

/** @param {any} t */
function line(t, more = {}) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  FakeSocket.all = [];
  /** @type {string[]} */
  const turns = [];
  const listener = {
    onEvent: () => {},
    onState: (/** @type {string} */ s) => turns.push(s),
    resumes: () => [{ session: "s", key: "t", after: 7 }],
    ...more,
  };
  return {
    made: new Connection("ws://here/ws", /** @type {any} */ (listener), /** @type {any} */ (FakeSocket)),
    turns,
  };
}

test("the address is the page's own, signed if the page is", () => {
  assert.equal(address("http://127.0.0.1:7860/"), "ws://127.0.0.1:7860/ws");
  assert.equal(address("https://a.hf.space/app/?__sign=x"), "wss://a.hf.space/app/ws?__sign=x");
});

test("what is sent before the line is open is sent when it is", (t) => {
  const { made } = line(t);
  made.send({ do: "open" });
  const [socket] = FakeSocket.all;
  socket?.open();
  assert.deepEqual(socket?.sent, [{ do: "resume", session: "s", key: "t", after: 7 }, { do: "open" }]);
});

test("a lost line comes back and says what it saw last", (t) => {
  const { made, turns } = line(t);
  made.open();
  FakeSocket.all[0]?.open();
  FakeSocket.all[0]?.close();
  assert.deepEqual(turns, ["open", "lost"]);
  t.mock.timers.tick(300);
  assert.equal(FakeSocket.all.length, 2);
  FakeSocket.all[1]?.open();
  assert.equal(FakeSocket.all[1]?.sent[0].after, 7);
  assert.ok(pause(0, 1) <= 250 && pause(9, 1) <= 8000);
});

test("a request that may be lost is sent once more when the line is back", (t) => {
  const { made } = line(t);
  made.open();
  FakeSocket.all[0]?.open();
  FakeSocket.all[0]?.close();
  made.again({ id: "a" });
  made.again({ id: "a" });
  assert.equal(FakeSocket.all.length, 1); // it waits for the next try
  t.mock.timers.tick(300);
  FakeSocket.all[1]?.open();
  assert.deepEqual(FakeSocket.all[1]?.sent.slice(1), [{ id: "a" }]);
});

test("where sockets are blocked the same messages go another way after three seconds", async (t) => {
  /** @type {object[]} */
  const detour = [];
  const send = (/** @type {object} */ message) => detour.push(message);
  const { made, turns } = line(t, { fallback: async () => () => send }); // its script is loaded when it is needed
  made.send({ do: "open" });
  t.mock.timers.tick(3000);
  made.send({ do: "play" });
  await Promise.resolve();
  await Promise.resolve();
  assert.deepEqual([turns, detour], [["blocked"], [{ do: "open" }, { do: "play" }]]);
});

test("who leaves a session sends it nothing more but that", (t) => {
  const { made } = line(t);
  made.send({ do: "pin", session: "old" });
  made.send({ do: "judge" });
  made.end("old");
  FakeSocket.all[0]?.open();
  assert.deepEqual(FakeSocket.all[0]?.sent.slice(1), [{ do: "judge" }, { do: "close", session: "old" }]);
});
