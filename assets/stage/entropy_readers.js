/** Who looks at the entropy of every cell: as long as somebody does, it comes with every pass. */

/** @typedef {import("./controller.js").Controller} Controller */

export class EntropyReaders {
  /** @type {Set<object>} */
  readers = new Set();

  /** @param {Controller} unmask */
  constructor(unmask) {
    this.unmask = unmask;
  }

  get wanted() {
    return this.readers.size > 0;
  }

  /** Somebody looks at it from now on, or no longer.
   * @param {object} reader
   * @param {boolean} looks
   */
  want(reader, looks) {
    const before = this.wanted;
    if (looks) this.readers.add(reader);
    else this.readers.delete(reader);
    const { wanted } = this;
    if (wanted === before) return;
    for (const { session, keys, n } of this.unmask.live.filter((side) => side.keys.own))
      this.unmask.connection.send({ do: "resume", session, key: keys.own, after: n, entropy: wanted });
  }
}
