/** What the server knows of races: who can take part, and what is claimed of them in public. */

/** @typedef {Record<string, any>} Row */

/** The address of the race's socket, from the page's own.
 * @param {string} base
 */
export function raceAddress(base) {
  const url = new URL("race", base);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const sign = new URL(base).searchParams.get("__sign"); // private Spaces
  if (sign) url.searchParams.set("__sign", sign);
  return url.href;
}

/** Ask once, on a connection of its own.
 * @returns {Promise<{claims: Row[], rivals: Row[]}>}
 */
export function askField() {
  return new Promise((done, fail) => {
    const socket = new WebSocket(raceAddress(document.baseURI));
    socket.onopen = () => socket.send(JSON.stringify({ do: "field" }));
    socket.onmessage = (message) => {
      const { did, claims, rivals } = JSON.parse(message.data);
      if (did !== "field") return;
      done({ claims, rivals });
      socket.close();
    };
    socket.onclose = () => fail(new Error("closed"));
  });
}
