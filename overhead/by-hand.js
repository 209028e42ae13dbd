import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {addressSettings, pathOf, resultOf, withBroker} from './harness.js';
import {compareSides, scaled} from './pairs.js';
import {runNode, startServer} from './processes.js';

/** @import {Bench, Part} from './part.js' */

const maxRatio = 1.05;
const durationMs = 1000;
/** Each transport has the settings of one variant. @type {{transport: string, settings: Record<string, string>}[]} */
const pairs = [
  {transport: 'tcp', settings: {}},
  {transport: 'http', settings: {PB_HTTP_SERVER: 'node'}},
  {transport: 'websocket', settings: {}},
  {transport: 'rabbitmq', settings: {PB_RABBITMQ_DELIVERY_MODE: '1'}},
];
const sizes = [1, 100, 500, 1000];
/** A user starts a pair within a moment, on cores that nothing selects. The battle imitates this. */
const battle = ['--rounds', '1', '--no-slices', '--pin', 'none', '--json', '--quiet'];

/** @type {Part} */
export const byHand = {
  name: 'by-hand',
  title: 'mean round trip: a pair started by hand / the same in a battle that leaves the cores alone',
  measure: compareByHand,
};

/**
 * Each side starts both processes, warms them up by the same plan, and measures for the same time.
 * @param {Bench} bench
 */
async function* compareByHand(bench) {
  const folder = await mkdtemp(join(tmpdir(), 'perf-battle-by-hand-'));
  try {
    for (const {transport, settings: own} of pairs)
      yield* withBroker(transport, bench, async function* (broker) {
        for (const size of sizes) {
          const what = `${transport}, ${size} KB`;
          if (!what.includes(bench.matching)) continue;
          const length = {PB_DURATION: `${scaled(bench, durationMs)}ms`};
          const settings = {...broker, ...own, ...length, PB_CORES: 'sleeping'};
          yield await compareSides(bench, {
            ...{what, bound: {max: maxRatio}, unit: 'ms'},
            one: () => runPair(transport, {...settings, PB_PAYLOAD_BYTES: `${size}kb`}, bench),
            other: () =>
              runBattle(transport, size, {...settings, PB_RESULTS: join(folder, 'results.md')}, bench),
          });
        }
      });
  } finally {
    await rm(folder, {recursive: true});
  }
}

/** @param {string} transport @param {Record<string, string>} settings @param {Bench} bench @returns {Promise<number>} ms */
async function runPair(transport, settings, {signal}) {
  const asUser = {signal, asRole: false};
  const server = await startServer([pathOf(`../src/${transport}-server.js`)], {settings, ...asUser});
  try {
    const own = {...settings, ...addressSettings(server.address), PB_OUTPUT: 'ndjson'};
    const printed = await runNode([pathOf(`../src/${transport}-client.js`)], {settings: own, ...asUser});
    return resultOf(printed).rtt.meanMs;
  } finally {
    await server.end();
  }
}

/**
 * @param {string} transport @param {number} kilobytes @param {Record<string, string>} settings @param {Bench} bench
 * @returns {Promise<number>} ms
 */
async function runBattle(transport, kilobytes, settings, {signal}) {
  const one = ['--transport', transport, '--payload', `${kilobytes}kb`];
  const program = [pathOf('../bin/perf-battle.js'), ...battle, ...one];
  const printed = await runNode(program, {settings, signal, asRole: false});
  const {cells} = JSON.parse(printed);
  const cell = cells.find((/** @type {{transport: string}} */ found) => found.transport === transport);
  if (cell?.outcome !== 'completed') throw new Error(`The battle of ${transport} failed: ${printed}`);
  return cell.rtt.meanMs;
}
