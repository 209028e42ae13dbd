/** Within a block of this many requests the share of hits is exact to one request; their order is random. */
const blockLength = 100;

/** Decides which requests are hits. */
export class HitMix {
  /**
   * @param {number} hitRatio 0 to 1
   * @param {() => number} random uniform in [0, 1)
   */
  constructor(hitRatio, random) {
    this.hitRatio = hitRatio;
    this.random = random;
    this.blocks = 0;
    this.left = 0;
    this.hitsLeft = 0;
  }

  /** Starts a new block. */
  restart() {
    this.blocks = 0;
    this.left = 0;
    this.hitsLeft = 0;
  }

  /**
   * Selection sampling (Knuth, The Art of Computer Programming, volume 2, section 3.4.2, algorithm S): each remaining request of a block
   * is equally likely to be a hit.
   * @returns {boolean}
   */
  next() {
    if (this.left === 0) this.#startBlock();
    const isHit = this.random() * this.left < this.hitsLeft;
    this.left -= 1;
    if (isHit) this.hitsLeft -= 1;
    return isHit;
  }

  /** A ratio that gives no whole number of hits in one block is exact over several blocks. */
  #startBlock() {
    const perBlock = this.hitRatio * blockLength;
    const before = Math.round(this.blocks * perBlock);
    this.blocks += 1;
    this.left = blockLength;
    this.hitsLeft = Math.round(this.blocks * perBlock) - before;
  }
}
