import assert from 'node:assert/strict';
import {test} from 'node:test';
import {linkUseOf, retransmitsOf} from '../../src/battle/link-use.js';

/** @import {Host} from '../../src/hosts/host.js' */

/** @param {string} name */
const host = (name) => /** @type {Host} */ ({name});
const [one, two, three] = ['one', 'two', 'three'].map(host);

/** @param {number} sentBytes @param {number} receivedBytes @param {number | null} [tcpRetransmits] */
const usage = (sentBytes, receivedBytes, tcpRetransmits = 0) => ({
  wallMs: 500,
  network: {sentBytes, receivedBytes, tcpRetransmits},
});
const used = {clients: [usage(100, 80)], servers: [usage(80, 100)]};
const apart = {clients: [one], servers: [two]};

test('with one message in flight, request and reply cross the link one after the other', () => {
  assert.equal(linkUseOf(apart, used, {isOneAtATime: true, brokerHosts: null}), 360);
});

test('with several in flight the busier direction of the busiest host counts', () => {
  assert.equal(linkUseOf(apart, used, {isOneAtATime: false, brokerHosts: null}), 200);
  const hosts = {clients: [one, three], servers: [two]};
  const several = {clients: [usage(100, 80), usage(100, 80)], servers: [usage(160, 200)]};
  assert.equal(linkUseOf(hosts, several, {isOneAtATime: true, brokerHosts: null}), 400);
});

test('a broker on a third host passes each message on over its own link, one on the same host does not', () => {
  assert.equal(linkUseOf(apart, used, {isOneAtATime: true, brokerHosts: [three]}), 720);
  for (const brokerHosts of [[one], [two]])
    assert.equal(linkUseOf(apart, used, {isOneAtATime: true, brokerHosts}), 360);
});

test('within one host, and where the system reports nothing, the use is not known', () => {
  const how = {isOneAtATime: true, brokerHosts: null};
  assert.equal(linkUseOf({clients: [one], servers: [one]}, used, how), null);
  assert.equal(linkUseOf(apart, {...used, servers: [{wallMs: 500, network: null}]}, how), null);
  assert.equal(linkUseOf(apart, {...used, clients: [{wallMs: 500}]}, how), null);
});

test('retransmits are summed over the hosts, each once, and null where one does not report them', () => {
  const several = {clients: [usage(0, 0, 3), usage(0, 0, 3)], servers: [usage(0, 0, 4)]};
  assert.equal(retransmitsOf({clients: [one], servers: [two]}, several), 7);
  assert.equal(retransmitsOf({clients: [one], servers: [one]}, several), 3);
  assert.equal(retransmitsOf(apart, {...several, servers: [usage(0, 0, null)]}), null);
  assert.equal(retransmitsOf(apart, {...several, servers: [{wallMs: 1}]}), null);
});
