import assert from 'node:assert/strict';
import {test} from 'node:test';
import {
  formatBriefRatio,
  formatCpu,
  formatRate,
  formatRateMean,
  formatStanding,
} from '../../src/columns/figures.js';

/** @import {Ratio} from '../../src/columns/column.js' */

test('a rate has the digits that it needs', () => {
  const shown = [123456.7, 100, 99.96, 2.04, 1, 0.125, 0.05, 0.0300000001, 0.000016, 0].map(formatRate);
  assert.deepEqual(shown, [
    '123457',
    '100',
    '100.0',
    '2.0',
    '1.0',
    '0.125',
    '0.05',
    '0.03',
    '0.000016',
    '0.0',
  ]);
});

test('a rate and its interval have the digits that the interval justifies', () => {
  const mean = (/** @type {number} */ value, /** @type {number} */ half) =>
    formatRateMean({messagesPerSecond: value, ci95MessagesPerSecond: [value - half, value + half / 2]});
  assert.equal(mean(1763, 45.2), '1760 ± 50');
  assert.equal(mean(1763, 0.53), '1763 ± 1');
  assert.equal(mean(0.125, 0.004), '0.125 ± 0.004');
  assert.equal(mean(2, 30), '2.0 [-28, 17]');
  assert.equal(mean(0, 0), '0 ± 0');
});

/** @type {Ratio['verdict']} */
const suspect = {status: 'suspect'};

test('a brief ratio has the digits of the long one, and the upper end where no difference was shown', () => {
  /** @type {[Parameters<typeof formatStanding>[0], brief: string, long: string][]} */
  const cases = [
    [{ratio: 3.6, ratioCi95: [3.46, 3.74]}, '3.60×', '3.60× [3.46, 3.74]'],
    [{ratio: 12, ratioCi95: [4.2, 34], verdict: suspect}, '12×?', '12× [4.2, 34] ?'],
    [{ratio: 1.3, ratioCi95: [0.68, 2.4]}, '≤2.4×', 'no diff. shown'],
    [{ratio: 1.3, ratioCi95: [0.68, 2.4], verdict: suspect}, '≤2.4×?', 'no diff. shown ?'],
    [{ratio: 1.01, ratioCi95: [1.005, 1.015]}, '≤1.01×', 'no diff. shown'],
    [{ratio: 0.8, ratioCi95: [0.77, 0.83]}, '0.80×', '0.80× [0.77, 0.83]'],
    [{ratio: 1, ratioCi95: [1, 1]}, '1.00×', '1.00×'],
    [{ratio: 3.43}, '3.43×', '3.43×'],
    ['fastest', 'fastest', 'fastest'],
    [null, 'n/a', 'n/a'],
  ];
  for (const [standing, brief, long] of cases)
    assert.deepEqual([formatBriefRatio(standing), formatStanding(standing)], [brief, long]);
});

test('CPU per message is a lower bound where the CPU of a role is unknown, and not where there is no such role', () => {
  const known = {microsPerMessage: 100};
  /** @param {Record<string, unknown>} record */
  const cpu = (record) => formatCpu(/** @type {any} */ (record));
  const all = {client: known, server: known, broker: known};
  const [noBroker, withBroker] = [{broker: null}, {broker: 'alpha'}];
  assert.equal(cpu({cpu: {...all, broker: null}, hosts: noBroker, variant: {servers: 1}}), '200');
  assert.equal(cpu({cpu: {...all, broker: null}, hosts: withBroker, variant: {servers: 1}}), '≥ 200');
  assert.equal(cpu({cpu: {...all, client: null}, hosts: noBroker, variant: {servers: 1}}), '≥ 100');
  assert.equal(cpu({cpu: {...all, server: null}, hosts: withBroker, variant: {servers: 1}}), '≥ 200');
  assert.equal(cpu({cpu: {...all, server: null}, hosts: withBroker, variant: {}}), '200');
  const inClient = {client: known, server: null, broker: null, serverInClient: true};
  assert.equal(cpu({cpu: inClient, hosts: noBroker, variant: {servers: 1}}), '100');
});

test('CPU per message is no lower bound where a role handled no message', () => {
  const idle = {microsPerMessage: null};
  const cpu = (/** @type {object} */ roles) =>
    formatCpu(
      /** @type {any} */ ({cpu: {broker: null, ...roles}, hosts: {broker: null}, variant: {servers: 1}}),
    );
  assert.equal(cpu({client: {microsPerMessage: 100}, server: idle}), '100');
  assert.equal(cpu({client: idle, server: idle}), 'n/a');
});
