import assert from 'node:assert/strict';
import {describe, it, test} from 'node:test';
import fc from 'fast-check';
import {groupsOf, orderOfRound, rowOfDesign, rowsOfDesign} from '../../src/battle/groups.js';
import {battleOf} from './scripted-trials.js';

/** @param {Record<string, string[]>} flags */
function sizesOf(flags) {
  const {cells, values} = battleOf({payload: ['1kb,2kb,3kb'], ...flags});
  return groupsOf(cells, values).map((group) =>
    [group[0].transport, ...group.map(({payloadBytes}) => payloadBytes / 1024)].join(' '),
  );
}

test('cells that differ in nothing but their payload size share a pair', () => {
  assert.deepEqual(sizesOf({}), ['tcp 1 2 3', 'http 1 2 3']);
  assert.deepEqual(sizesOf({'http-keep-alive': ['on,off']}), ['tcp 1 2 3', 'http 1 2 3', 'http 1 2 3']);
  assert.deepEqual(sizesOf({transport: ['tcp'], workload: ['pipeline'], window: ['1,16']}), [
    'tcp 1 2 3',
    'tcp 1 2 3',
  ]);
});

test('each cell has a pair of its own where that is asked for, and where its workload does not share one', () => {
  const apart = ['tcp 1', 'tcp 2', 'tcp 3'];
  assert.deepEqual(sizesOf({transport: ['tcp'], 'pair-per': ['cell']}), apart);
  assert.deepEqual(sizesOf({transport: ['tcp'], rate: ['100']}), apart);
  for (const workload of ['stream', 'cached'])
    assert.deepEqual(sizesOf({transport: ['tcp'], workload: [workload]}), apart, workload);
});

/** How often each pair of labels follows one another in rows. @param {readonly (readonly number[])[]} rows */
function successions(rows) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const row of rows) {
    for (const [position, label] of row.slice(1).entries()) {
      const key = `${row[position]} ${label}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts;
}

describe('a Williams design', () => {
  for (let count = 1; count <= 12; count += 1) {
    const times = count % 2 === 0 || count === 1 ? 1 : 2;

    it(`of ${count} has each once per row and ${times} × per position, and each follows each other ${times} ×`, () => {
      const rows = williamsDesign(count);
      const all = Array.from({length: count}, (_, label) => label);
      assert.equal(rows.length, count * times);
      for (const row of rows)
        assert.deepEqual(
          row.toSorted((one, other) => one - other),
          all,
        );
      for (const position of all) {
        for (const label of all) assert.equal(rows.filter((row) => row[position] === label).length, times);
      }
      const found = successions(rows);
      assert.equal(found.size, count * (count - 1));
      assert.ok([...found.values()].every((number) => number === times));
    });
  }

  it('of four is the one of the literature', () => {
    assert.deepEqual(williamsDesign(4), [
      [0, 1, 3, 2],
      [1, 2, 0, 3],
      [2, 3, 1, 0],
      [3, 0, 2, 1],
    ]);
  });
});

/** @param {number} count */
function williamsDesign(count) {
  return Array.from({length: rowsOfDesign(count)}, (_, row) => rowOfDesign(count, row));
}

/** @param {readonly number[]} lengths of groups @returns {number[][]} groups of distinct numbers */
function groupsWith(lengths) {
  let next = 0;
  return lengths.map((length) =>
    Array.from({length}, () => {
      next += 1;
      return next;
    }),
  );
}

const anyGroups = fc.array(fc.integer({min: 1, max: 7}), {minLength: 1, maxLength: 6}).map(groupsWith);

describe('the order of a round', () => {
  it('has every group once, with its cells together, and depends on seed and round alone', () => {
    fc.assert(
      fc.property(anyGroups, fc.nat(), fc.integer({min: 1, max: 50}), (groups, seed, round) => {
        const order = orderOfRound(groups, round, seed);
        assert.deepEqual(order, orderOfRound(groups, round, seed));
        const sorted = order
          .map((group) => group.toSorted((one, other) => one - other))
          .toSorted(([one], [other]) => one - other);
        assert.deepEqual(sorted, groups);
      }),
      {numRuns: 100},
    );
    const groups = groupsWith([4, 4, 4]);
    assert.notDeepEqual(orderOfRound(groups, 1, 1), orderOfRound(groups, 2, 1));
    assert.notDeepEqual(orderOfRound(groups, 1, 1), orderOfRound(groups, 1, 2));
  });

  it('lets each size follow each other equally often over the rounds of each square', () => {
    fc.assert(
      fc.property(
        fc.integer({min: 2, max: 7}),
        fc.nat(),
        fc.integer({min: 0, max: 4}),
        (length, seed, block) => {
          const rounds = williamsDesign(length).length;
          const rows = Array.from(
            {length: rounds},
            (_, index) => orderOfRound(groupsWith([length]), block * rounds + index + 1, seed)[0],
          );
          const found = successions(rows);
          assert.equal(found.size, length * (length - 1));
          assert.equal(new Set(found.values()).size, 1);
        },
      ),
      {numRuns: 100},
    );
  });

  it('gives cells that are compared the same position: the sizes of all variants have the same order', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({min: 1, max: 50}), (seed, round) => {
        const [one, other] = orderOfRound(groupsWith([4, 4]), round, seed);
        assert.deepEqual(
          one.map((number) => (number - 1) % 4),
          other.map((number) => (number - 1) % 4),
        );
      }),
      {numRuns: 50},
    );
  });

  it('differs from square to square', () => {
    const blockOf = (/** @type {number} */ block) =>
      [1, 2, 3, 4].map((round) => orderOfRound(groupsWith([4]), 4 * block + round, 1)[0]);
    assert.notDeepEqual(blockOf(0), blockOf(1));
  });

  it('of 10,000 sizes takes milliseconds, not the time and the memory of the whole square', () => {
    const groups = groupsWith([10_001, 10_001, 10_001]);
    const since = performance.now();
    const order = orderOfRound(groups, 3, 1);
    assert.ok(performance.now() - since < 3000);
    for (const group of order) assert.equal(new Set(group).size, 10_001);
  });
});
