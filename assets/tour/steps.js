/** The first minute in six steps: what to do, where, and how one sees that it has happened. Pure. */

/**
 * What a step looks at.
 * @typedef {object} View
 * @property {number} at the shown moment of the first side
 * @property {number[]} fresh cells that it wrote
 * @property {number} picked the selected cell of the first side, or -1
 * @property {boolean} open whether that cell is open
 * @property {number} passes that the run on the first side may take at most
 * @property {boolean} live
 * @property {boolean} finished
 * @property {number} pins that a person made on either side
 * @property {boolean} inside the inspector is open and knows the candidates
 * @property {string | null} facts how many facts agree, in words; empty where nobody knows, null while they are counted
 */

/** @typedef {{picked: number, at: number, pins: number, result: string}} Memory what is kept from step to step */

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {(memory: Memory) => string} text
 * @property {string} target the real control
 * @property {(view: View, memory: Memory) => string | null} done what came of it, in words; null while it has not happened
 */

const GRID = ".side[data-side='0'] .grid";

/** @type {Step[]} */
export const STEPS = [
  {
    name: "predict",
    text: () => "Grey blocks are open; the word inside is only a guess. Which one will be written next? Click it.",
    target: GRID,
    done: ({ picked, open }) => (picked >= 0 && open ? "" : null),
  },
  {
    name: "reveal",
    text: () => "Press “One pass on” and see.",
    target: ".transport .on",
    done: ({ at, fresh }, memory) => {
      if (at <= memory.at) return null;
      const many = fresh.length === 1 ? "1 word" : `${fresh.length} words`;
      return `That pass wrote ${many}, the ones it was surest of: ${fresh.includes(memory.picked) ? "yours was among them!" : "yours was not."}`;
    },
  },
  {
    name: "bold",
    text: ({ result }) => `${result} Now press “Only two passes”: a whole text in two looks.`,
    target: "#examples button:nth-of-type(3)",
    done: ({ live, finished, passes, facts }) => (live && finished && passes <= 2 ? facts : null),
  },
  {
    name: "careful",
    text: ({ result }) => `${result} Words of one pass do not know of each other. Press “Now 16 passes”.`.trim(),
    target: ".offer",
    done: ({ live, finished, passes, facts }) => (live && finished && passes > 2 ? facts : null),
  },
  {
    name: "pin",
    text: ({ result }) => `${result} Now take part: click a word, type another one and press Enter.`.trim(),
    target: GRID,
    done: ({ pins }, memory) => (pins > memory.pins ? "" : null),
  },
  {
    name: "inside",
    text: () => "Pinned: no pass may change it. Last, click any word and look at what the model weighed there.",
    target: GRID,
    done: ({ inside }) => (inside ? "" : null),
  },
];

/** What is remembered when a step begins.
 * @param {View} view
 * @param {string} result of the step before
 * @returns {Memory}
 */
export function begun(view, result) {
  return { picked: view.picked, at: view.at, pins: view.pins, result };
}
