import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {UsageError} from '../../src/errors.js';
import {topologyFrom} from '../../src/hosts/host-cores.js';
import {describePlacement, planPlacement} from '../../src/hosts/placement.js';

/** @import {Topology} from '../../src/hosts/types.js' */

const [here, alpha, beta] = ['this host', 'alpha', 'beta'].map((name) => /** @type {any} */ ({name}));
const local = {clients: [here], servers: [here], brokers: [here]};
const one = {clients: 1, servers: 1};

/** @param {number} count @returns {Topology} cores without a second hardware thread */
const cores = (count) => ({
  cores: Array.from({length: count}, (_, number) => ({number, package: 0, siblings: [number]})),
  machine: null,
  canPin: true,
});

/**
 * @param {string} pin
 * @param {{hosts?: any, topology?: Topology | null, most?: typeof one}} battle
 */
function plan(pin, {hosts = local, topology = cores(4), most = one}) {
  const all = new Set([...hosts.clients, ...hosts.servers, ...hosts.brokers]);
  const topologies = new Map([...all].map((host) => [host, topology]));
  return planPlacement(pin, hosts, {most, topologies});
}

/** @param {ReturnType<typeof plan>} placement @param {typeof one} [counts] */
function placesIn(placement, counts = one) {
  return {...placement.placeRoles(counts), broker: placement.brokerCores(here)};
}

const unpinned = {clients: [null], servers: [null], broker: null};

/** @param {number} core @returns a place of a main thread */
const on = (core) => ({cores: [core], threads: 'main'});

describe('by default', () => {
  it('the main threads of client and server have a core each, and the broker the others, if these are two', () => {
    const places = (/** @type {number} */ count) => placesIn(plan('auto', {topology: cores(count)}));
    assert.deepEqual(places(6), {clients: [on(5)], servers: [on(4)], broker: [0, 1, 2, 3]});
    assert.deepEqual(places(4), {clients: [on(3)], servers: [on(2)], broker: [0, 1]});
    for (const [count, server] of [
      [3, 1],
      [2, 0],
    ])
      assert.deepEqual(places(count), {clients: [on(count - 1)], servers: [on(server)], broker: null});
    const hosts = {...local, brokers: []};
    assert.deepEqual(placesIn(plan('auto', {hosts, topology: cores(4)})).broker, null);
  });

  it('the cores of the roles are in use, and with a broker all on which it may run', () => {
    assert.deepEqual(plan('auto', {topology: cores(6)}).used(here), [0, 1, 2, 3, 4, 5]);
    assert.deepEqual(plan('main', {topology: cores(2)}).used(here), [0, 1]);
    const hosts = {...local, brokers: []};
    assert.deepEqual(plan('auto', {hosts, topology: cores(6)}).used(here), [4, 5]);
    assert.deepEqual(plan('auto', {hosts, topology: cores(1)}).used(here), []);
  });

  for (const [count, most] of /** @type {[number, typeof one][]} */ ([
    [1, one],
    [2, {clients: 2, servers: 1}],
    [4, {clients: 3, servers: 2}],
  ])) {
    it(`with ${count} cores for ${most.clients + most.servers} roles nothing is pinned, and that is said`, () => {
      const placement = plan('auto', {topology: cores(count), most});
      assert.deepEqual(placesIn(placement), unpinned);
      assert.deepEqual(placement.notes, [
        `Processes on this host are not pinned to cores: it has ${count}, and needs ${most.clients + most.servers}.`,
      ]);
    });
  }

  for (const [what, topology] of /** @type {[string, Topology | null][]} */ ([
    ['that does not tell its cores', null],
    ['without taskset', {...cores(8), canPin: false}],
  ])) {
    it(`on a host ${what} nothing is pinned, and that is said`, () => {
      const placement = plan('auto', {topology});
      assert.deepEqual(placesIn(placement), unpinned);
      assert.match(
        placement.notes.join(),
        /this host are not pinned to cores: taskset \(util-linux\) cannot be used/,
      );
    });
  }

  it('a cell with fewer processes leaves cores free rather than using others', () => {
    const most = {clients: 3, servers: 2};
    const plenty = plan('auto', {topology: cores(7), most});
    const all = {clients: [on(6), on(5), on(4)], servers: [on(3), on(2)], broker: [0, 1]};
    assert.deepEqual(placesIn(plenty, most), all);
    assert.deepEqual(placesIn(plenty), {clients: [on(6)], servers: [on(3)], broker: [0, 1]});
  });

  it('a process that has a host to itself has a core there, too, and a broker alone may use all', () => {
    const hosts = {clients: [alpha], servers: [beta], brokers: [here]};
    const placement = plan('auto', {hosts, topology: cores(4)});
    assert.deepEqual(placement.placeRoles(one), {clients: [on(3)], servers: [on(3)]});
    assert.deepEqual(placement.brokerCores(here), null);
    assert.deepEqual(
      [alpha, beta, here].map((host) => placement.used(host)),
      [[3], [3], [0, 1, 2, 3]],
    );
    assert.deepEqual(placement.notes, []);
  });

  it('hosts that are containers of one machine share its cores', () => {
    const hosts = {clients: [alpha], servers: [beta], brokers: []};
    const machine = 'b0ba0ba0-0000-4000-8000-000000000000';
    const placement = plan('auto', {hosts, topology: {...cores(4), machine}});
    assert.deepEqual(placement.placeRoles(one), {clients: [on(3)], servers: [on(2)]});
    const most = {clients: 2, servers: 1};
    assert.match(
      plan('auto', {hosts, topology: {...cores(2), machine}, most}).notes.join(),
      /beta are not pinned to cores: it has 2, and needs 3/,
    );
  });

  it('processes take turns on hosts first, then on their cores', () => {
    const hosts = {clients: [alpha, beta], servers: [here], brokers: [here]};
    const most = {clients: 4, servers: 1};
    const {clients} = plan('auto', {hosts, topology: cores(4), most}).placeRoles(most);
    assert.deepEqual(clients, [on(3), on(3), on(2), on(2)]);
  });

  it('roles have physical cores of their own where there are enough, and the first socket comes last', () => {
    const coreOf = (
      /** @type {number} */ number,
      socket = 0,
      /** @type {number[]} */ siblings = [number],
    ) => ({
      number,
      package: socket,
      siblings,
    });
    const places = (/** @type {Topology['cores']} */ list, most = one) =>
      placesIn(
        plan('main', {
          hosts: {...local, brokers: []},
          topology: {cores: list, machine: null, canPin: true},
          most,
        }),
        most,
      );
    const threads = [0, 1, 2, 3].map((number) => coreOf(number, 0, [number % 2, (number % 2) + 2]));
    assert.deepEqual(places(threads), {clients: [on(1)], servers: [on(0)], broker: null});
    const neighbours = [0, 1, 2, 3].map((number) => coreOf(number, 0, number < 2 ? [0, 1] : [2, 3]));
    assert.deepEqual(places(neighbours), {clients: [on(2)], servers: [on(0)], broker: null});
    const four = {clients: 3, servers: 1};
    assert.deepEqual(places(neighbours, four), {
      clients: [on(2), on(0), on(3)],
      servers: [on(1)],
      broker: null,
    });
    const sockets = [0, 1, 2, 3].map((number) => coreOf(number, number % 2));
    assert.deepEqual(places(sockets), {clients: [on(3)], servers: [on(1)], broker: null});
  });
});

describe('--pin', () => {
  it('none pins nothing and says nothing', () => {
    const placement = plan('none', {topology: cores(1)});
    assert.deepEqual(placesIn(placement), unpinned);
    assert.deepEqual(placement.notes, []);
  });

  it('names the cores of every client, every server and a private broker', () => {
    const most = {clients: 2, servers: 1};
    const whole = (/** @type {number[]} */ ...list) => ({cores: list, threads: 'all'});
    assert.deepEqual(placesIn(plan('0,3/1/2', {most}), most), {
      clients: [whole(0, 3), whole(0, 3)],
      servers: [whole(1)],
      broker: [2],
    });
    assert.deepEqual(plan('0,3/1/2', {most}).used(here), [0, 1, 2, 3]);
    assert.deepEqual(placesIn(plan('0/0', {topology: cores(1)})), {
      clients: [whole(0)],
      servers: [whole(0)],
      broker: null,
    });
    assert.deepEqual(plan('0/0', {topology: cores(1)}).used(here), [0]);
  });

  for (const [pin, message] of /** @type {[string, RegExp][]} */ ([
    ['0/4', /names core 4, which processes may not use on this host: they may use 0-3/],
    ['4-6/0', /names core 4-6/],
    ['0/1/9', /names core 9/],
  ])) {
    it(`${pin} is refused where processes may use the cores 0-3`, () => {
      assert.throws(
        () => plan(pin, {}),
        (/** @type {any} */ error) => {
          assert.ok(error instanceof UsageError);
          assert.match(error.message, message);
          return true;
        },
      );
    });
  }

  it('main needs no more cores than clients and servers, and is refused where there are fewer', () => {
    assert.deepEqual(placesIn(plan('main', {})), placesIn(plan('auto', {})));
    const places = (/** @type {number} */ count) => placesIn(plan('main', {topology: cores(count)}));
    assert.deepEqual(places(3), {clients: [on(2)], servers: [on(1)], broker: null});
    assert.deepEqual(places(2), {clients: [on(1)], servers: [on(0)], broker: null});
    assert.throws(() => plan('main', {topology: cores(1)}), /--pin main: .* it has 1, and needs 2/);
  });

  it('with cores is refused where taskset cannot be used', () => {
    assert.throws(
      () => plan('0/1', {topology: {...cores(4), canPin: false}}),
      /--pin needs taskset .* on this host/,
    );
    assert.throws(() => plan('0/1', {topology: null}), UsageError);
  });
});

it('the record has the cores of all processes of a role, and which threads; null where any may be used', () => {
  const placement = plan('auto', {topology: cores(6), most: {clients: 3, servers: 1}});
  const placed = placement.placeRoles({clients: 3, servers: 1});
  const roles = {client: [3, 4, 5], server: [2]};
  assert.deepEqual(describePlacement(placed, [here], placement), {...roles, broker: [0, 1], threads: 'main'});
  assert.deepEqual(describePlacement(placed, [], placement), {...roles, broker: null, threads: 'main'});
  const queue = placement.placeRoles({clients: 1, servers: 0});
  assert.deepEqual(describePlacement(queue, [], placement), {
    ...{client: [5], server: null, broker: null},
    threads: 'main',
  });
  const given = plan('0/1', {});
  assert.deepEqual(describePlacement(given.placeRoles(one), [here], given), {
    ...{client: [0], server: [1], broker: null},
    threads: 'all',
  });
  const anywhere = plan('none', {});
  assert.equal(describePlacement(anywhere.placeRoles(one), [here], anywhere), null);
});

it('the topology of a host is that of the cores that its processes may use', () => {
  const folder = (/** @type {number} */ core) => `/sys/devices/system/cpu/cpu${core}/topology`;
  const output = [
    'allowed 1,3',
    'machine c0ffee',
    'taskset',
    `core ${folder(0)} 0 0,2`,
    `core ${folder(1)} 0 1,3`,
    `core ${folder(3)} 0 1,3`,
  ];
  assert.deepEqual(topologyFrom(output.join('\n')), {
    cores: [
      {number: 1, package: 0, siblings: [1, 3]},
      {number: 3, package: 0, siblings: [1, 3]},
    ],
    machine: 'c0ffee',
    canPin: true,
  });
  assert.deepEqual(topologyFrom('allowed 0\n'), {
    cores: [{number: 0, package: 0, siblings: [0]}],
    machine: null,
    canPin: false,
  });
  assert.equal(topologyFrom(''), null);
});
