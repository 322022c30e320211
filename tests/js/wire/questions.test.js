// A question is answered by its number, waits while a model is opened, and is never left open.
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Questions } from "../../../assets/wire/questions.js";

test("an answer finds its question, and a refusal says why", async () => {
  /** @type {any[]} */
  const sent = [];
  const questions = new Questions((message) => sent.push(message));
  const [one, two] = [questions.ask({ do: "judge" }), questions.ask({ do: "familiar" })];
  questions.hear({ did: "familiar", id: sent[1].id, known: false });
  assert.equal(questions.hear({ did: "refused", id: sent[0].id, why: "no" }), true);
  assert.equal(questions.hear({ did: "refused", id: "another" }), false);
  assert.equal((await two)?.known, false);
  assert.equal((await one)?.why, "no");
});

test("silence is an answer after a while, but not while a model is being opened", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  /** @type {any[]} */
  const sent = [];
  const questions = new Questions((message) => sent.push(message));
  /** @type {any} */
  let answer = "none yet";
  const asking = questions.ask({ do: "familiar" }).then((event) => (answer = event));
  mock.timers.tick(5000);
  questions.hear({ did: "loading", id: sent[0].id });
  mock.timers.tick(5000);
  await Promise.resolve();
  assert.equal(answer, "none yet");
  mock.timers.tick(2000);
  await asking;
  assert.equal(answer, null);
  mock.timers.reset();
});
