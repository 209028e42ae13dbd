import assert from 'node:assert/strict';
import {test} from 'node:test';
import {compareSides} from '../../src/compare/compare-sides.js';
import {judgeSlowdown, withMissingTogether} from '../../src/compare/gate.js';
import {floor, record} from './records.js';

const sizes = {one: {payloadBytes: 1024}, two: {payloadBytes: 2048}, three: {payloadBytes: 3072}};
const suspect = {verdict: {status: 'suspect', warnings: []}};
const failed = {outcome: 'failed', error: {code: 'PB_RUN', message: ''}};

/** @param {any[]} olds @param {any[]} news @param {number} share */
function judge(olds, news, share) {
  return judgeSlowdown(compareSides(olds, news), share).map(({outcome, sentence}) => [outcome, sentence]);
}

test('a cell fails that is slower by at least the share; raw TCP does not', () => {
  const olds = [floor('a', 0.1), record('a', 1, sizes.one), record('a', 1, sizes.two)];
  const news = [floor('b', 0.1), record('b', 1.04, sizes.one), record('b', 1.2, sizes.two)];
  const [[outcome, sentence], ...others] = judge(olds, news, 0.05);
  assert.deepEqual(others, []);
  assert.equal(outcome, 'fails');
  assert.match(sentence, /^HTTP, 2kb: it takes 1\.2\d*× \[1\.1\d+, 1\.2\d+\] as long as before$/);
  assert.equal(judge(olds, news, 0.03).length, 2);
  assert.equal(
    judge([floor('a', 1), record('a', 1)], [floor('b', 2), record('b', 1)], 0.05)[0][0],
    'cannot tell',
  );
});

test('without one it holds, and says what the intervals may hide', () => {
  assert.deepEqual(judge([record('a', 1)], [record('b', 1.04)], 0.05), [
    [
      'holds',
      '--fail-if-slower 5%: no cell is slower by as much. The intervals reach up to 1.05×: a smaller change may be hidden',
    ],
  ]);
});

test('a cell that cannot be compared cannot be judged; one that only the new side has does not matter', () => {
  assert.deepEqual(
    judge(
      [record('a', 1, sizes.one), record('a', 1, sizes.two)],
      [
        record('b', 1, {...sizes.one, ...suspect}),
        record('b', 1, {...sizes.two, ...failed}),
        record('b', 9, sizes.three),
      ],
      0.05,
    ),
    [
      ['cannot tell', 'HTTP, 1kb: the new figure is suspect'],
      ['cannot tell', 'HTTP, 2kb: it failed on the new side'],
    ],
  );
  assert.deepEqual(judge([floor('a', 1)], [floor('b', 1), record('b', 1, sizes.two)], 0.05), [
    ['cannot tell', '--fail-if-slower 5%: the sides have no cell in common but raw TCP'],
  ]);
});

test('for people, the cells that only the old side has are one line', () => {
  const olds = [
    record('a', 1),
    ...Object.values(sizes).map((size) => record('a', 1, {...size, workload: 'x'})),
  ];
  const news = [record('b', 2)];
  const brief = withMissingTogether(judgeSlowdown(compareSides(olds, news), 0.05));
  assert.deepEqual(
    brief.map(({outcome, sentence}) => [outcome, sentence.replace(/.*it takes.*/, 'slower')]),
    [
      ['fails', 'slower'],
      ['cannot tell', '3 cells: only the old side has them'],
    ],
  );
  const single = judgeSlowdown(compareSides(olds.slice(0, 2), news), 0.05);
  assert.deepEqual(withMissingTogether(single), single);
});

test('a slowdown that only its interval shows cannot be judged', () => {
  const shape = [0.7, 1.4, 1, 0.8, 1.3];
  const [[outcome, sentence]] = judge(
    [floor('a', 0.1, {shape}), record('a', 1)],
    [floor('b', 0.1, {shape}), record('b', 1.2)],
    0.05,
  );
  assert.equal(outcome, 'cannot tell');
  assert.match(sentence, /^HTTP, .*: it takes 1\.2.* as long as before, but raw TCP may differ as much$/);
});

test('a cell that the new side lacks cannot be judged, nor one of the new side that failed', () => {
  const olds = [record('a', 1, sizes.one), record('a', 1, sizes.two)];
  assert.deepEqual(judge(olds, [record('b', 1, sizes.one)], 0.05), [
    ['cannot tell', 'HTTP, 2kb: only the old side has it'],
  ]);
  assert.deepEqual(
    judge(
      [record('a', 1, sizes.one)],
      [record('b', 1, sizes.one), record('b', 1, {...sizes.two, ...failed})],
      0.05,
    ),
    [['cannot tell', 'HTTP, 2kb: it failed on the new side']],
  );
});
