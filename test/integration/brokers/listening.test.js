import assert from 'node:assert/strict';
import {once} from 'node:events';
import {createServer} from 'node:net';
import {test} from 'node:test';
import {pickPorts} from '../../../src/net/listen.js';

test('the ports of a broker are free, different, and no ephemeral ones, which a connection of another program could take while it restarts', async () => {
  const ports = await pickPorts(Array.from({length: 50}, () => '127.0.0.1'));
  assert.equal(new Set(ports).size, 50);
  for (const port of ports) {
    assert.ok(port >= 10_000 && port < 30_000, `${port}`);
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    server.close();
  }
});

test('an address that this host does not have is an error at once', async () => {
  await assert.rejects(pickPorts(['192.0.2.1']), {code: 'EADDRNOTAVAIL'});
});
