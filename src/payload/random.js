import {createCipheriv, createHash, randomInt} from 'node:crypto';

/** @returns {number} a random seed: an integer of at most nine digits, short enough to type again */
export function drawSeed() {
  return randomInt(1_000_000_000);
}

/**
 * Pseudo-random bytes: the AES-256-CTR key stream with the SHA-256 of the seed and a label as its key. The same seed and
 * label give the same bytes on every machine. The bytes cannot be compressed.
 * @param {number} seed @param {string} label the purpose of the bytes, so that two uses of a seed differ
 * @param {number} length in bytes
 */
export function randomBytes(seed, label, length) {
  return keyStream(seed, label).update(Buffer.alloc(length));
}

/**
 * A source of uniform numbers in [0, 1), as the resampling and shuffling of simple-statistics take it.
 * @param {number} seed @param {string} label @returns {() => number}
 */
export function randomSource(seed, label) {
  const stream = keyStream(seed, label);
  const zeros = Buffer.alloc(4096);
  let block = stream.update(zeros);
  let offset = 0;
  return () => {
    if (offset === block.length) {
      block = stream.update(zeros);
      offset = 0;
    }
    const number = block.readUInt32LE(offset) / 2 ** 32;
    offset += 4;
    return number;
  };
}

/**
 * A seed that follows from another one.
 * @param {number} seed @param {string} label @returns {number} a whole number from 0 to 2^48 - 1
 */
export function deriveSeed(seed, label) {
  return digestOf(seed, label).readUIntBE(0, 6);
}

/** @param {number} seed @param {string} label */
function keyStream(seed, label) {
  return createCipheriv('aes-256-ctr', digestOf(seed, label), Buffer.alloc(16));
}

/** @param {number} seed @param {string} label */
function digestOf(seed, label) {
  return createHash('sha256').update(`${seed}:${label}`).digest();
}
