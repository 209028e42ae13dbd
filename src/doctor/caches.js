import {performance} from 'node:perf_hooks';
import {medianOf} from '../measure/recorder.js';

/** @import {CacheFacts} from './types.js' */

/** Fits into the level 2 cache of any processor that runs servers, beside what else is in use. */
const bytes = 256 * 1024;
const lineBytes = 64;
const lines = bytes / lineBytes;
const wordsOfLine = lineBytes / Int32Array.BYTES_PER_ELEMENT;

/** How often memory is read, and the pause in between: longer than a busy neighbour needs to evict it, and shorter than a slice. */
const tries = 60;
const pauseMs = 10;
/** A line comes from a cache of level 2 or 3 within 5 to 40 ns, and from memory after 70 ns or more. */
const evictedNs = 50;

/**
 * Reads the same memory again and again. In between, this process only waits for the time to pass. What was evicted meanwhile had to make room for another
 * program. On a virtual machine it may be one of another machine that shares the core or its caches, which the operating system does not see.
 * @returns {CacheFacts} after a little more than half a second
 */
export function readCaches() {
  const chain = makeChain();
  // The first reads run uncompiled code.
  for (let turn = 0; turn < 20; turn += 1) walk(chain);
  const nsOfTries = Array.from({length: tries}, () => {
    spin(pauseMs);
    const before = performance.now();
    walk(chain);
    return ((performance.now() - before) * 1e6) / lines;
  });
  return summarizeTries(nsOfTries);
}

/** @param {readonly number[]} nsOfTries for each line @returns {CacheFacts} */
export function summarizeTries(nsOfTries) {
  return {
    tries: nsOfTries.length,
    evicted: nsOfTries.filter((ns) => ns > evictedNs).length,
    bestNs: Math.min(...nsOfTries),
    medianNs: medianOf(nsOfTries),
  };
}

/**
 * Returns the lines in an order that the processor cannot foresee, each with the place of the next. A linear congruential generator visits all numbers
 * below a power of two once if its factor is one more than a multiple of four and its summand is odd (Hull and Dobell, "Random Number Generators", 1962).
 */
function makeChain() {
  const chain = new Int32Array(lines * wordsOfLine);
  for (let line = 0; line < lines; line += 1)
    chain[line * wordsOfLine] = ((line * 1229 + 2531) % lines) * wordsOfLine;
  return chain;
}

/** @param {Int32Array} chain @returns {number} the place of the first line again */
function walk(chain) {
  let place = 0;
  for (let line = 0; line < lines; line += 1) place = chain[place];
  return place;
}

/** @param {number} ms */
function spin(ms) {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}
