/** The fallback where sockets are blocked: the same messages by plain HTTP, events in one long answer, commands by POST. */

import { here } from "./here.js";

/** @typedef {import("./canvas.js").Event} Event */

/**
 * Opens the long answer and returns the way to speak; messages wait until the line has its id, and go in order.
 * @param {string} base the page's own address
 * @param {(event: Event) => void} onEvent
 * @param {(open: boolean) => void} onState
 * @returns {(message: object) => void}
 */
export function fallback(base, onEvent, onState) {
  const url = here("line", base);
  let line = "";
  /** @type {object[]} */
  let unsent = [];
  let last = Promise.resolve();
  const source = new EventSource(url);
  source.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    if (event.did !== "line") return onEvent(event);
    line = event.line;
    onState(true);
    for (const message of unsent.splice(0)) send(message);
  };
  source.onerror = () => {
    // the browser opens it again by itself, under another name
    line = "";
    onState(false);
  };

  /** @param {object} message */
  function send(message) {
    if (!line) {
      const id = "id" in message ? message.id : null; // what waits already is not sent twice
      if (id === null || !unsent.some((one) => "id" in one && one.id === id)) unsent = [...unsent, message];
      return;
    }
    const to = new URL(`line/${line}`, base);
    to.search = url.search;
    // one after another, since two requests may overtake each other
    last = last
      .then(() => fetch(to, { method: "POST", body: JSON.stringify(message) }))
      .then(
        () => undefined,
        () => onState(false),
      );
  }
  return send;
}
