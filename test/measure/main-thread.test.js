import assert from 'node:assert/strict';
import {it} from 'node:test';
import {readMainThread} from '../../src/measure/cores.js';

/** @param {Record<string, string>} files */
const readFrom = (files) => readMainThread((path) => files[path] ?? null);

it('the scheduler reports the CPU time, the run delay and the migrations of the main thread', () => {
  const files = {
    '/proc/self/schedstat': '1500000 250000 12\n',
    '/proc/self/sched':
      'node (7, #threads: 7)\n-----\nse.exec_start : 1.5\nse.nr_migrations                             :                    3\nnr_switches : 20\n',
  };
  assert.deepEqual(readFrom(files), {cpuMs: 1.5, runDelayMs: 0.25, wakeUps: 12, migrations: 3});
});

it('what the scheduler does not report is not known, rather than 0', () => {
  assert.deepEqual(readFrom({}), {cpuMs: null, runDelayMs: null, wakeUps: null, migrations: null});
  assert.deepEqual(readFrom({'/proc/self/schedstat': '1000000 0 1\n', '/proc/self/sched': 'node\n'}), {
    cpuMs: 1,
    runDelayMs: 0,
    wakeUps: 1,
    migrations: null,
  });
});
