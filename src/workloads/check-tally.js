/** Compares messages with the expected ones and counts the outcomes. @template Message */
export class CheckTally {
  /** @param {{check(message: Message, sequence: number, content?: number): boolean}} check throws when a message is wrong */
  constructor(check) {
    this.check = check;
    this.verified = 0;
    this.corrupted = 0;
    /** Description of the first wrong message. @type {string | null} */
    this.mismatch = null;
  }

  /** @param {Message} message @param {number} sequence @param {number} [content] see `MessageCheck` */
  take(message, sequence, content) {
    try {
      if (this.check.check(message, sequence, content)) this.verified += 1;
    } catch (error) {
      this.corrupted += 1;
      this.mismatch ??= /** @type {Error} */ (error).message;
    }
  }

  /** @param {CheckTally<Message>} other whose messages do not count otherwise */
  addErrorsOf({corrupted, mismatch}) {
    this.corrupted += corrupted;
    this.mismatch ??= mismatch;
  }
}

/** Counts replies, too. The request of each reply is known. @template Reply @extends {CheckTally<Reply>} */
export class ReplyTally extends CheckTally {
  received = 0;
  /** Replies to a request that precedes an already answered request. */
  reordered = 0;
  #highest = -1;

  /** @override @param {Reply} reply @param {number} sequence @param {number} [content] */
  take(reply, sequence, content) {
    this.received += 1;
    if (sequence < this.#highest) this.reordered += 1;
    else this.#highest = sequence;
    super.take(reply, sequence, content);
  }

  get counts() {
    const {received, reordered, verified, corrupted} = this;
    return {received, reordered, verified, corrupted};
  }
}
