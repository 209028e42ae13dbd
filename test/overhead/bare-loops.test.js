import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {test} from 'node:test';
import {transportNamed, transportsOfGroup} from '../../src/transports/index.js';

test('each transport has a bare loop for each of its broker kinds', () => {
  const loops = (transportsOfGroup('all') ?? []).flatMap((transport) => {
    const {broker, brokers = []} = transportNamed(transport);
    const others = brokers.filter((kind) => kind !== broker);
    return [transport, ...others.map((kind) => `${transport}-${kind}`)];
  });
  assert.ok(loops.includes('mqtt-rabbitmq'));
  const missing = loops.filter(
    (name) => !existsSync(new URL(`../../overhead/bare/${name}.js`, import.meta.url)),
  );
  assert.deepEqual(missing, []);
});
