import assert from 'node:assert/strict';
import {describe, it, test} from 'node:test';
import {
  foreignShareOf,
  hostLoads,
  linkUseOf,
  lostShareOf,
  retransmitsOf,
  sharingOf,
} from '../../src/battle/host-loads.js';

/** @import {Host} from '../../src/hosts/types.js' */

const [alpha, beta, gamma] = ['alpha', 'beta', 'gamma'].map((name) => /** @type {any} */ ({name}));
const host = {busyMs: 1000, stealMs: 0, capacityMs: 4000};
/** @param {number} cpuMs @param {Record<string, number> | null} [seen] */
const used = (cpuMs, seen = host) => /** @type {any} */ ({userMs: cpuMs, systemMs: 0, host: seen});
/** @param {any[]} loads */
const ours = (loads) => Object.fromEntries(loads.map(({host: name, oursMs}) => [name, oursMs]));
/** @param {any[]} hosts */
const private100 = (hosts) => ({usage: {userMs: 60, systemMs: 40}, hosts});

test('on one host all that is ours counts, and the host once', () => {
  const hosts = {clients: [alpha], servers: [alpha]};
  const broker = private100([alpha]);
  const loads = hostLoads(hosts, {clients: [used(10), used(20)], servers: [used(5)], broker});
  assert.deepEqual(loads, [{host: 'alpha', ...host, oursMs: 135, foreignMs: 845}]);
});

test('on several each has its own, roles in turn', () => {
  const hosts = {clients: [alpha, beta], servers: [gamma]};
  const loads = hostLoads(hosts, {
    clients: [used(1), used(2), used(4)],
    servers: [used(8)],
    broker: private100([gamma]),
  });
  assert.deepEqual(ours(loads), {alpha: 5, beta: 2, gamma: 108});
});

test('a broker that is not seen leaves unknown what is ours, where it may stand', () => {
  const hosts = {clients: [alpha], servers: [beta]};
  const roles = {clients: [used(1)], servers: [used(2)]};
  const unseen = {...roles, broker: {usage: null, hosts: [beta]}};
  assert.deepEqual(ours(hostLoads(hosts, unseen)), {alpha: 1, beta: null});
  assert.deepEqual(ours(hostLoads(hosts, {...roles, broker: {usage: null, hosts: null}})), {
    alpha: null,
    beta: null,
  });
});

test('the nodes of a cluster on several hosts are not told apart', () => {
  const hosts = {clients: [alpha], servers: [beta]};
  const loads = hostLoads(hosts, {clients: [used(1)], servers: [used(2)], broker: private100([beta, gamma])});
  assert.deepEqual(ours(loads), {alpha: 1, beta: null});
});

test('hosts that do not tell are left out', () => {
  const hosts = {clients: [alpha], servers: [beta]};
  const loads = hostLoads(hosts, {clients: [used(1, null)], servers: [used(2)], broker: null});
  assert.deepEqual(ours(loads), {beta: 2});
});

/**
 * A role that was ready to run for 1000 ms unless more was stolen.
 * @param {{runDelayMs?: number | null, stealMs?: number | null, throttledMs?: number | null, busyMs?: number, wakeUps?: number, otherThreadsMs?: number, processesMs?: number, switches?: number}} what
 */
const ready = ({
  runDelayMs = 0,
  stealMs = 0,
  throttledMs = 0,
  busyMs = 4000,
  wakeUps = 0,
  otherThreadsMs = 0,
  ...seen
}) =>
  /** @type {any} */ ({
    userMs: 1000 - (runDelayMs ?? 0) + otherThreadsMs,
    systemMs: 0,
    mainThreadMs: runDelayMs === null ? null : 1000 - runDelayMs,
    ...{runDelayMs, stealMs, throttledMs, wakeUps},
    host: {busyMs, stealMs: 0, capacityMs: 8000, ...seen},
  });
const apart = {clients: [alpha], servers: [beta]};
const place = (/** @type {number[]} */ cores, threads = 'main') => ({cores, threads});
/** The main thread of each on a core of its own, and a broker that is not placed. @param {any} all */
const pinned = ({clients, servers}) => ({
  clients: clients.map((/** @type {any} */ _, /** @type {number} */ index) => place([index])),
  servers: servers.map((/** @type {any} */ _, /** @type {number} */ index) => place([4 + index])),
  brokerCores: () => null,
});
/** @param {any} hosts @param {any} all @param {object} [places] in place of theirs */
const lostOn = (hosts, all, places) =>
  lostShareOf(hostLoads(hosts, all), hosts, all, undefined, /** @type {any} */ ({...pinned(all), ...places}));
/** @param {any} client @param {any} [server] */
const lost = (client, server = ready({})) =>
  lostOn(apart, {clients: [client], servers: [server], broker: null});

test('a role has lost the share of the time in which it was ready to run and waited for others', () => {
  assert.equal(lost(ready({})), 0);
  assert.equal(lost(ready({runDelayMs: 200})), 0.2);
  assert.equal(lost(ready({runDelayMs: 200, stealMs: 250})), 450 / 1250);
});

test('a trial has lost what the role lost that lost most', () => {
  assert.equal(lost(ready({runDelayMs: 20}), ready({runDelayMs: 300})), 0.3);
  assert.equal(lost(ready({runDelayMs: 300}), ready({runDelayMs: 20})), 0.3);
});

test('what it takes to wake up on an idle core is not lost', () => {
  assert.equal(lost(ready({runDelayMs: 50, wakeUps: 20_000})), 0);
  assert.equal(lost(ready({runDelayMs: 200, wakeUps: 20_000})), 0.1);
});

test('the time of a throttled group is a part of the run delay, and lost', () => {
  assert.equal(lost(ready({runDelayMs: 300, throttledMs: 300, busyMs: 1000})), 0.3);
  assert.equal(lost(ready({runDelayMs: 300, throttledMs: 900, busyMs: 1000})), 0.3);
});

test('what the roles and the broker waited for each other is not lost', () => {
  assert.equal(lost(ready({runDelayMs: 400, busyMs: 600})), 0);
  const together = {clients: [alpha], servers: [alpha]};
  const roles = {clients: [ready({runDelayMs: 400, busyMs: 1720})], servers: [ready({})]};
  assert.equal(lostOn(together, {...roles, broker: null}), 0.1);
  assert.equal(lostOn(together, {...roles, broker: private100([alpha])}), 0);
});

describe('what a role waited, which the kernel does not divide', () => {
  const hosts = {clients: [alpha], servers: [alpha]};
  // Of the client 600 ms are those of its main thread. Two ticks count for nobody.
  const roles = (/** @type {{foreignMs: number, brokerMs: number, runDelayMs?: number}} */ what) => {
    const {foreignMs, brokerMs, runDelayMs = 400} = what;
    const busyMs = 1000 - runDelayMs + 200 + 1000 + brokerMs + foreignMs + 20;
    return {
      clients: [ready({runDelayMs, otherThreadsMs: 200, busyMs})],
      servers: [ready({})],
      broker: {usage: {userMs: brokerMs, systemMs: 0}, hosts: [alpha]},
    };
  };

  const waited = roles({foreignMs: 500, brokerMs: 600});
  const shareOf = (/** @type {number} */ oursMs) => (400 * (500 / (500 + oursMs))) / 1000;

  it('is lost in proportion to the CPU time of other processes and of ours that share its core', () => {
    assert.equal(lostOn(hosts, waited), shareOf(200 + 600));
    assert.equal(lostOn(hosts, waited, {brokerCores: () => [2, 3]}), shareOf(200));
    assert.equal(lostOn(hosts, waited, {brokerCores: () => [0, 3]}), shareOf(200 + 600));
  });

  it('is lost in the same proportion without places, where all may be in the way', () => {
    assert.equal(lostOn(hosts, waited, {clients: [], servers: []}), shareOf(200 + 1000 + 600));
  });

  it('is not for a process that a person put on other cores', () => {
    const onTheirs = {clients: [place([0], 'all')], servers: [place([1], 'all')], brokerCores: () => [2]};
    assert.equal(lostOn(hosts, waited, onTheirs), shareOf(200));
    assert.equal(lostOn(hosts, waited, {...onTheirs, servers: [place([0, 1], 'all')]}), shareOf(200 + 1000));
  });

  it('is not for what a role did in pauses, of which the wait is not measured', () => {
    const {clients, servers, broker} = roles({foreignMs: 400, brokerMs: 600});
    const withPauses = {clients: [{...clients[0], leftOutMs: 100}], servers, broker};
    assert.equal(lostOn(hosts, withPauses), (400 * (300 / (300 + 200 + 600))) / 1000);
  });

  it('is lost at most for as long as other processes ran', () => {
    assert.equal(lostOn(hosts, roles({foreignMs: 50, brokerMs: 0, runDelayMs: 900})), 0.05);
  });
});

describe('what others used of a host', () => {
  const foreign = (/** @type {any} */ seen) => {
    const client = ready({busyMs: 1500, ...seen});
    return hostLoads({clients: [alpha], servers: []}, {clients: [client], servers: [], broker: null})[0]
      .foreignMs;
  };

  it('is the CPU time of all processes less ours, and less what a tick may be wrong', () => {
    assert.equal(foreign({processesMs: 1250}), 240);
    assert.equal(foreign({processesMs: 990}), 0);
  });

  it('is what was busy beside ours where not all processes are seen, less the switches between processes', () => {
    assert.equal(foreign({processesMs: null}), 480);
    assert.equal(foreign({processesMs: null, switches: 100_000}), 280);
  });

  it('is known as a share of the hosts on which several processes of the trial ran', () => {
    const role = ready({processesMs: 2410});
    const shareOn = (/** @type {any} */ hosts, /** @type {any} */ broker = null) => {
      const all = {clients: [role], servers: [role], broker};
      return foreignShareOf(hostLoads(hosts, all), hosts, all);
    };
    assert.equal(shareOn({clients: [alpha], servers: [alpha]}), 400 / 8000);
    assert.equal(shareOn(apart), null);
    assert.equal(shareOn(apart, private100([beta])), 1300 / 8000);
    assert.equal(shareOn({clients: [alpha], servers: [alpha]}, {usage: null, hosts: null}), null);
  });
});

test('where the CPU of the broker is not seen, what a role waited for it counts as lost', () => {
  const used = {clients: [ready({runDelayMs: 400, busyMs: 1000})], servers: [ready({})]};
  assert.equal(lostOn(apart, {...used, broker: {usage: null, hosts: null}}), 0.4);
});

test('what was lost is not known where the system does not tell', () => {
  const silent = ready({runDelayMs: null});
  assert.equal(lost(silent, silent), null);
  assert.equal(lost(silent, ready({runDelayMs: 100})), 0.1);
  assert.equal(lost(used(10), used(10)), null);
});

describe('trials that are measured in turn', () => {
  const broker = {};
  /** @param {number} clientMs @param {number | null} brokerMs @param {number} [wallMs] */
  const trial = (clientMs, brokerMs, wallMs = 500) => ({
    hosts: {clients: [alpha], servers: [beta]},
    used: {
      clients: [{...used(clientMs), leftOutMs: 1}],
      servers: [used(2)],
      broker: brokerMs === null ? null : {usage: {userMs: brokerMs, systemMs: 0}, hosts: [beta]},
    },
    wallMs,
    ofBroker: brokerMs === null ? null : {broker, usage: {userMs: 70, systemMs: 0}, hosts: [beta]},
  });
  /** @param {any[]} trials */
  const others = (trials) => sharingOf(trials, 5).map(({othersMs}) => [...othersMs.values()]);

  it('leave to each other what their roles, the broker and this process used meanwhile', () => {
    assert.deepEqual(others([trial(10, null), trial(20, 30), trial(40, 30)]), [
      [20 + 40 + 2 + 5, 4 + 70 + 5],
      [10 + 40 + 2 + 5, 4 + 70 - 30 + 5],
      [10 + 20 + 2 + 5, 4 + 70 - 30 + 5],
    ]);
    const remote = {clients: [{...alpha, isRemote: true}], servers: [beta]};
    assert.deepEqual(others([{...trial(10, null), hosts: remote}]), [[0, 5]]);
    assert.deepEqual(sharingOf([], 5), []);
  });

  it('have the share of the time in which they were measured', () => {
    const shares = sharingOf([trial(1, null, 300), trial(1, null, 900)], 0).map(({ownShare}) => ownShare);
    assert.deepEqual(shares, [0.25, 0.75]);
  });

  it('do not know it where the broker is not seen', () => {
    const unseen = {...trial(10, 30), ofBroker: {broker, usage: null, hosts: [beta]}};
    assert.deepEqual(others([unseen, trial(20, null)]), [
      [26, null],
      [16, null],
    ]);
  });

  it('count as ours on a host', () => {
    const [sharing] = sharingOf([trial(10, null), trial(20, null)], 5);
    const {hosts, used: own} = trial(10, null);
    assert.deepEqual(ours(hostLoads(hosts, own, sharing)), {alpha: 10 + 1 + 20 + 1 + 5, beta: 2 + 2 + 5});
  });
});

/** @param {string} name */
const linkHost = (name) => /** @type {Host} */ ({name});
const [one, two, three] = ['one', 'two', 'three'].map(linkHost);

/** @param {number} sentBytes @param {number} receivedBytes @param {number | null} [tcpRetransmits] */
const usage = (sentBytes, receivedBytes, tcpRetransmits = 0) => ({
  wallMs: 500,
  network: {sentBytes, receivedBytes, tcpRetransmits},
});
const linkUsed = {clients: [usage(100, 80)], servers: [usage(80, 100)]};
const linkApart = {clients: [one], servers: [two]};

test('with one message in flight, request and reply cross the link one after the other', () => {
  assert.equal(linkUseOf(linkApart, linkUsed, {isOneAtATime: true, brokerHosts: null}), 360);
});

test('with several in flight the busier direction of the busiest host counts', () => {
  assert.equal(linkUseOf(linkApart, linkUsed, {isOneAtATime: false, brokerHosts: null}), 200);
  const hosts = {clients: [one, three], servers: [two]};
  const several = {clients: [usage(100, 80), usage(100, 80)], servers: [usage(160, 200)]};
  assert.equal(linkUseOf(hosts, several, {isOneAtATime: true, brokerHosts: null}), 400);
});

test('a broker on a third host passes each message on over its own link, one on the same host does not', () => {
  assert.equal(linkUseOf(linkApart, linkUsed, {isOneAtATime: true, brokerHosts: [three]}), 720);
  for (const brokerHosts of [[one], [two]])
    assert.equal(linkUseOf(linkApart, linkUsed, {isOneAtATime: true, brokerHosts}), 360);
});

test('within one host, and where the system reports nothing, the use is not known', () => {
  const how = {isOneAtATime: true, brokerHosts: null};
  assert.equal(linkUseOf({clients: [one], servers: [one]}, linkUsed, how), null);
  assert.equal(linkUseOf(linkApart, {...linkUsed, servers: [{wallMs: 500, network: null}]}, how), null);
  assert.equal(linkUseOf(linkApart, {...linkUsed, clients: [{wallMs: 500}]}, how), null);
});

test('retransmits are summed over the hosts, each once, and null where one does not report them', () => {
  const several = {clients: [usage(0, 0, 3), usage(0, 0, 3)], servers: [usage(0, 0, 4)]};
  assert.equal(retransmitsOf({clients: [one], servers: [two]}, several), 7);
  assert.equal(retransmitsOf({clients: [one], servers: [one]}, several), 3);
  assert.equal(retransmitsOf(linkApart, {...several, servers: [usage(0, 0, null)]}), null);
  assert.equal(retransmitsOf(linkApart, {...several, servers: [{wallMs: 1}]}), null);
});
