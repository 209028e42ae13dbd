import {afterEach, beforeEach} from 'node:test';
import {Workplace} from './workplace.js';

/**
 * A new workplace for each test of a suite whose tests run one after the other; call it within `describe`.
 * @returns {() => Workplace}
 */
export function eachInAWorkplace() {
  /** @type {Workplace} */
  let workplace;
  beforeEach(async () => {
    workplace = await Workplace.make();
  });
  afterEach(() => workplace.clear());
  return () => workplace;
}

/**
 * For tests that run concurrently.
 * @param {(workplace: Workplace) => Promise<void>} test
 * @returns {() => Promise<void>}
 */
export function inAWorkplace(test) {
  return async () => {
    const workplace = await Workplace.make();
    try {
      await test(workplace);
    } finally {
      await workplace.clear();
    }
  };
}
