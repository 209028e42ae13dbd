/** Lets several wait for the next change of a state that each of them looks at itself. */
export class Changes {
  /** @type {(() => void)[]} */
  #watchers = [];

  /** Whether anything waits. */
  get isAwaited() {
    return this.#watchers.length > 0;
  }

  /** @returns {Promise<void>} resolves at the next change */
  next() {
    return new Promise((resolve) => {
      this.#watchers.push(resolve);
    });
  }

  announce() {
    for (const resolve of this.#watchers.splice(0)) resolve();
  }
}
