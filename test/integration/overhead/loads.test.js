import assert from 'node:assert/strict';
import {once} from 'node:events';
import {availableParallelism} from 'node:os';
import {it} from 'node:test';
import {end, startLoads} from '../../../overhead/verdict/battles.js';

it('there is a load for each core, which ends when it is told, or with its standard input', async () => {
  const loads = startLoads('bursts');
  assert.equal(loads.length, availableParallelism());
  await Promise.all(loads.map(end));
  assert.deepEqual(
    loads.map(({signalCode}) => signalCode),
    loads.map(() => 'SIGTERM'),
  );

  const others = startLoads('steady');
  const exits = others.map((child) => once(child, 'exit'));
  for (const {stdin} of others) stdin?.end();
  for (const [code] of await Promise.all(exits)) assert.equal(code, 0);
});
