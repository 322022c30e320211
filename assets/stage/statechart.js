/**
 * What a stage is doing, as data: regions that hold at the same time, each in one of its states.
 *
 * A state says what it `shows`, what a person may do (`allows`), what it `keeps` of the event that led to it, and where
 * each event leads. An event that a state does not list changes nothing there; `otherwise` says why.
 * `machine.js` interprets it, and docs/statechart.md is made from it: `make statechart`.
 */

/**
 * @typedef {object} State
 * @property {string} shows
 * @property {string} allows
 * @property {string} [keeps] the data of the event that led here
 * @property {[number, string]} [after] ms, and the event of the clock that comes then
 * @property {Record<string, string>} on events, and the states that they lead to
 *
 * @typedef {object} Region
 * @property {string} about
 * @property {string} first the state that a stage begins with
 * @property {Record<string, State>} states
 * @property {Record<string, string>} otherwise why an event changes nothing in the states that do not list it
 */

/** @type {Record<string, Region>} */
export const STATECHART = {
  run: {
    about: "the run that has the stage, or is on its way to it",
    first: "none",
    states: {
      none: {
        shows: "an empty page, or a recording",
        allows: "Run, an example, a file, a touch of the recording",
        on: { open: "opening", reserve: "reserved" },
      },
      reserved: {
        shows: "what none shows, without the recorded first view",
        allows: "everything: a link, the gallery or a class is about to open something",
        keeps: "who is about to open it",
        on: { open: "opening", reserve: "reserved", withdraw: "none" },
      },
      opening: {
        shows: "the run before it, and that another one is being opened",
        allows: "pause, and everything that none allows",
        keeps: "the request, with its id",
        on: {
          open: "opening",
          reserve: "reserved",
          takeOver: "reopening",
          shown: "shown",
          refused: "none",
          withdraw: "none",
        },
      },
      reopening: {
        shows: "the recording that is computed again up to the touched moment",
        allows: "pause, which leaves the recording as it was, and everything that none allows",
        keeps: "the request, and the touch that is made when it has caught up",
        on: {
          open: "opening",
          reserve: "reserved",
          otherWeights: "opening",
          shown: "shown",
          refused: "none",
          withdraw: "none",
        },
      },
      shown: {
        shows: "the run",
        allows: "everything: also edits, settings, branches",
        keeps: "the request: its second side may still be opened",
        on: { open: "opening", reserve: "reserved", refused: "none", withdraw: "none" },
      },
    },
    otherwise: {
      takeOver: "a recording is taken over right after its run is requested",
      otherWeights: "no recording is being computed again",
      shown: "no run is on its way",
      refused: "no request is waited for",
      withdraw: "no run is on its way",
    },
  },

  prompt: {
    about: "whether the model knows prompts of this kind",
    first: "free",
    states: {
      free: { shows: "nothing", allows: "Run", on: { ask: "asking" } },
      asking: {
        shows: "“Looking at the prompt …”, and the run before it, which may still be opening",
        allows: "Run, which asks again",
        keeps: "the request that opens a run if it does, and the example it belongs to",
        on: { ask: "asking", answered: "free", open: "free", withdraw: "free" },
      },
    },
    otherwise: {
      answered: "nothing was asked",
      open: "nothing is asked",
      withdraw: "nothing is asked",
    },
  },

  card: {
    about: "whether the controls say how the first model decodes",
    first: "known",
    states: {
      known: { shows: "the settings of the controls", allows: "Run with them", on: { openAsCardSays: "awaited" } },
      awaited: {
        shows: "the settings of the model before",
        allows: "Run, which begins as the card says too",
        keeps: "the id of the request",
        on: {
          openAsCardSays: "awaited",
          cardRead: "known",
          open: "known",
          refused: "known",
          withdraw: "known",
        },
      },
    },
    otherwise: {
      cardRead: "the controls follow the card of a model once",
      open: "the controls say how it decodes",
      refused: "the controls keep their settings",
      withdraw: "the controls keep their settings",
    },
  },

  slider: {
    about: "a setting that was moved after its run was over",
    first: "rests",
    states: {
      rests: { shows: "nothing", allows: "a setting is moved", on: { move: "moved" } },
      moved: {
        shows: "the new value",
        allows: "it is moved on",
        after: [250, "settled"],
        on: { move: "moved", settled: "rests", rest: "rests", open: "rests", ask: "rests", withdraw: "rests" },
      },
    },
    otherwise: {
      settled: "another event was quicker",
      rest: "nothing was moved",
      open: "nothing was moved",
      ask: "nothing was moved",
      withdraw: "nothing was moved",
    },
  },
};
