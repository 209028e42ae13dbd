import {spawn} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {createInterface} from 'node:readline';
import amqplib from 'amqplib';
import {sum} from 'simple-statistics';
import {withBroker} from './harness.js';
import {isPrecise, measurePairs, rowOf} from './pairs.js';
import {battleCell, fetchJars} from './tools.js';

/** @import {Bench, Part} from './part.js' */

const version = '2.22.1';
const queue = 'perf-test';
const payloadBytes = 1024;
/** The JVM compiles PerfTest's code within this time. */
const warmUpSeconds = 5;
/** Measured time of each side. */
const seconds = 5;

/** Both sides have the same settings. In each mode, PerfTest sends to a durable queue, as perf-battle does. */
const modes = [
  {name: 'mode 1', battle: ['--delivery-mode', '1'], perfTest: ['--autoack']},
  {name: 'mode 2', battle: ['--delivery-mode', '2'], perfTest: ['--autoack', '--flag', 'persistent']},
  {
    name: 'mode 2, manual acks',
    battle: ['--delivery-mode', '2', '--rabbitmq-ack', 'manual'],
    perfTest: ['--flag', 'persistent', '--qos', '100'],
  },
  {
    name: 'mode 2, confirms',
    battle: ['--delivery-mode', '2', '--rabbitmq-confirms', 'on', '--window', '64'],
    perfTest: ['--flag', 'persistent', '--qos', '100', '--confirm', '64'],
  },
];

/** @type {Part} */
export const perfTest = {
  name: 'perf-test',
  title:
    'a stream of 1 KB through RabbitMQ: perf-battle / PerfTest; CPU time is of client and server together',
  needs: 'Java and Maven',
  measure: comparePerfTest,
};

/**
 * Compares one producer and one consumer at full speed, in turn on one private broker.
 * @param {Bench} bench
 */
async function* comparePerfTest(bench) {
  const jars = await fetchJars({group: 'com.rabbitmq', artifact: 'perf-test', version}, bench.signal);
  yield* withBroker('rabbitmq', bench, async function* (settings) {
    for (const {name, battle, perfTest: flags} of modes) {
      if (!name.includes(bench.matching)) continue;
      const pairs = await measurePairs(bench, {
        what: name,
        one: () => runBattle(battle, settings, bench),
        other: () => runPerfTest(jars, flags, settings, bench.signal),
        isEnough: (measured) => isPrecise(pairsOf(measured, 'rate'), bench),
      });
      yield rowOf(pairsOf(pairs, 'rate'), {what: `${name}, rate`, bound: {min: 1}, unit: '/s'});
      yield rowOf(pairsOf(pairs, 'cpu'), {what: `${name}, CPU per message`, bound: {max: 1}, unit: 'µs'});
    }
  });
}

/** @typedef {{rate: number, cpu: number}} Figures rate: messages per second; cpu: µs per message */

/** @param {readonly {one: Figures, other: Figures}[]} measured @param {keyof Figures} figure */
function pairsOf(measured, figure) {
  return measured.map(({one, other}) => ({one: one[figure], other: other[figure]}));
}

/** @param {readonly string[]} flags @param {Record<string, string>} settings @param {Bench} bench @returns {Promise<Figures>} */
async function runBattle(flags, settings, {signal}) {
  const load = ['--workload', 'stream', '--payload', String(payloadBytes), '--duration', `${seconds}s`];
  const {throughput, cpu} = await battleCell('rabbitmq', [...load, ...flags], settings, signal);
  return {
    rate: throughput.messagesPerSecond,
    cpu: cpu.client.microsPerMessage + cpu.server.microsPerMessage,
  };
}

/**
 * PerfTest's producer and consumer are one process. It prints the rates of each second.
 * @param {string} jars @param {readonly string[]} flags @param {Record<string, string>} settings @param {AbortSignal} signal
 * @returns {Promise<Figures>}
 */
async function runPerfTest(jars, flags, settings, signal) {
  const {PB_RABBITMQ_HOST: host, PB_RABBITMQ_PORT: port} = settings;
  const login = [settings.PB_RABBITMQ_USERNAME, settings.PB_RABBITMQ_PASSWORD]
    .map(encodeURIComponent)
    .join(':');
  const uri = `amqp://${login}@${host}:${port}`;
  const connection = await amqplib.connect(uri);
  const channel = await connection.createChannel();
  await channel.assertQueue(queue, {durable: true, arguments: {'x-queue-type': 'classic'}});
  const load = ['--predeclared', '--queue', queue, '--size', String(payloadBytes), '--time', '60'];
  const child = spawn(
    'java',
    ['-cp', `${jars}/*`, 'com.rabbitmq.perf.PerfTest', '--uri', uri, ...load, ...flags],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      signal,
    },
  );
  try {
    const received = [];
    let usedMs = 0;
    for await (const line of createInterface({input: child.stdout})) {
      const match = /received: (\d+) msg\/s/.exec(line);
      if (!match) continue;
      received.push(Number(match[1]));
      if (received.length === warmUpSeconds) usedMs = cpuMsOf(Number(child.pid));
      if (received.length === warmUpSeconds + seconds) break;
    }
    const counted = received.slice(warmUpSeconds);
    if (counted.length < seconds) throw new Error('PerfTest ended too early.');
    const messages = sum(counted);
    return {rate: messages / seconds, cpu: ((cpuMsOf(Number(child.pid)) - usedMs) * 1000) / messages};
  } finally {
    child.kill('SIGKILL');
    await channel.deleteQueue(queue);
    await connection.close();
  }
}

/** The kernel counts in ticks of 10 ms (proc(5)). @param {number} pid @returns {number} user and system time of all threads */
function cpuMsOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}
