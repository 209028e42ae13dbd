/**
 * Events in the order in which they happened. Each reader gets all of them, also those from before it began to read.
 * @template Event
 */
export class EventLog {
  /** @type {Event[]} */
  #events = [];
  #hasEnded = false;
  /** Readers that wait for something new. @type {(() => void)[]} */
  #waiting = [];

  /** @param {Event} event */
  push(event) {
    this.#events.push(event);
    this.#wake();
  }

  /** No event follows. */
  end() {
    this.#hasEnded = true;
    this.#wake();
  }

  /** @returns {AsyncGenerator<Event, void, void>} */
  async *read() {
    for (let next = 0; ; next += 1) {
      while (next >= this.#events.length) {
        if (this.#hasEnded) return;
        await /** @type {Promise<void>} */ (new Promise((resolve) => this.#waiting.push(resolve)));
      }
      yield this.#events[next];
    }
  }

  #wake() {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
