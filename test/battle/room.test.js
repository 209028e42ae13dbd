import assert from 'node:assert/strict';
import {availableParallelism} from 'node:os';
import {describe, it} from 'node:test';
import {pairsAtOnce, warmUpsAtOnce} from '../../src/battle/room.js';

const gibibyte = 1024 ** 3;
const here = {isRemote: false, report: null};
const small = {isRemote: true, report: {fingerprint: {memoryBytes: gibibyte}}};
const unknown = {isRemote: true, report: {fingerprint: {}}};

/** @param {any[]} clients @param {any[]} servers @param {{openFiles?: number | null, availableBytes?: number}} host @param {{clients?: number}} [variant] */
function room(clients, servers, host, variant = {}) {
  return pairsAtOnce(
    /** @type {any} */ ({clients, servers}),
    [{variant: /** @type {any} */ (variant)}],
    host,
  );
}

describe('the room for pairs side by side', () => {
  it('follows from the memory of the smallest host', () => {
    const large = {openFiles: null, availableBytes: 16 * gibibyte};
    assert.equal(room([here], [here], large), 25);
    assert.equal(room([here], [here], {...large, availableBytes: gibibyte}), 1);
    assert.equal(room([here], [small], large), 3);
    assert.equal(room([small], [small], large), 1);
    assert.equal(room([here], [unknown], large), 51);
    assert.equal(room([here], [here], large, {clients: 4}), 10);
  });

  it('follows from the files that this process may have open, for its own roles', () => {
    const host = {openFiles: 64, availableBytes: 64 * gibibyte};
    assert.equal(room([here], [here], host), 4);
    assert.equal(room([here], [here], {...host, openFiles: 41}), 1);
    assert.equal(room([unknown], [unknown], {...host, openFiles: 41}), Number.POSITIVE_INFINITY);
  });
});

describe('the room for warm-ups side by side', () => {
  /** @param {number} cores */
  const hostOf = (cores) => /** @type {any} */ ({isRemote: true, report: {fingerprint: {cores}}});
  const variants = (/** @type {object[]} */ ...list) =>
    /** @type {any} */ (list.map((variant) => ({variant})));

  it('is a core for each pair, of the host that has fewest', () => {
    assert.equal(warmUpsAtOnce({all: [hostOf(8)]}, variants({})), 8);
    assert.equal(warmUpsAtOnce({all: [hostOf(8), hostOf(3)]}, variants({})), 3);
    assert.equal(warmUpsAtOnce({all: [/** @type {any} */ (here)]}, variants({})), availableParallelism());
  });

  it('is smaller where several clients and servers of a pair work at once, and never none', () => {
    assert.equal(warmUpsAtOnce({all: [hostOf(8)]}, variants({}, {clients: 4, servers: 1})), 2);
    assert.equal(warmUpsAtOnce({all: [hostOf(2)]}, variants({clients: 16, servers: 16})), 1);
    assert.equal(warmUpsAtOnce({all: [/** @type {any} */ (unknown)]}, variants({})), 1);
  });
});
