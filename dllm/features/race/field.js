/** What the server knows of races: who can take part, and what is claimed of them in public. */

import { address } from "../../assets/wire/connection.js";

/** @typedef {Record<string, any>} Row */

/** Ask once, on a connection of its own.
 * @returns {Promise<{claims: Row[], rivals: Row[]}>}
 */
export function askField() {
  return new Promise((done, fail) => {
    const socket = new WebSocket(address(document.baseURI, "race"));
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
