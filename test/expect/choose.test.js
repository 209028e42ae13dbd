import assert from 'node:assert/strict';
import {test} from 'node:test';
import {chooseAmong, exitCodeOfChoice} from '../../src/expect/choose.js';
import {completedRecord} from '../exports/completed-record.js';

/**
 * A transport at 2000/s.
 * @param {string} facilitator
 * @param {{p99Ms: number, ci?: [number, number], keepsUp?: boolean, suspect?: boolean, transport?: string}} figures
 * @returns {any}
 */
function at(
  facilitator,
  {p99Ms, ci = [0.9 * p99Ms, 1.1 * p99Ms], keepsUp = true, suspect = false, transport = 'http'},
) {
  const achieved = keepsUp ? 1999 : 456;
  return completedRecord({
    id: facilitator,
    transport,
    labels: {facilitator, qualifier: null, settings: ['2000/s'], persistent: '*N/A*'},
    rtt: {p99Ms, samples: 9000, ci95: {p99Ms: ci}},
    openLoop: {offeredPerSecond: 2000, achievedPerSecond: achieved, keepsUp},
    throughput: {messagesPerSecond: achieved, ci95MessagesPerSecond: [achieved - 10, achieved + 10]},
    verdict: verdictOf([...(suspect ? ['run-delay'] : []), ...(keepsUp ? [] : overload)]),
  });
}

/** What a battle says of a transport that does not keep up. */
const overload = ['not-keeping-up', 'generator-behind', 'wide'];

/** @param {readonly string[]} codes */
function verdictOf(codes) {
  const warnings = codes.map((code) => ({code, message: '', advice: ''}));
  return {status: warnings.length > 0 ? 'suspect' : 'valid', warnings};
}

test('each transport gets a sentence: first those that hold it, the fastest at the beginning; raw TCP gets none', () => {
  const records = [
    at('TCP', {p99Ms: 0.1, transport: 'tcp'}),
    at('A', {p99Ms: 12}),
    at('B', {p99Ms: 9.5}),
    at('C', {p99Ms: 4}),
    at('D', {p99Ms: 1.9}),
    at('E', {p99Ms: 900, keepsUp: false}),
    at('F', {p99Ms: 1, suspect: true}),
    at('H', {p99Ms: 9, ci: [8.9, 9.1], suspect: true}),
    at('G', {p99Ms: 800, keepsUp: false, suspect: true}),
  ];
  assert.deepEqual(
    chooseAmong({rate: 2000, p99Ms: 10}, records).map(({sentence}) => sentence),
    [
      'F holds it: p99 is 1.00 ms [0.90, 1.10]; the figure is suspect (run-delay), which only makes it worse.',
      'D holds it: p99 is 1.90 ms [1.71, 2.09].',
      'C holds it: p99 is 4.0 ms [3.6, 4.4].',
      'A does not: p99 is 12.0 ms [10.8, 13.2].',
      'E does not: rate is 456/s [446, 466].',
      'H: cannot tell; p99 is 9.00 ms [8.90, 9.10]; the figure is suspect (run-delay).',
      'B: cannot tell; p99 is 9.5 ms [8.6, 10.5]; 10ms is inside the interval; more rounds narrow it.',
      'G: cannot tell; p99 is 800 ms [720, 880]; the figure is suspect (run-delay, not-keeping-up, generator-behind).',
    ],
  );
});

test('the exit code says whether there is one that holds it', () => {
  const code = (/** @type {any[]} */ ...outcomes) =>
    exitCodeOfChoice(outcomes.map((outcome) => /** @type {any} */ ({outcome})));
  assert.deepEqual(
    [code('fails', 'holds', 'cannot tell'), code('fails'), code('fails', 'cannot tell'), code()],
    [0, 4, 5, 5],
  );
});

test('transports whose messages are not equally safe are not ranked with each other: each class has its own order', () => {
  const ofClass = (/** @type {string} */ name) => ({
    guarantee: {class: name, name, runId: '', startedAt: ''},
  });
  const records = [
    {...at('A', {p99Ms: 5}), ...ofClass('on disk')},
    {...at('B', {p99Ms: 4}), ...ofClass('in memory')},
    {...at('C', {p99Ms: 3}), ...ofClass('on disk')},
    {...at('D', {p99Ms: 2}), ...ofClass('in memory')},
  ];
  assert.deepEqual(
    chooseAmong({rate: 2000, p99Ms: 10}, records).map(({sentence}) => sentence.replace(/:.*/, '')),
    ['D [in memory] holds it', 'B [in memory] holds it', 'C [on disk] holds it', 'A [on disk] holds it'],
  );
});
