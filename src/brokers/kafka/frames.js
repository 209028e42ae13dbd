/** The number of the request that it answers. */
const leastAnswerBytes = 4;

/** Follows the lengths that precede the answers of a broker (https://kafka.apache.org/protocol). */
export class Frames {
  /** What is left of the current answer. */
  #left = 0;
  /** The first bytes of a length that is not complete. */
  #length = 0;
  #lengthBytes = 0;

  /**
   * @param {Buffer} chunk what came next
   * @param {number} maxBytes of an answer
   * @returns {string | null} what is wrong with it, as it follows "it"
   */
  mistakeIn(chunk, maxBytes) {
    let offset = 0;
    while (offset < chunk.length) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, chunk.length - offset);
        this.#left -= taken;
        offset += taken;
        continue;
      }
      this.#length = this.#length * 256 + chunk[offset];
      this.#lengthBytes += 1;
      offset += 1;
      if (this.#lengthBytes < 4) continue;
      if (this.#length > maxBytes || this.#length < leastAnswerBytes)
        return `announced an answer of ${this.#length} bytes; ${leastAnswerBytes} to ${maxBytes} are allowed`;
      this.#left = this.#length;
      this.#length = 0;
      this.#lengthBytes = 0;
    }
    return null;
  }
}
