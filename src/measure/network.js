import {hostname, networkInterfaces} from 'node:os';
import {readSystemFile} from './system.js';

/** @import {NetworkUse} from './types.js' */

/** @returns {NetworkUse | null} counters since the host started; null on other systems than Linux */
export function readNetwork() {
  return parseNetwork(readSystemFile('/proc/net/dev'), readSystemFile('/proc/net/snmp'));
}

/**
 * @param {string | null} dev proc_pid_net(5): after the name of an interface, the first number is bytes received, the ninth bytes sent
 * @param {string | null} snmp pairs of lines: the names of a protocol's counters, then their values
 * @returns {NetworkUse | null}
 */
export function parseNetwork(dev, snmp) {
  if (dev === null) return null;
  const interfaces = [...dev.matchAll(/^\s*(\S+):\s*(\d.*)$/gm)]
    .filter(([, name]) => name !== 'lo')
    .map(([, , numbers]) => numbers.trim().split(/\s+/).map(Number));
  return {
    receivedBytes: interfaces.reduce((total, numbers) => total + numbers[0], 0),
    sentBytes: interfaces.reduce((total, numbers) => total + numbers[8], 0),
    tcpRetransmits: retransmitsIn(snmp ?? ''),
  };
}

/** @param {string} snmp */
function retransmitsIn(snmp) {
  const [names, values] = [...snmp.matchAll(/^Tcp: (.*)$/gm)].map(([, fields]) => fields.split(' '));
  const index = names?.indexOf('RetransSegs') ?? -1;
  return index < 0 || !values ? null : Number(values[index]);
}

/** @param {NetworkUse | null} before @param {NetworkUse | null} after @returns {NetworkUse | null} */
export function networkBetween(before, after) {
  if (!before || !after) return null;
  return {
    sentBytes: after.sentBytes - before.sentBytes,
    receivedBytes: after.receivedBytes - before.receivedBytes,
    tcpRetransmits:
      before.tcpRetransmits === null || after.tcpRetransmits === null
        ? null
        : after.tcpRetransmits - before.tcpRetransmits,
  };
}

/**
 * @param {readonly string[]} [own] addresses of the network interfaces of this host
 * @returns {string} the address by which processes of this host reach each other: 127.0.0.1, or ::1 if the host has only ::1
 */
export function loopbackAddress(own = ownAddresses()) {
  return own.includes('::1') && !own.includes('127.0.0.1') ? '::1' : '127.0.0.1';
}

/** Returns whether a name or an address denotes the host that uses it. @param {string} host */
export function isLoopback(host) {
  return /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host);
}

/** Returns whether a name or an address denotes this host. @param {string} host */
export function isHere(host) {
  const name = host.toLowerCase();
  return isLoopback(name) || name === hostname() || ownAddresses().includes(name);
}

/** @returns {string[]} of this host */
export function ownAddresses() {
  return Object.values(networkInterfaces()).flatMap((list) => list?.map(({address}) => address) ?? []);
}
