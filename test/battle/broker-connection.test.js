import assert from 'node:assert/strict';
import {test} from 'node:test';
import {connectionFor} from '../../src/battle/broker-connection.js';
import {completeConnection} from '../../src/transports/rabbitmq/url.js';

const connections = [5001, 5002, 5003].map((port) => completeConnection({port}));

test('roles take turns with the nodes of a cluster', () => {
  const ports = Array.from({length: 7}, (_, index) => connectionFor({connections}, index)?.port);
  assert.deepEqual(ports, [5001, 5002, 5003, 5001, 5002, 5003, 5001]);
});

test('all roles connect to the one node there is, and to none without a broker', () => {
  const [first] = connections;
  assert.equal(connectionFor({connections: [first]}, 4), first);
  assert.equal(connectionFor(null, 0), null);
});
