import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {parts} from '../../torture/parts.js';

/** The short form of what `npm run torture` runs for long. */
describe('the short torture', {timeout: 900_000}, () => {
  for (const {name, summary, run} of parts) {
    it(`of ${name} (at length: ${summary})`, async (test) => {
      const {counts, failures} = await run({isLong: false, seed: 1, log: (line) => test.diagnostic(line)});
      assert.deepEqual(failures, []);
      assert.ok(Object.keys(counts).length > 0);
    });
  }
});
