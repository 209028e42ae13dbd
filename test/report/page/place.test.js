import assert from 'node:assert/strict';
import {test} from 'node:test';
import {captionOf, namedFacts, namedVersions} from '../../../src/report/page/place.js';
import {completedRecord} from '../../exports/completed-record.js';

test('facts of a host have names for a person, units and no more digits than they are worth', () => {
  const host = {
    ...{hostname: 'vm', cores: 2, memoryBytes: 25_276_510_208, governor: null, node: 'v20.20.2'},
    ...{
      clockReadNanos: 31.044999999494394,
      instance: {type: 't2.micro', zone: 'eu-1a', placementGroup: null},
    },
  };
  assert.deepEqual(namedFacts(host), [
    ['Host name', 'vm'],
    ['Cores for the processes', 2],
    ['Memory', '23.5 GiB'],
    ['Node.js', '20.20.2'],
    ['Time to read the clock', '31 ns'],
    ['EC2 instance', 't2.micro, eu-1a'],
  ]);
});

test('facts of another version are shown, too', () => {
  assert.deepEqual(namedFacts({fanSpeed: 0.123456789, memoryBytes: 'much', constructor: 'odd'}), [
    ['Fan speed', 0.123],
    ['Memory', 'much'],
    ['Constructor', 'odd'],
  ]);
});

test('versions have the names of programs and packages', () => {
  assert.deepEqual(namedVersions({perfBattle: '0.1.0', node: 'v22.1.0', ws: '8.23.0', erlang: null}), [
    ['perf-battle', '0.1.0'],
    ['Node.js', '22.1.0'],
    ['ws', '8.23.0'],
    ['erlang', null],
  ]);
});

test('the caption of a chart names host, Node.js, date and battle', () => {
  const records = [completedRecord({battleId: 'b1', startedAt: '2026-11-23T05:00:00.000Z'})];
  assert.equal(
    captionOf(records, {hosts: {vm: {cores: 2}}}),
    'AMD EPYC, 2 cores, local · Node.js 20.20.2 · 2026-11-23 · perf-battle b1',
  );
  assert.equal(captionOf(records, null), 'AMD EPYC, local · Node.js 20.20.2 · 2026-11-23 · perf-battle b1');
});
