import {execFile} from 'node:child_process';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {brokerKindNamed} from '../../src/brokers/index.js';
import {parseCores} from '../../src/measure/cores.js';
import {readSystemFile} from '../../src/measure/system.js';
import {transportNamed, transports} from '../../src/transports/index.js';
import {provision} from '../integration/brokers/provision.js';
import {Workplace} from '../integration/support/workplace.js';

/**
 * @import {Program} from '../integration/support/program.js'
 * @import {Part, Torture} from './part.js'
 *
 * @typedef {{transport: string, node: string, environment: NodeJS.ProcessEnv}} Pair node: the program of Node.js
 * @typedef {{exits: number, hangs: number, slowestMs: number, faults: string[]}} Tally of the exits of one script
 */

const run = promisify(execFile);
const fetchNode = fileURLToPath(new URL('../../scripts/fetch-node.sh', import.meta.url));
const supportedVersions = ['20', '22', '24', '26'];

/** The transports whose client and server are scripts of perf-battle. */
const ownTransports = transports.filter(({runsPrograms}) => !runsPrograms).map(({name}) => name);

/** A process that has not ended after this time hangs. */
const hangMs = 10_000;

/**
 * The set-up in which 8 of 45 clients over WebSocket hung on an idle host with two cores (Node.js 20.20.2), when scripts still called
 * `process.exit()` at once.
 */
const provocation = {PB_PAYLOAD_BYTES: '500kb', PB_WARMUP: '2s', PB_DURATION: '1s'};
const quick = {...provocation, PB_WARMUP: '200ms', PB_DURATION: '200ms'};

/**
 * A script that runs by hand ends when it is done or signalled, with its exit code.
 * @type {Part}
 */
export const exits = {
  name: 'exits',
  summary: `each client and server by hand, on a core of its own, on Node.js ${supportedVersions.join(', ')}: does an exit hang?`,
  run: ({isLong, count, atOnce, log}) =>
    isLong
      ? countExits({
          ...{versions: supportedVersions, names: ownTransports},
          ...{settings: provocation, count, atOnce, log},
        })
      : countExits({versions: [], names: ['websocket'], settings: quick, count: 2, log}),
};

/**
 * @param {{versions: readonly string[], names: readonly string[], settings: NodeJS.ProcessEnv, count?: number | undefined, atOnce?: number | undefined, log: Torture['log']}} plan
 *   versions: of Node.js; none: this one
 */
async function countExits({versions, names, settings, count = 50, atOnce = 1, log}) {
  /** @type {Map<string, Tally>} */
  const tallies = new Map();
  const programs = versions.length === 0 ? [process.execPath] : await Promise.all(versions.map(programOf));
  for (const transport of names) {
    await withEnvironmentOf(transport, async (environment) => {
      for (const node of programs) {
        const title = `Node.js ${(await run(node, ['--version'])).stdout.trim()}`;
        const [client, server] = [newTally(), newTally()];
        tallies.set(`${transport}-client, ${title}`, client).set(`${transport}-server, ${title}`, server);
        let left = count;
        const runPairs = async () => {
          while (left > 0) {
            const own = namesOf(transport, left);
            left -= 1;
            await runPair(
              {transport, node, environment: {...settings, ...environment, ...own}},
              {client, server},
            );
          }
        };
        await Promise.all(Array.from({length: pairsAtOnce(transport, atOnce)}, runPairs));
        log(`${transport}, ${title}: client ${describe(client)}; server ${describe(server)}`);
      }
    });
  }
  return {
    counts: Object.fromEntries([...tallies].map(([what, tally]) => [what, describe(tally)])),
    failures: [...tallies].flatMap(([what, {faults}]) => faults.map((fault) => `${what}: ${fault}`)),
  };
}

/** As many as asked for, if this host has room for them: a user's POSIX queues are bounded. @param {string} name of a transport @param {number} asked @returns {number} */
function pairsAtOnce(name, asked) {
  const {refuseProcesses = () => null} = transportNamed(name);
  return asked > 1 && refuseProcesses(2 * asked) !== null ? pairsAtOnce(name, asked - 1) : asked;
}

/** @param {string} version @returns {Promise<string>} */
async function programOf(version) {
  const {stdout} = await run('bash', [fetchNode, version]);
  return `${stdout.trim()}/node`;
}

/** @returns {Tally} */
function newTally() {
  return {exits: 0, hangs: 0, slowestMs: 0, faults: []};
}

/** @param {Tally} tally */
function describe({exits, hangs, slowestMs}) {
  return `${exits} exits, ${hangs} hangs; the slowest exit took ${Math.round(slowestMs)} ms`;
}

/**
 * @param {string} name of a transport
 * @param {(environment: NodeJS.ProcessEnv) => Promise<void>} use
 */
async function withEnvironmentOf(name, use) {
  const {broker: kindName} = transportNamed(name);
  if (kindName === null) return await use({});
  const kind = brokerKindNamed(kindName);
  const workplace = await Workplace.make();
  try {
    const broker = await provision(kind, {temporaryFolder: workplace.temporary});
    try {
      const {username, password, hostname, port} = broker.connection;
      const url = `${kind.schemes[0]}://${username}:${password}@${hostname}:${port}`;
      await use({[kind.urlOption.environmentName]: url});
    } finally {
      await broker.release();
    }
  } finally {
    await workplace.clear();
  }
}

/**
 * Settings by which a pair has names of its own on a broker that it shares with others.
 * @param {string} name of a transport
 * @param {number} number of the pair
 * @returns {NodeJS.ProcessEnv}
 */
function namesOf(name, number) {
  const kind = transportNamed(name).broker;
  const options = kind ? brokerKindNamed(kind).nameOptions : [];
  return Object.fromEntries(options.map(({environmentName}) => [environmentName, `exits-${number}`]));
}

/**
 * @param {Pair} pair
 * @param {{client: Tally, server: Tally}} tallies
 */
async function runPair({transport, node, environment}, tallies) {
  const workplace = await Workplace.make();
  const cores = parseCores(
    /^Cpus_allowed_list:\s*(\S+)$/m.exec(readSystemFile('/proc/self/status') ?? '')?.[1] ?? '0',
  ) ?? [0];
  const start = (/** @type {string} */ role, /** @type {number} */ core, /** @type {string} */ port) =>
    workplace.start(
      `${transport}-${role}`,
      [],
      {...environment, PB_OUTPUT: 'ndjson', PB_SERVER_PORT: port},
      {wrapper: ['taskset', '-c', String(core)], node},
    );
  try {
    const server = start('server', /** @type {number} */ (cores.at(-1)), '0');
    const [, port = '0'] = await server.says(/"ready".*?"address":(?:null|"[^"]*:(\d+)")/);
    const client = start('client', cores[0], port);
    await client.says(/"(result|error)"/);
    await countExit(client, 0, tallies.client);
    server.child.kill('SIGTERM');
    await countExit(server, 143, tallies.server);
  } finally {
    await workplace.clear();
  }
}

/**
 * @param {Program} program that is about to end
 * @param {number} expected its exit code
 * @param {Tally} tally
 */
async function countExit(program, expected, tally) {
  const since = performance.now();
  const ended = await Promise.race([program.ended, sleep(hangMs, null, {ref: false})]);
  if (ended === null) {
    tally.hangs += 1;
    tally.faults.push(`it had not ended after ${hangMs / 1000} s`);
    program.child.kill('SIGKILL');
    await program.ended;
    return;
  }
  tally.exits += 1;
  tally.slowestMs = Math.max(tally.slowestMs, performance.now() - since);
  if (ended.code !== expected)
    tally.faults.push(`exit code ${ended.code ?? ended.signal}: ${ended.stdout}${ended.stderr}`);
}
