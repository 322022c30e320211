/** The connection to the engine: a socket that reconnects and resumes, or a fallback where sockets are blocked. */

import { here } from "./here.js";

/** @typedef {import("./canvas.js").Event} Event */

const PATIENCE = 3000; // a socket that is not open by then is blocked by something between
const SLOWEST = 8000;

/**
 * @typedef {object} Listener
 * @property {(event: Event) => void} onEvent
 * @property {(state: "open" | "lost" | "blocked") => void} onState
 * @property {() => {session: string, key: string, after: number, entropy?: boolean}[]} resumes the sessions to take up again
 * @property {(() => Promise<typeof import("./fallback.js").fallback>) | null} [fallback] another way for the same messages
 */

/** A socket's address, from the page's own.
 * @param {string} base
 * @param {string} [path]
 */
export function address(base, path = "ws") {
  const url = here(path, base);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}

/** How long to wait before trying again.
 * @param {number} tries
 * @param {number} luck
 */
export function pause(tries, luck = Math.random()) {
  return Math.min(SLOWEST, 250 * 2 ** tries) * (0.5 + luck / 2);
}

export class Connection {
  /**
   * @param {string} url
   * @param {Listener} listener
   * @param {typeof WebSocket} [Socket]
   */
  constructor(url, listener, Socket = globalThis.WebSocket) {
    this.url = url;
    this.listener = listener;
    this.Socket = Socket;
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {((message: object) => void) | null} */
    this.detour = null;
    /** @type {object[]} */
    this.unsent = [];
    this.tries = 0;
    this.everOpen = false;
    this.wanted = false;
  }

  /** @param {object} message */
  send(message) {
    if (this.detour) this.detour(message);
    else if (this.socket?.readyState === 1) this.socket.send(JSON.stringify(message));
    else {
      this.unsent.push(message);
      this.open();
    }
  }

  /** Send a message once more when the connection is there again: the server may not have received it.
   * @param {{id: string}} message
   */
  again(message) {
    if (this.detour) this.detour(message);
    else if (!this.unsent.some((one) => "id" in one && one.id === message.id)) this.unsent.push(message);
  }

  /** Leave a session; what still waits to be sent to it would be refused, and is not sent.
   * @param {string} session
   */
  end(session) {
    this.unsent = this.unsent.filter((message) => !("session" in message && message.session === session));
    this.send({ do: "close", session });
  }

  open() {
    this.wanted = true;
    if (this.socket || this.detour) return;
    const socket = new this.Socket(this.url);
    this.socket = socket;
    const late = setTimeout(() => void this.blocked(socket), PATIENCE);
    socket.onopen = () => {
      clearTimeout(late);
      this.tries = 0;
      this.everOpen = true;
      this.listener.onState("open");
      for (const message of this.resumes()) socket.send(JSON.stringify(message));
      for (const message of this.unsent.splice(0)) socket.send(JSON.stringify(message));
    };
    socket.onmessage = ({ data }) => this.listener.onEvent(JSON.parse(data));
    socket.onclose = () => {
      clearTimeout(late);
      if (this.socket !== socket) return;
      this.socket = null;
      if (!this.wanted) return;
      this.listener.onState("lost");
      setTimeout(() => this.wanted && this.open(), pause(this.tries++));
    };
  }

  /** @param {WebSocket} socket */
  async blocked(socket) {
    if (this.everOpen || this.socket !== socket) return;
    this.listener.onState("blocked");
    const fallback = await this.listener.fallback?.();
    if (!fallback || this.everOpen || this.socket !== socket) return;
    this.socket = null;
    socket.close();
    const base = new URL(this.url.replace(/^ws/, "http"));
    base.pathname = base.pathname.replace(/ws$/, "");
    const send = fallback(base.href, this.listener.onEvent, (open) => {
      this.listener.onState(open ? "open" : "lost");
      if (open) for (const message of this.resumes()) send(message);
    });
    this.detour = send;
    for (const message of this.unsent.splice(0)) send(message);
  }

  /** The messages that resume the sessions of this page. */
  resumes() {
    return this.listener.resumes().map((session) => ({ do: "resume", ...session }));
  }

  close() {
    this.wanted = false;
    this.socket?.close();
    this.socket = null;
  }
}
