import assert from 'node:assert/strict';
import {it} from 'node:test';
import {foreignLoadFrom} from '../../src/hosts/host-cores.js';

const before = ['cpu 9 9 9 9 9 9 9 9 0 0', 'cpu0 100 0 50 1000 5 0 5 2 0 0', 'cpu1 10 0 10 9000 0 0 0 0 0 0'];

it('the load of a host is what all processes and the hypervisor used of the cores that roles may use', () => {
  const after = [
    'cpu 9 9 9 9 9 9 9 9 0 0',
    'cpu0 110 1 55 1020 9 2 7 8 0 0',
    'cpu1 10 0 10 9050 0 0 0 0 0 0',
  ];
  // Of core 0: 10 user, 1 nice, 5 system, 20 idle, 4 waiting, 2 + 2 interrupts, 6 steal; of core 1: 50 idle.
  assert.deepEqual(foreignLoadFrom(['allowed 0-1', ...before, ...after].join('\n')), {
    cores: 2,
    share: 26 / 100,
    stealShare: 6 / 100,
  });
  assert.deepEqual(foreignLoadFrom(['allowed 1', ...before, ...after].join('\n')), {
    cores: 1,
    share: 0,
    stealShare: 0,
  });
});

for (const [what, lines] of /** @type {const} */ ([
  ['nothing', []],
  ['only the first reading', ['allowed 0-1', ...before]],
  ['no cores', [...before, ...before]],
  ['no time', ['allowed 0-1', ...before, ...before]],
])) {
  it(`the load of a host that shows ${what} is not known`, () => {
    assert.equal(foreignLoadFrom(lines.join('\n')), null);
  });
}
