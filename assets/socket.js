/** One socket to the engine: opens, reconnects with patience, says what was seen last, and has a way round where sockets are blocked. */

/** @typedef {import("./wire.js").Event} Event */

const PATIENCE = 3000; // a socket that is not open by then is blocked by something between
const SLOWEST = 8000;

/**
 * @typedef {object} Ears
 * @property {(event: Event) => void} heard
 * @property {(state: "open" | "lost" | "blocked") => void} turned
 * @property {() => {session: string, token: string, after: number, entropy?: boolean}[]} seen the sessions to take up again
 * @property {typeof import("./round.js").around | null} [round] another way for the same messages
 */

/** The socket's address, from the page's own.
 * @param {string} base
 */
export function address(base) {
  const url = new URL("ws", base);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const sign = new URL(base).searchParams.get("__sign"); // private Spaces
  if (sign) url.searchParams.set("__sign", sign);
  return url.href;
}

/** How long to wait before trying again.
 * @param {number} tries
 * @param {number} luck
 */
export function pause(tries, luck = Math.random()) {
  return Math.min(SLOWEST, 250 * 2 ** tries) * (0.5 + luck / 2);
}

export class Line {
  /**
   * @param {string} url
   * @param {Ears} ears
   * @param {typeof WebSocket} [Socket]
   */
  constructor(url, ears, Socket = globalThis.WebSocket) {
    this.url = url;
    this.ears = ears;
    this.Socket = Socket;
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {((message: object) => void) | null} */
    this.other = null;
    /** @type {object[]} */
    this.unsent = [];
    this.tries = 0;
    this.everOpen = false;
    this.wanted = false;
  }

  /** @param {object} message */
  send(message) {
    if (this.other) this.other(message);
    else if (this.socket?.readyState === 1) this.socket.send(JSON.stringify(message));
    else {
      this.unsent.push(message);
      this.open();
    }
  }

  open() {
    this.wanted = true;
    if (this.socket || this.other) return;
    const socket = new this.Socket(this.url);
    this.socket = socket;
    const late = setTimeout(() => this.blocked(socket), PATIENCE);
    socket.onopen = () => {
      clearTimeout(late);
      this.tries = 0;
      this.everOpen = true;
      this.ears.turned("open");
      for (const message of this.resumes()) socket.send(JSON.stringify(message));
      for (const message of this.unsent.splice(0)) socket.send(JSON.stringify(message));
    };
    socket.onmessage = ({ data }) => this.ears.heard(JSON.parse(data));
    socket.onclose = () => {
      clearTimeout(late);
      if (this.socket !== socket) return;
      this.socket = null;
      if (!this.wanted) return;
      this.ears.turned("lost");
      setTimeout(() => this.wanted && this.open(), pause(this.tries++));
    };
  }

  /** @param {WebSocket} socket */
  blocked(socket) {
    if (this.everOpen || this.socket !== socket) return;
    this.ears.turned("blocked");
    if (!this.ears.round) return;
    this.socket = null;
    socket.close();
    const base = new URL(this.url.replace(/^ws/, "http"));
    base.pathname = base.pathname.replace(/ws$/, "");
    const send = this.ears.round(base.href, this.ears.heard, (open) => {
      this.ears.turned(open ? "open" : "lost");
      if (open) for (const message of this.resumes()) send(message);
    });
    this.other = send;
    for (const message of this.unsent.splice(0)) send(message);
  }

  /** What takes up again the sessions that were seen. */
  resumes() {
    return this.ears.seen().map((seen) => ({ do: "resume", ...seen }));
  }

  close() {
    this.wanted = false;
    this.socket?.close();
    this.socket = null;
  }
}
