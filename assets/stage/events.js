/** What follows from an event beside what it shows: for each kind a rule, called after the runs have taken it in. */

import { NOTHING } from "../wire/canvas.js";
import { WARM } from "./runs.js";

/** @typedef {import("../wire/canvas.js").Event} Event */
/** @typedef {import("../wire/canvas.js").Message} Message */
/** @typedef {import("./controller.js").Controller} Controller */
/** @typedef {(unmask: Controller, event: Event, heads: Record<string, number>) => void} Rule heads: branches before it */

const QUIET = ["peek", "step", "pause", "play", "close", "judge"]; // sent by the page, not by a person

const nothing = () => {};

/** @type {Record<Message["did"], Rule>} a kind that is forgotten here does not type-check */
const RULES = {
  opened,
  refused,
  branched: ({ branching }, event, heads) => branching.begun(event, heads),
  edited({ machine, selection, undo, steering }, event) {
    selection.settle(event.ref ?? NOTHING);
    undo.edited(event);
    if (!machine.in("undo", "restoring")) steering.edited(event);
  },
  moved: ({ undo }, event) => undo.moved(event),
  snapshot({ selection, undo }, event) {
    selection.settle(); // what was missed may hold the answers
    undo.moved(event);
  },
  peeked: ({ peeks }) => peeks.answered(),
  loading(unmask, event) {
    const { id } = event;
    const wanted = [unmask.opening, unmask.runs.pending?.request.id].includes(id) || id?.startsWith(WARM);
    if (wanted) unmask.machine.send("loading", event);
  },
  done(unmask, event) {
    if (event.failed) unmask.note(event.failed, true);
    unmask.branching.compare(event);
  },
  stepped: nothing,
  settled: nothing,
  waiting: nothing,
  compare: nothing,
  history: nothing,
  allowed: nothing,
  followers: nothing,
  planned: nothing,
  familiar: nothing,
  rule_doubt: nothing,
  nonsense: nothing,
  judged: nothing,
  beat: nothing,
};

export class Events {
  /** @param {Controller} unmask */
  constructor(unmask) {
    this.unmask = unmask;
  }

  /** @param {Event} event */
  receive(event) {
    const { unmask } = this;
    for (const listener of unmask.listeners) listener(event);
    if (event.did === "previewed" || (event.did === "refused" && event.do === "preview")) return; // of no run
    const answers = event.id !== undefined && unmask.questions.hear(event);
    unmask.runs.answered(event);
    if (
      event.did === "familiar" ||
      event.did === "rule_doubt" ||
      event.did === "nonsense" ||
      event.did === "judged" ||
      (answers && event.did === "refused")
    )
      return;
    if (event.did === "opened" && event.id !== unmask.opening) return decline(unmask, event);
    const heads = unmask.sides.find(({ session }) => session === event.session)?.heads ?? {};
    if (event.did === "opened") unmask.runs.name(event);
    unmask.apply(event);
    RULES[/** @type {Message["did"]} */ (event.did)]?.(unmask, event, heads); // what features add has none
    begin(unmask);
    unmask.steering.caughtUp();
    if (event.did === "peeked") unmask.frames.now(); // a person waits for it
  }
}

/** Show the run that has begun, once it has something to show.
 * @param {Controller} unmask
 */
function begin(unmask) {
  const sides = unmask.next?.sides;
  if (!sides || !unmask.machine.in("run", "opening")) return;
  if (sides.some(({ source, session }) => source === "live" && !session)) return;
  if (!sides.some((side) => side.moments.length > 1 || side.done || side.failed)) return;
  unmask.show(sides);
  unmask.player.move({ playing: true });
}

/** A session introduces itself: the run that was requested.
 * @param {Controller} unmask
 * @param {Event} event
 */
function opened(unmask, event) {
  const { steering } = unmask;
  const takeover = unmask.machine.kept("run", "reopening");
  unmask.machine.send("opened");
  unmask.acceptModels();
  const { name, weights } = unmask.server.opened(event);
  unmask.runs.met(event);
  const recorded = takeover?.weights[event.side];
  if (recorded && recorded !== weights) steering.startAnew(name);
  const passes = takeover?.passes[event.side] ?? 0;
  if (passes > 0) unmask.connection.send({ do: "step", passes, session: event.session });
}

/** Close a session that is not needed: a later request has replaced it, or it was opened to load the models.
 * @param {Controller} unmask
 * @param {Event} event
 */
function decline(unmask, event) {
  unmask.server.opened(event);
  if (event.id && unmask.loading?.id === event.id) unmask.machine.send("opened");
  unmask.connection.send({ do: "close", session: event.session });
}

/**
 * @param {Controller} unmask
 * @param {Event} event
 */
function refused(unmask, event) {
  unmask.undo.refused(event);
  if (event.do === "open") return event.id === unmask.opening ? unmask.refused(event) : undefined; // or opened beforehand
  if (event.do === "peek") unmask.peeks.answered();
  const unknown = event.field === "session" && ["play", "step"].includes(event.do); // closed before its first frame
  if (event.do === "resume" || unknown) return unmask.recordings.left(event.session ?? "");
  if (event.do === "pin") unmask.selection.settle(event.ref ?? undefined);
  if (event.do === "switch") unmask.machine.send("stand");
  unmask.steering.answered(event.ref);
  if (unmask.others.has(event.session) && event.ref === undefined) return; // somebody else asked for it
  if (QUIET.includes(event.do)) return;
  unmask.explain(event.why);
}
