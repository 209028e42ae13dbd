/** How far a log of messages was dealt with. A consumer of a log stores that, and not each message. */
export class Progress {
  /** In the order of their delivery. @type {{offset: bigint, isDone: boolean}[]} */
  #open = [];

  /** @param {bigint} next the offset of the first message that was not dealt with */
  constructor(next) {
    this.next = next;
  }

  /**
   * A message was delivered.
   * @param {bigint} offset
   * @returns {() => bigint} to be called when it was dealt with; the offset of the first message that was not
   */
  deliver(offset) {
    const message = {offset, isDone: false};
    this.#open.push(message);
    return () => {
      message.isDone = true;
      const open = this.#open.findIndex(({isDone}) => !isDone);
      const last = this.#open.splice(0, open === -1 ? this.#open.length : open).at(-1);
      if (last) this.next = last.offset + 1n;
      return this.next;
    };
  }
}
