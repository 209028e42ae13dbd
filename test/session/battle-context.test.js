import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {preflight} from '../../src/session/battle-context.js';
import {quietHost} from '../doctor/quiet-host.js';

/** @param {{share: number, stealShare?: number} | null} load @param {string} [name] */
function hostWith(load, name = 'this host') {
  const readLoad = async () => load && {host: name, cores: 2, stealShare: 0, ...load};
  return /** @type {any} */ ({name, readLoad});
}

/** @param {any[]} hosts @param {number} [battleMs] */
async function linesFor(hosts, battleMs = 60_000) {
  const readLoad = (/** @type {any} */ host) => host.readLoad();
  const {lines, isBusy} = await preflight(hosts, {battleMs, kinds: [], readLoad});
  assert.equal(isBusy, lines.length > 0);
  return lines;
}

describe('before a battle', () => {
  it('a busy host is named, with what to do', async () => {
    assert.deepEqual(await linesFor([hostWith({share: 0.38})]), [
      '38 % of the CPU of this host is in use by others. Stop other programs there or use an idle host; otherwise expect suspect figures.',
    ]);
  });

  it('each busy host is named, and what its hypervisor took', async () => {
    const hosts = [
      hostWith({share: 0.5, stealShare: 0.203}, 'a'),
      hostWith({share: 0.1}, 'b'),
      hostWith({share: 0.2}, 'c'),
    ];
    const [a, c, ...more] = await linesFor(hosts);
    assert.match(a, /^50 % of the CPU of a is in use by others, 20 % of it taken by the hypervisor\. /);
    assert.match(c, /^20 % of the CPU of c /);
    assert.deepEqual(more, []);
  });

  it('a host that does not offer its load, or is lost meanwhile, is passed over', async () => {
    const lost = {name: 'b', readLoad: () => Promise.reject(new Error('lost'))};
    assert.deepEqual(await linesFor([hostWith(null), lost]), []);
  });

  it('the worst of what the doctor finds is told, if roles run on this host', async () => {
    const facts = {...quietHost, openFiles: 256, timerSlackMicros: 900};
    const findingsOn = (/** @type {any} */ host, battleMs = 30_000) =>
      preflight([host], {
        battleMs,
        kinds: [],
        readLoad: async () => null,
        readOwn: async () => facts,
      });
    assert.deepEqual(await findingsOn({isRemote: false}), {
      isBusy: false,
      lines: [
        'timers: 900 µs of slack. Start perf-battle from another service or shell: this one has a longer slack than usual. perf-battle doctor has the rest.',
      ],
    });
    assert.deepEqual((await findingsOn({isRemote: true})).lines, []);
    assert.deepEqual((await findingsOn({isRemote: false}, 29_999)).lines, []);
  });

  it('of less than ten seconds, no load is read', async () => {
    const readLoad = () => assert.fail('it was read');
    assert.deepEqual(await linesFor([{readLoad}], 9999), []);
  });
});
