/** A way round where sockets are blocked: the same messages by plain HTTP, events in one long answer, commands by POST. */

/** @typedef {import("./wire.js").Event} Event */

/**
 * Opens the long answer and returns the way to speak; messages wait until the line has a name, and go in order.
 * @param {string} base the page's own address
 * @param {(event: Event) => void} heard
 * @param {(open: boolean) => void} turned
 * @returns {(message: object) => void}
 */
export function around(base, heard, turned) {
  const url = new URL("line", base);
  const sign = new URL(base).searchParams.get("__sign"); // private Spaces
  if (sign) url.searchParams.set("__sign", sign);
  let line = "";
  /** @type {object[]} */
  let unsent = [];
  let last = Promise.resolve();
  const source = new EventSource(url);
  source.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    if (event.did !== "line") return heard(event);
    line = event.line;
    turned(true);
    for (const message of unsent.splice(0)) send(message);
  };
  source.onerror = () => {
    // the browser opens it again by itself, under another name
    line = "";
    turned(false);
  };

  /** @param {object} message */
  function send(message) {
    if (!line) {
      unsent = [...unsent, message];
      return;
    }
    const to = new URL(`line/${line}`, base);
    to.search = url.search;
    // one after another, since two requests may overtake each other
    last = last
      .then(() => fetch(to, { method: "POST", body: JSON.stringify(message) }))
      .then(
        () => undefined,
        () => turned(false),
      );
  }
  return send;
}
