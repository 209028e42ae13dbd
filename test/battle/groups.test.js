import assert from 'node:assert/strict';
import {test} from 'node:test';
import {groupsOf} from '../../src/battle/groups.js';
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
