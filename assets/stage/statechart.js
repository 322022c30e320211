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
 * @property {string | Record<string, string>} otherwise why an event changes nothing in the states that do not list it
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
    otherwise: "no prompt is looked at",
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
        on: { openAsCardSays: "awaited", cardRead: "known", open: "known", refused: "known", withdraw: "known" },
      },
    },
    otherwise: "the controls say how it decodes",
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
    otherwise: "nothing was moved, or another event was quicker",
  },

  model: {
    about: "a model that the server opens for a request",
    first: "there",
    states: {
      there: { shows: "nothing", allows: "Run", on: { loading: "loading" } },
      loading: {
        shows: "its name, what is fetched and how long it takes",
        allows: "Run, another model",
        keeps: "the server's message",
        on: {
          loading: "loading",
          opened: "there",
          open: "there",
          answered: "there",
          refused: "there",
          withdraw: "there",
        },
      },
    },
    otherwise: "no model is being opened",
  },

  edit: {
    about: "a change for which the run goes back",
    first: "none",
    states: {
      none: { shows: "nothing", allows: "every edit", on: { change: "changing" } },
      changing: {
        shows: "the words that the change does not touch, and how many looks are kept",
        allows: "every edit: the server takes one after another",
        keeps: "the number of the request, its side, and the looks that are kept",
        on: {
          change: "changing",
          changed: "none",
          open: "none",
          refused: "none",
          withdraw: "none",
          gone: "none",
          lost: "none",
        },
      },
    },
    otherwise: "no change is on its way",
  },

  undo: {
    about: "a version of the run that the server brings back",
    first: "free",
    states: {
      free: { shows: "the run", allows: "Undo and Redo", on: { restore: "restoring" } },
      restoring: {
        shows: "the run as far as the server has brought it back",
        allows: "Undo and Redo again, edits, Run",
        keeps: "the version, and the sessions that are awaited",
        on: { restore: "restoring", restored: "free", open: "free", withdraw: "free", gone: "free", lost: "free" },
      },
    },
    otherwise: "nothing is brought back",
  },

  branch: {
    about: "what follows once the run is on another branch",
    first: "rests",
    states: {
      rests: {
        shows: "the newest branch, paused, and where it begins",
        allows: "play",
        on: { goOn: "goesOn", touch: "switching" },
      },
      goesOn: {
        shows: "the run until its branch is there, which then plays by itself",
        allows: "everything",
        on: { stand: "rests", branched: "rests", touch: "switching", open: "rests", withdraw: "rests", gone: "rests" },
      },
      switching: {
        shows: "the branch that is raced",
        allows: "everything",
        keeps: "the name of the branch, and the touch that is made there",
        on: { goOn: "goesOn", stand: "rests", touch: "switching", open: "rests", withdraw: "rests", gone: "rests" },
      },
    },
    otherwise: "nothing is to follow, or another branch than this is awaited",
  },

  connection: {
    about: "the line to the server",
    first: "open",
    states: {
      open: { shows: "nothing", allows: "everything", on: { lost: "lost", blocked: "blocked" } },
      lost: {
        shows: "that the connection was lost, and that it is tried again",
        allows: "to look at what is here; what is pressed is sent later",
        on: { connected: "open", blocked: "blocked" },
      },
      blocked: {
        shows: "that another way to the server is tried",
        allows: "everything",
        on: { connected: "open", lost: "lost" },
      },
    },
    otherwise: "the line is in that state already",
  },

  press: {
    about: "Run was pressed, and nothing has come of it yet",
    first: "free",
    states: {
      free: { shows: "nothing", allows: "Run", on: { press: "pressed" } },
      pressed: {
        shows: "that a run is on its way",
        allows: "Run",
        on: { press: "pressed", open: "free", ask: "free", explain: "free", withdraw: "free" },
      },
    },
    otherwise: "it was not pressed",
  },
};
