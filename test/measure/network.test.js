import assert from 'node:assert/strict';
import {test} from 'node:test';
import {loopbackAddress, networkBetween, parseNetwork} from '../../src/measure/network.js';

const dev = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 9000000   1000    0    0    0     0          0         0  9000000   1000    0    0    0     0       0          0
  eth0:  500     10    0    0    0     0          0         0   700      12    0    0    0     0       0          0
eth1:30 1 0 0 0 0 0 0 40 1 0 0 0 0 0 0
`;
const snmp = `Ip: Forwarding DefaultTTL
Ip: 2 64
Tcp: RtoAlgorithm RtoMin MaxConn ActiveOpens RetransSegs InErrs
Tcp: 1 200 -1 5 17 0
`;

test('bytes are those of all interfaces but the loopback interface; retransmitted segments are those of TCP', () => {
  assert.deepEqual(parseNetwork(dev, snmp), {receivedBytes: 530, sentBytes: 740, tcpRetransmits: 17});
});

test('what the system does not offer is null, not 0', () => {
  assert.equal(parseNetwork(null, snmp), null);
  for (const other of [null, '', 'Tcp: RtoMin\nTcp: 200\n', 'Tcp: RetransSegs\n'])
    assert.equal(parseNetwork(dev, other)?.tcpRetransmits, null);
});

test('between two readings there are the differences, and null where one of them is', () => {
  const before = {sentBytes: 10, receivedBytes: 20, tcpRetransmits: 1};
  const after = {sentBytes: 15, receivedBytes: 120, tcpRetransmits: 4};
  assert.deepEqual(networkBetween(before, after), {sentBytes: 5, receivedBytes: 100, tcpRetransmits: 3});
  assert.equal(networkBetween({...before, tcpRetransmits: null}, after)?.tcpRetransmits, null);
  assert.equal(networkBetween(null, after), null);
});

for (const [own, expected] of /** @type {[string[], string][]} */ ([
  [['127.0.0.1', '::1'], '127.0.0.1'],
  [['127.0.0.1'], '127.0.0.1'],
  [['::1', 'fe80::1', '10.0.0.3'], '::1'],
  [[], '127.0.0.1'],
]))
  test(`a host with the addresses ${own.join(', ') || '(none)'} reaches itself at ${expected}`, () =>
    assert.equal(loopbackAddress(own), expected));
