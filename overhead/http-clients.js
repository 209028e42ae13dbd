import {fork, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {shuffle} from 'simple-statistics';
import {keptGarbage, keptMemory} from '../src/hosts/host.js';
import {addressSettings, pathOf} from './harness.js';
import {isPrecise, repeat, rowOf, scaled} from './pairs.js';

/**
 * @import {ChildProcess} from 'node:child_process'
 * @import {Bench, Part, Row} from './part.js'
 */

const payloadBytes = 1024;
/** A bare loop with the library that a battle uses. */
const bare = 'bare undici';
const scripts = {[bare]: 'bare/undici.js', autocannon: 'autocannon-process.js'};

/** The client of a battle has two bounds: one request at a time against its bare library, and many requests against another load generator. */
const loads = [
  {
    ...{workload: 'rtt', window: 1, figure: 'time', unit: 'ms', bounds: {[bare]: {max: 1.1}}},
    of: (/** @type {number} */ perMs) => 1 / perMs,
  },
  {
    ...{workload: 'pipeline', window: 64, figure: 'rate', unit: '/s', bounds: {autocannon: {min: 0.95}}},
    of: (/** @type {number} */ perMs) => 1000 * perMs,
  },
];

const pairs = [
  ['undici', bare],
  ['undici', 'autocannon'],
  ['node', 'autocannon'],
  ['fetch', 'autocannon'],
  ['undici', 'wrk'],
];

/** Each client starts and warms up alone for this time. Then it gets this many slices. */
const warmUpMs = 3000;
const slices = 40;
const sliceMs = 30;
/** A resumed client has this time to reach its pace. */
const discardMs = 8;

/** @type {Part} */
export const httpClients = {
  name: 'http',
  title: 'requests of 1 KB to one node:http server, in slices: a client of the harness / another',
  measure: compareClients,
};

/**
 * Compares the times per request with one in flight, and the rates with 64. All clients stay alive, and all but one are stopped. The server counts
 * the requests. So the same clock judges each client, including all of its work between two requests.
 * @param {Bench} bench
 */
async function* compareClients(bench) {
  const hasWrk = spawnSync('wrk', ['-v']).error === undefined;
  if (!hasWrk) bench.log('no wrk here (Debian and Ubuntu: apt-get install wrk)');
  const wanted = pairs.filter(([, other]) => hasWrk || other !== 'wrk');
  for (const load of loads) {
    const what = `${load.figure}, ${load.window} in flight`;
    const [decisive] = Object.keys(load.bounds);
    const rounds = await repeat(
      bench,
      what,
      () => measureRound(load, [...new Set(wanted.flat())], bench),
      (measured) => isPrecise(sidesOf(measured, 'undici', decisive), bench),
    );
    for (const [library, other] of wanted)
      yield rowOf(sidesOf(rounds, library, other), {
        what: `${what}, ${library} / ${other}`,
        bound:
          (library === 'undici' && /** @type {Record<string, Row['bound']>} */ (load.bounds)[other]) || null,
        unit: load.unit,
      });
  }
}

/** @param {readonly Record<string, number>[]} rounds @param {string} one @param {string} other */
function sidesOf(rounds, one, other) {
  return rounds.map((figures) => ({one: figures[one], other: figures[other]}));
}

/** @typedef {typeof loads[number]} Load */

/**
 * @param {Load} load @param {readonly string[]} names of clients @param {Bench} bench
 * @returns {Promise<Record<string, number>>} the figure of each client
 */
async function measureRound(load, names, bench) {
  const folder = await mkdtemp(join(tmpdir(), 'perf-battle-http-'));
  const server = fork(pathOf('counting-process.js'), {
    execArgv: keptGarbage,
    env: {...process.env, ...keptMemory},
  });
  /** @type {{name: string, child: ChildProcess, requests: number, ms: number}[]} */
  const clients = [];
  try {
    const [address] = await once(server, 'message', {signal: bench.signal});
    for (const name of names) {
      const child = await startClient(name, {address, load, folder});
      clients.push({name, child, requests: 0, ms: 0});
      await sleep(scaled(bench, warmUpMs), undefined, {signal: bench.signal});
      child.kill('SIGSTOP');
    }
    for (let slice = 0; slice < scaled(bench, slices); slice += 1)
      for (const client of shuffle([...clients])) await measureSlice(client, server, bench.signal);
  } finally {
    for (const {child} of clients) child.kill('SIGKILL');
    server.kill('SIGKILL');
    await rm(folder, {recursive: true});
  }
  const idle = clients.find(({requests}) => requests === 0);
  if (idle) throw new Error(`${idle.name} sent nothing.`);
  return Object.fromEntries(clients.map(({name, requests, ms}) => [name, load.of(requests / ms)]));
}

/** @param {{child: ChildProcess, requests: number, ms: number}} client @param {ChildProcess} server @param {AbortSignal} signal */
async function measureSlice(client, server, signal) {
  const count = async () => {
    server.send('count');
    const [counted] = await once(server, 'message', {signal});
    return counted;
  };
  client.child.kill('SIGCONT');
  await sleep(discardMs);
  const before = await count();
  await sleep(sliceMs);
  const after = await count();
  client.child.kill('SIGSTOP');
  client.requests += after.count - before.count;
  client.ms += after.atMs - before.atMs;
}

/** @param {string} name @param {{address: string, load: Load, folder: string}} settings @returns {Promise<ChildProcess>} */
async function startClient(name, {address, load: {workload, window}, folder}) {
  const variables = {
    ...addressSettings(address),
    ...{PB_OUTPUT: 'ndjson', PB_PAYLOAD_BYTES: String(payloadBytes), PB_WARMUP: '0', PB_DURATION: '1h'},
    ...{PB_WORKLOAD: workload, PB_WINDOW: String(window), PB_HTTP_CLIENT: name},
  };
  const env = {PATH: process.env.PATH, ...keptMemory, ...variables};
  const stdio = /** @type {import('node:child_process').StdioOptions} */ (['ignore', 'ignore', 'inherit']);
  if (name === 'wrk') {
    const script = join(folder, 'post.lua');
    const headers = 'wrk.headers["content-type"] = "application/octet-stream"';
    await writeFile(script, `wrk.method = "POST"\nwrk.body = string.rep("x", ${payloadBytes})\n${headers}\n`);
    return spawn('wrk', ['-t1', `-c${window}`, '-d1h', '-s', script, `http://${address}/`], {stdio, env});
  }
  const script = /** @type {Record<string, string>} */ (scripts)[name] ?? '../src/http-client.js';
  return spawn(process.execPath, [...keptGarbage, pathOf(script)], {stdio, env});
}
