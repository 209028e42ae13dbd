import {createCipheriv, createHash, randomInt} from 'node:crypto';

/** @returns {number} a random integer of at most nine digits, short enough to type */
export function drawSeed() {
  return randomInt(1_000_000_000);
}

/**
 * Pseudo-random bytes: the AES-256-CTR key stream whose key is the SHA-256 of the seed and a label. The same seed and label
 * give the same bytes on every machine. The bytes cannot be compressed.
 * @param {number} seed @param {string} label the purpose of the bytes: different purposes get different bytes
 * @param {number} length in bytes
 */
export function randomBytes(seed, label, length) {
  return keyStream(seed, label).update(Buffer.alloc(length));
}

/**
 * A source of uniform numbers in [0, 1), for the resampling and shuffling of simple-statistics.
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
 * Derives a seed from another seed.
 * @param {number} seed @param {string} label @returns {number} an integer from 0 to 2^48 - 1
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
