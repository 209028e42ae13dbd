import assert from 'node:assert/strict';
import {it} from 'node:test';
import fc from 'fast-check';
import {formatCores, parseCores} from '../../src/measure/cores.js';

/** @type {[string, number[] | undefined, string?][]} */
const lists = [
  ['0', [0]],
  ['0,1', [0, 1], '0-1'],
  ['0-3', [0, 1, 2, 3]],
  ['7,0-2', [0, 1, 2, 7], '0-2,7'],
  ['3,3', [3], '3'],
  ['0-1\n', [0, 1], '0-1'],
  ['', undefined],
  ['1-', undefined],
  ['3-1', undefined],
  ['-1', undefined],
  ['0,,1', undefined],
  ['a', undefined],
  ['0-8192', undefined],
];
for (const [text, cores, formatted = text] of lists) {
  it(`a list of cores ${JSON.stringify(text)} is ${JSON.stringify(cores) ?? 'none'}`, () => {
    assert.deepEqual(parseCores(text), cores);
    if (cores) assert.equal(formatCores(cores), formatted);
  });
}

it('any list of cores is read back as it was written', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({min: 0, max: 300}), {minLength: 1}), (some) => {
      const cores = some.toSorted((one, other) => one - other);
      assert.deepEqual(parseCores(formatCores(cores)), cores);
    }),
  );
});
