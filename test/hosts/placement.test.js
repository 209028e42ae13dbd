import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {UsageError} from '../../src/errors.js';
import {describePlacement, planPlacement} from '../../src/hosts/placement.js';
import {topologyFrom} from '../../src/hosts/topology.js';

/** @import {Topology} from '../../src/hosts/topology.js' */

const [here, alpha, beta] = ['this host', 'alpha', 'beta'].map((name) => /** @type {any} */ ({name}));
const local = {clients: [here], servers: [here], brokers: [here]};
const one = {clients: 1, servers: 1};

/** @param {number} count @returns {Topology} cores without a second hardware thread */
const cores = (count) => ({
  cores: Array.from({length: count}, (_, number) => ({number, package: 0, siblings: [number]})),
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

describe('by default', () => {
  it('client and server have two cores each, and the broker the others', () => {
    assert.deepEqual(placesIn(plan('auto', {topology: cores(6)})), {
      clients: [[4, 5]],
      servers: [[2, 3]],
      broker: [0, 1],
    });
    assert.deepEqual(placesIn(plan('auto', {topology: cores(8)})), {
      clients: [[6, 7]],
      servers: [[4, 5]],
      broker: [0, 1, 2, 3],
    });
  });

  it('they have four each where there are enough', () => {
    assert.deepEqual(placesIn(plan('auto', {topology: cores(12)})), {
      clients: [[8, 9, 10, 11]],
      servers: [[4, 5, 6, 7]],
      broker: [0, 1, 2, 3],
    });
  });

  it('without a broker on their host they need four cores together', () => {
    const hosts = {...local, brokers: []};
    const places = (/** @type {number} */ count) => placesIn(plan('auto', {hosts, topology: cores(count)}));
    assert.deepEqual(places(4), {clients: [[2, 3]], servers: [[0, 1]], broker: null});
    assert.deepEqual(places(3), unpinned);
  });

  for (const [count, processes] of [
    [1, 3],
    [2, 3],
    [5, 3],
  ]) {
    it(`with ${count} cores for ${processes} processes nothing is pinned, and that is said`, () => {
      const placement = plan('auto', {topology: cores(count)});
      assert.deepEqual(placesIn(placement), unpinned);
      assert.deepEqual(placement.notes, [
        `Processes on this host are not pinned to cores: it has ${count} for 3 processes, and each needs 2.`,
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

  it('all of several processes have cores of their own, or none is pinned', () => {
    const most = {clients: 3, servers: 2};
    const plenty = plan('auto', {topology: cores(12), most});
    assert.deepEqual(placesIn(plenty, most), {
      clients: [
        [10, 11],
        [8, 9],
        [6, 7],
      ],
      servers: [
        [4, 5],
        [2, 3],
      ],
      broker: [0, 1],
    });
    // A cell with fewer processes leaves cores free rather than using others.
    assert.deepEqual(placesIn(plenty), {clients: [[10, 11]], servers: [[4, 5]], broker: [0, 1]});
    assert.deepEqual(placesIn(plan('auto', {topology: cores(11), most}), most), {
      clients: [null, null, null],
      servers: [null, null],
      broker: null,
    });
  });

  it('a process that has a host to itself may use all of its cores, and nothing is said', () => {
    const hosts = {clients: [alpha], servers: [beta], brokers: [beta]};
    const placement = plan('auto', {hosts, topology: cores(4)});
    assert.deepEqual(placement.placeRoles(one), {clients: [null], servers: [[2, 3]]});
    assert.deepEqual([placement.brokerCores(alpha), placement.brokerCores(beta)], [null, [0, 1]]);
    assert.deepEqual(placement.notes, []);
  });

  it('processes take turns on hosts first, then on their cores', () => {
    const hosts = {clients: [alpha, beta], servers: [here], brokers: [here]};
    const most = {clients: 4, servers: 1};
    const {clients} = plan('auto', {hosts, topology: cores(4), most}).placeRoles(most);
    assert.deepEqual(clients, [
      [2, 3],
      [2, 3],
      [0, 1],
      [0, 1],
    ]);
  });

  it('a process has both hardware threads of its physical cores, and the first socket comes last', () => {
    const coreOf = (
      /** @type {number} */ number,
      socket = 0,
      /** @type {number[]} */ siblings = [number],
    ) => ({
      number,
      package: socket,
      siblings,
    });
    const hosts = {...local, brokers: []};
    const threads = [0, 1, 2, 3].map((number) => coreOf(number, 0, [number % 2, (number % 2) + 2]));
    assert.deepEqual(placesIn(plan('auto', {hosts, topology: {cores: threads, canPin: true}})), {
      clients: [[1, 3]],
      servers: [[0, 2]],
      broker: null,
    });
    const sockets = [0, 1, 2, 3].map((number) => coreOf(number, number % 2));
    assert.deepEqual(placesIn(plan('auto', {hosts, topology: {cores: sockets, canPin: true}})), {
      clients: [[1, 3]],
      servers: [[0, 2]],
      broker: null,
    });
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
    assert.deepEqual(placesIn(plan('0,3/1/2', {most}), most), {
      clients: [
        [0, 3],
        [0, 3],
      ],
      servers: [[1]],
      broker: [2],
    });
    assert.deepEqual(placesIn(plan('0/0', {topology: cores(1)})), {
      clients: [[0]],
      servers: [[0]],
      broker: null,
    });
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

  it('with cores is refused where taskset cannot be used', () => {
    assert.throws(
      () => plan('0/1', {topology: {...cores(4), canPin: false}}),
      /--pin needs taskset .* on this host/,
    );
    assert.throws(() => plan('0/1', {topology: null}), UsageError);
  });
});

it('the record has the cores of all processes of a role; null where any may be used', () => {
  const placement = plan('auto', {topology: cores(12), most: {clients: 3, servers: 1}});
  const placed = placement.placeRoles({clients: 3, servers: 1});
  assert.deepEqual(describePlacement(placed, [here], placement), {
    client: [6, 7, 8, 9, 10, 11],
    server: [4, 5],
    broker: [0, 1, 2, 3],
  });
  assert.deepEqual(describePlacement(placed, [], placement), {
    client: [6, 7, 8, 9, 10, 11],
    server: [4, 5],
    broker: null,
  });
  const queue = placement.placeRoles({clients: 1, servers: 0});
  assert.deepEqual(describePlacement(queue, [], placement), {client: [10, 11], server: null, broker: null});
  const anywhere = plan('none', {});
  assert.equal(describePlacement(anywhere.placeRoles(one), [here], anywhere), null);
});

it('the topology of a host is that of the cores that its processes may use', () => {
  const folder = (/** @type {number} */ core) => `/sys/devices/system/cpu/cpu${core}/topology`;
  const output = [
    'allowed 1,3',
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
    canPin: true,
  });
  assert.deepEqual(topologyFrom('allowed 0\n'), {
    cores: [{number: 0, package: 0, siblings: [0]}],
    canPin: false,
  });
  assert.equal(topologyFrom(''), null);
});
