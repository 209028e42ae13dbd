import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {makeNetwork} from '../test/integration/support/network.js';
import {addressSettings, pathOf, resultOf} from './harness.js';
import {estimateMedian, repeat} from './pairs.js';
import {runNode, startServer} from './processes.js';
import {installCounter, runBattle} from './scale-battle.js';

/** @import {Bench, Part, Row} from './part.js' */

/** Numbers of client processes, and of the hosts to which they are assigned round-robin. */
const settings = [
  {clients: 1, hosts: 1},
  {clients: 2, hosts: 2},
  {clients: 4, hosts: 4},
  {clients: 8, hosts: 4},
  {clients: 16, hosts: 4},
  {clients: 16, hosts: 2},
  {clients: 16, hosts: 1},
];
const clientHosts = ['client1', 'client2', 'client3', 'client4'];
const serverHost = 'server';

/** The figures of a battle, in the order of the rows. */
const figures = [
  {what: 'set-up and end of a trial', unit: 'ms', of: (/** @type {Battle} */ {setUpMs}) => setUpMs},
  {what: 'start and end of a battle', unit: 'ms', of: (/** @type {Battle} */ {restMs}) => restMs},
  {
    what: 'CPU of perf-battle',
    unit: 'ms',
    of: (/** @type {Battle} */ {usage}) => (usage.userCPUTime + usage.systemCPUTime) / 1000,
  },
  {what: 'memory of perf-battle', unit: 'MiB', of: (/** @type {Battle} */ {usage}) => usage.maxRSS / 1024},
];

/** @typedef {Awaited<ReturnType<typeof runBattle>>} Battle */
/** @typedef {typeof settings[number]} Setting */

/** @type {Part} */
export const scale = {
  name: 'scale',
  title: 'cost of more clients to the battle, over ssh',
  needs: "root and OpenSSH's server",
  measure: measureScale,
};

/**
 * Measures what additional clients cost the battle itself. The hosts are network namespaces of this host, reached by ssh. They share its cores, so
 * processes that would start in parallel on separate hosts wait for each other here.
 * @param {Bench} bench
 */
async function* measureScale(bench) {
  const folder = await mkdtemp(join(tmpdir(), 'perf-battle-scale-'));
  try {
    yield* await measureBattles(folder, bench);
    yield* await measureMerge(folder, bench);
  } finally {
    await rm(folder, {recursive: true, force: true});
  }
}

/**
 * Interleaves the settings, so that drift of the machine affects all of them equally.
 * @param {string} folder @param {Bench} bench
 */
async function measureBattles(folder, bench) {
  const {signal} = bench;
  const network = await makeNetwork([...clientHosts, serverHost]);
  try {
    const run = (
      /** @type {Setting} */ {clients, hosts},
      /** @type {Record<string, string>} */ counting = {},
    ) =>
      runBattle(folder, {
        clients,
        clientOn: clientHosts.slice(0, hosts),
        serverOn: serverHost,
        environment: {PB_SSH_CONFIG: network.sshConfig, ...counting},
        signal,
      });
    // This run copies perf-battle to all hosts.
    await run({clients: 4, hosts: 4});
    /** @type {Battle[][]} by setting */
    const battles = settings.map(() => []);
    /** @type {Battle[][]} */
    const counted = settings.map(() => []);
    const counter = await installCounter(folder);
    await repeat(bench, 'battles', async () => {
      for (const [index, setting] of settings.entries()) {
        battles[index].push(await run(setting));
        if (setting.hosts === Math.min(setting.clients, clientHosts.length))
          counted[index].push(await run(setting, counter));
      }
    });
    return [...rowsOfBattles(battles), ...rowsOfBytes(counted)];
  } finally {
    await network.close();
  }
}

/** @param {Battle[][]} battles */
function rowsOfBattles(battles) {
  return figures.flatMap(({what, unit, of}) =>
    settings.map((setting, index) => rowOf(`${what}, ${nameOf(setting)}`, battles[index].map(of), unit)),
  );
}

/** @param {Battle[][]} battles */
function rowsOfBytes(battles) {
  return battles.flatMap((some, index) => {
    const bytes = some.map(({control}) => control);
    if (bytes.length === 0) return [];
    const name = nameOf(settings[index]);
    return [
      rowOf(
        `to a client, ${name}`,
        bytes.map(({client}) => client.sent),
        'B',
      ),
      rowOf(
        `from a client, ${name}`,
        bytes.map(({client}) => client.received),
        'B',
      ),
    ];
  });
}

/**
 * Times the merge of the results of clients, each time in a new process. A battle does not merge often enough for the code to be compiled, either.
 * @param {string} folder @param {Bench} bench
 */
async function measureMerge(folder, bench) {
  const {signal} = bench;
  const counts = [...new Set(settings.map(({clients}) => clients))];
  const file = join(folder, 'results.json');
  await writeFile(file, JSON.stringify(await collectResults(Math.max(...counts), signal)));
  /** @type {number[][]} by count */
  const times = counts.map(() => []);
  await repeat(bench, 'merging', async () => {
    for (const [index, count] of counts.entries())
      times[index].push(Number(await runNode([pathOf('merge-process.js'), file, String(count)], {signal})));
  });
  return counts.map((count, index) =>
    rowOf(`merging the results of ${count} client${count === 1 ? '' : 's'}`, times[index], 'ms'),
  );
}

/** @param {number} count @param {AbortSignal} signal @returns {Promise<Record<string, any>[]>} the results of consecutive clients */
async function collectResults(count, signal) {
  const server = await startServer([pathOf('../src/tcp-server.js')], {settings: {}, signal});
  try {
    const ofClient = {
      PB_OUTPUT: 'ndjson',
      PB_DURATION: '1s',
      PB_WARMUP: '50',
      ...addressSettings(server.address),
    };
    const results = [];
    for (let client = 0; client < count; client += 1)
      results.push(resultOf(await runNode([pathOf('../src/tcp-client.js')], {settings: ofClient, signal})));
    return results;
  } finally {
    await server.end();
  }
}

/** @param {Setting} setting */
function nameOf({clients, hosts}) {
  return `${clients} on ${hosts}`;
}

/** @param {string} what @param {number[]} values @param {string} unit @returns {Row} */
function rowOf(what, values, unit) {
  return {what, bound: null, estimate: estimateMedian(values), unit, sides: null};
}
