import {readFile} from 'node:fs/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import {brokerKindNamed} from '../../src/brokers/index.js';
import {transports} from '../../src/transports/index.js';
import {Workplace} from '../integration/support/workplace.js';
import {misbehaviours, passesGreeting, startHostileBroker} from './hostile-brokers.js';

/**
 * @import {Program} from '../integration/support/program.js'
 * @import {Part, Torture} from './part.js'
 *
 * @typedef {{kind: string, what: string, way: Way}} Case
 * @typedef {keyof typeof ways} Way how a person meets the broker
 * @typedef {{what: string, peakMebibytes: number, faults: string[]}} Met
 */

const maxMebibytes = 300;
const mebibyte = 1024 ** 2;
/** A command gives up a broker after 10 s, each role likewise. */
const maxSeconds = 90;

const small = ['--samples', '20', '--warmup', '10', '--rounds', '1', '--payload', '1kb', '--timeout', '1s'];

/** @param {string} kind of broker @returns {string} a transport that needs one */
function transportOf(kind) {
  return transports.find(({broker}) => broker === kind)?.name ?? kind;
}

/** What is started against a broker at a URL, and the exit code that is right if it never answers well. */
const ways = {
  battle: {
    start: (/** @type {Workplace} */ workplace, /** @type {string} */ kind, /** @type {string} */ url) =>
      workplace.start('battle', ['--transport', `tcp,${transportOf(kind)}`, '--broker', url, ...small]),
    code: 3,
  },
  doctor: {
    start: (/** @type {Workplace} */ workplace, /** @type {string} */ kind, /** @type {string} */ url) =>
      workplace.start('battle', ['doctor'], {[brokerKindNamed(kind).urlOption.environmentName]: url}),
    code: 1,
  },
  client: {
    start: (/** @type {Workplace} */ workplace, /** @type {string} */ kind, /** @type {string} */ url) =>
      workplace.start(`${transportOf(kind)}-client`, ['--timeout', '1s', '--samples', '10'], {
        [brokerKindNamed(kind).urlOption.environmentName]: url,
        PB_CONNECT_TIMEOUT: '0',
      }),
    code: 3,
  },
  server: {
    start: (/** @type {Workplace} */ workplace, /** @type {string} */ kind, /** @type {string} */ url) =>
      workplace.start(`${transportOf(kind)}-server`, [], {
        [brokerKindNamed(kind).urlOption.environmentName]: url,
      }),
    code: 3,
  },
};

/** Those of the short form fail at once: nothing waits for a bound. @type {readonly Case[]} */
const shortForm = [
  {kind: 'rabbitmq', what: 'sends a frame that is too long', way: 'battle'},
  {kind: 'rabbitmq', what: 'sends an unknown method after open-ok', way: 'server'},
  {kind: 'nats', what: 'announces a message of 10 GB before PONG', way: 'battle'},
  {kind: 'nats', what: 'pings without an end, and does not read', way: 'client'},
  {kind: 'mosquitto', what: 'announces a packet of 256 MB before CONNACK', way: 'client'},
  {kind: 'kafka', what: 'announces an answer of 2 GB', way: 'battle'},
];

/**
 * Programs that answer at a broker's port and misbehave are named as unavailable. They cost no memory, and hang nothing.
 * @type {Part}
 */
export const brokers = {
  name: 'brokers',
  summary: `brokers that are none, fall silent, announce 10 GB: does a command hang, succeed, or take ${maxMebibytes} MB?`,
  run: meetAll,
};

/** @param {Torture} torture */
async function meetAll({isLong, log}) {
  const cases = (isLong ? allCases() : shortForm).values();
  /** @type {Met[]} */
  const all = [];
  const worker = async () => {
    for (const one of cases) {
      const met = await meet(one);
      log(`${met.what}: ${met.peakMebibytes} MB ${met.faults.join('; ')}`);
      all.push(met);
    }
  };
  await Promise.all([worker(), worker()]);
  return {
    counts: {
      'commands and scripts that met such a broker': all.length,
      'largest memory in MB': Math.max(...all.map(({peakMebibytes}) => peakMebibytes)),
    },
    failures: all.flatMap(({what, faults}) => faults.map((fault) => `${what}: ${fault}`)),
  };
}

/** @returns {Case[]} */
function allCases() {
  return Object.entries(misbehaviours).flatMap(([kind, all]) =>
    Object.keys(all).flatMap((what) =>
      /** @type {Way[]} */ (Object.keys(ways)).map((way) => ({kind, what, way})),
    ),
  );
}

/** @param {Case} one @returns {Promise<Met>} */
async function meet({kind, what, way}) {
  const workplace = await Workplace.make();
  const broker = await startHostileBroker(kind, what);
  const [scheme] = brokerKindNamed(kind).schemes;
  try {
    const program = ways[way].start(workplace, kind, `${scheme}://127.0.0.1:${broker.port}`);
    const peak = watchMemory(program);
    const faults = await judgeEnd(program, {kind, what, way, port: broker.port});
    const peakMebibytes = Math.round((await peak) / mebibyte);
    if (peakMebibytes >= maxMebibytes) faults.push(`took ${peakMebibytes} MB`);
    return {what: `${way} whose ${kind} broker ${what}`, peakMebibytes, faults};
  } finally {
    broker.close();
    await workplace.clear();
  }
}

/** @param {Program} program @param {Case & {port: number}} one @returns {Promise<string[]>} */
async function judgeEnd(program, {kind, what, way, port}) {
  const seconds = passesGreeting.has(what) && way === 'server' ? 3 : maxSeconds;
  const ended = await Promise.race([program.ended, sleep(seconds * 1000, null, {ref: false})]);
  if (!ended) {
    program.child.kill('SIGTERM');
    const stopped = await Promise.race([program.ended, sleep(10_000, null, {ref: false})]);
    if (!stopped) program.child.kill('SIGKILL');
    const isServing = stopped && seconds < maxSeconds;
    return isServing ? [] : [`still ran after ${seconds} s${stopped ? '' : ', and after a signal'}`];
  }
  // What behaves well until it is used may be noticed by another error.
  if (passesGreeting.has(what)) return way !== 'doctor' && ended.code === 0 ? ['ended with exit code 0'] : [];
  const output = `${ended.stdout}${ended.stderr}`.replace(/\s+/g, ' ');
  const named = new RegExp(`127\\.0\\.0\\.1:${port} (does not (speak|answer)|cannot be reached)`);
  return [
    ...(ended.code === ways[way].code ? [] : [`ended with exit code ${ended.code}`]),
    ...(named.test(output) ? [] : [`does not name the ${kind} broker: ${output.slice(-300)}`]),
    ...(/\n +at .*\.js/.test(`${ended.stdout}${ended.stderr}`) ? ['printed a stack'] : []),
  ];
}

/** @param {Program} program @returns {Promise<number>} the largest resident memory, in bytes */
async function watchMemory({child, pid}) {
  let peakBytes = 0;
  while (child.exitCode === null && child.signalCode === null) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
    if (kibibytes !== undefined) peakBytes = Math.max(peakBytes, Number(kibibytes) * 1024);
    await sleep(10);
  }
  return peakBytes;
}
