import {normal} from '../chance.js';

/**
 * Distributions of trial means with the mean 1.
 * @typedef {(random: () => number, variation: number) => number} Distribution variation: standard deviation / mean
 */

/** @type {Distribution} */
export function logNormal(random, variation) {
  const sigma = Math.sqrt(Math.log(1 + variation ** 2));
  return Math.exp(sigma * normal(random) - sigma ** 2 / 2);
}

/** Uses the method of Marsaglia and Tsang, ACM Transactions on Mathematical Software 26(3), 2000. @type {Distribution} */
export function gamma(random, variation) {
  const shape = 1 / variation ** 2;
  const d = shape - 1 / 3;
  for (;;) {
    const x = normal(random);
    const v = (1 + x / Math.sqrt(9 * d)) ** 3;
    if (v > 0 && Math.log(1 - random()) < 0.5 * x ** 2 + d - d * v + d * Math.log(v)) return (d * v) / shape;
  }
}

/** A lower bound and an exponential tail, with a skewness of 2. @type {Distribution} */
export function exponentialTail(random, variation) {
  return 1 - variation - variation * Math.log(1 - random());
}

/** Two modes: one trial of ten is in the slow mode, for example with another memory layout. @type {Distribution} */
export function twoModes(random, variation) {
  const distance = variation / Math.sqrt(0.1 * 0.9);
  return 1 - 0.1 * distance + (random() < 0.1 ? distance : 0);
}
