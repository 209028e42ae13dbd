/** In so many requests the share of hits is exact, to one request; their order is random. */
const blockLength = 100;

/** Which requests are to be hits. */
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

  /** A block begins. */
  restart() {
    this.blocks = 0;
    this.left = 0;
    this.hitsLeft = 0;
  }

  /**
   * Selection sampling (Knuth, The Art of Computer Programming, volume 2, section 3.4.2, algorithm S): of what is left of a block each
   * request is as likely a hit as any other.
   * @returns {boolean}
   */
  next() {
    if (this.left === 0) this.#beginBlock();
    const isHit = this.random() * this.left < this.hitsLeft;
    this.left -= 1;
    if (isHit) this.hitsLeft -= 1;
    return isHit;
  }

  /** A ratio of which a block has no whole number of hits comes out over several. */
  #beginBlock() {
    const perBlock = this.hitRatio * blockLength;
    const before = Math.round(this.blocks * perBlock);
    this.blocks += 1;
    this.left = blockLength;
    this.hitsLeft = Math.round(this.blocks * perBlock) - before;
  }
}
