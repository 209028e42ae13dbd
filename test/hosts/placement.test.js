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

describe('by default', () => {
  it('client and server have a core of their own, and the broker the others', () => {
    assert.deepEqual(placesIn(plan('auto', {})), {clients: [[3]], servers: [[2]], broker: [0, 1]});
    assert.deepEqual(placesIn(plan('auto', {topology: cores(3)})), {
      clients: [[2]],
      servers: [[1]],
      broker: [0],
    });
  });

  it('on two cores the broker may use both', () => {
    const placement = plan('auto', {topology: cores(2)});
    assert.deepEqual(placesIn(placement), {clients: [[1]], servers: [[0]], broker: null});
    assert.deepEqual(placement.notes, []);
  });

  it('on one core nothing is pinned, and that is said', () => {
    const placement = plan('auto', {topology: cores(1)});
    assert.deepEqual(placesIn(placement), {clients: [null], servers: [null], broker: null});
    assert.match(placement.notes.join(), /this host are not pinned: they may use one core only/);
  });

  for (const [what, topology] of /** @type {[string, Topology | null][]} */ ([
    ['that does not tell its cores', null],
    ['without taskset', {...cores(4), canPin: false}],
  ])) {
    it(`on a host ${what} nothing is pinned, and that is said`, () => {
      const placement = plan('auto', {topology});
      assert.deepEqual(placesIn(placement), {clients: [null], servers: [null], broker: null});
      assert.match(
        placement.notes.join(),
        /this host are not pinned to cores: taskset \(util-linux\) cannot be used/,
      );
    });
  }

  it('several processes have a core each, as far as there are enough besides that of the broker', () => {
    const most = {clients: 3, servers: 2};
    const plenty = plan('auto', {topology: cores(8), most});
    assert.deepEqual(placesIn(plenty, most), {
      clients: [[7], [6], [5]],
      servers: [[4], [3]],
      broker: [0, 1, 2],
    });
    // A cell with fewer processes leaves cores free rather than using others.
    assert.deepEqual(placesIn(plenty), {clients: [[7]], servers: [[4]], broker: [0, 1, 2]});
    assert.deepEqual(placesIn(plan('auto', {topology: cores(4), most}), most), {
      clients: [[3], [3], [3]],
      servers: [[2], [1]],
      broker: [0],
    });
    assert.deepEqual(placesIn(plan('auto', {topology: cores(2), most}), most), {
      clients: [[1], [1], [1]],
      servers: [[0], [0]],
      broker: null,
    });
  });

  it('a role that has a host to itself leaves a core to the kernel', () => {
    const hosts = {clients: [alpha], servers: [beta], brokers: [beta]};
    const places = (/** @type {number} */ count) => plan('auto', {hosts, topology: cores(count)});
    assert.deepEqual(places(4).placeRoles(one), {clients: [[3]], servers: [[3]]});
    assert.deepEqual([places(4).brokerCores(alpha), places(4).brokerCores(beta)], [null, [0, 1, 2]]);
    assert.deepEqual(places(2).placeRoles(one), {clients: [[1]], servers: [[1]]});
    assert.deepEqual(places(2).brokerCores(beta), null);
    assert.deepEqual(places(1).placeRoles(one), {clients: [null], servers: [null]});
    const four = {clients: 4, servers: 1};
    assert.deepEqual(plan('auto', {hosts, topology: cores(2), most: four}).placeRoles(four).clients, [
      [1],
      [1],
      [1],
      [1],
    ]);
  });

  it('processes take turns on hosts first, then on their cores', () => {
    const hosts = {clients: [alpha, beta], servers: [here], brokers: [here]};
    const most = {clients: 4, servers: 1};
    const {clients} = plan('auto', {hosts, topology: cores(4), most}).placeRoles(most);
    assert.deepEqual(clients, [[3], [3], [2], [2]]);
  });

  it('physical cores of one socket come before second hardware threads, which are left to the broker last', () => {
    const threads = (/** @type {number} */ number, /** @type {number[]} */ ...siblings) => ({
      number,
      package: 0,
      siblings,
    });
    const topology = {
      cores: [threads(0, 0, 2), threads(1, 1, 3), threads(2, 0, 2), threads(3, 1, 3)],
      canPin: true,
    };
    assert.deepEqual(placesIn(plan('auto', {topology})), {clients: [[1]], servers: [[0]], broker: [2, 3]});
    const six = {
      cores: [0, 1, 2, 3, 4, 5].map((number) =>
        threads(number, number - (number % 2), number - (number % 2) + 1),
      ),
      canPin: true,
    };
    assert.deepEqual(placesIn(plan('auto', {topology: six})), {
      clients: [[4]],
      servers: [[2]],
      broker: [0, 1],
    });
    const sockets = {
      cores: [0, 1, 2, 3].map((number) => ({number, package: number % 2, siblings: [number]})),
      canPin: true,
    };
    assert.deepEqual(placesIn(plan('auto', {topology: sockets})), {
      clients: [[3]],
      servers: [[1]],
      broker: [0, 2],
    });
  });
});

describe('--pin', () => {
  it('none pins nothing and says nothing', () => {
    const placement = plan('none', {topology: cores(1)});
    assert.deepEqual(placesIn(placement), {clients: [null], servers: [null], broker: null});
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
  const placement = plan('auto', {topology: cores(8), most: {clients: 3, servers: 1}});
  const placed = placement.placeRoles({clients: 3, servers: 1});
  assert.deepEqual(describePlacement(placed, [here], placement), {
    client: [5, 6, 7],
    server: [4],
    broker: [0, 1, 2, 3],
  });
  assert.deepEqual(describePlacement(placed, [], placement), {client: [5, 6, 7], server: [4], broker: null});
  const queue = placement.placeRoles({clients: 1, servers: 0});
  assert.deepEqual(describePlacement(queue, [], placement), {client: [7], server: null, broker: null});
  const unpinned = plan('none', {});
  assert.equal(describePlacement(unpinned.placeRoles(one), [here], unpinned), null);
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
