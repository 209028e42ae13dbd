import {randomUUID} from 'node:crypto';
import {setTimeout as sleep} from 'node:timers/promises';
import {mean} from 'simple-statistics';
import {heartbeatTimeoutMs} from '../ending/heartbeat.js';
import {readSystemFile} from '../measure/system.js';
import {sentOf} from '../roles/programs/contract.js';
import {processesOf} from '../roles/programs/group-usage.js';
import {Program, SilentError} from '../roles/programs/program.js';
import {cachedWorkload, oneWayWorkload, rowsWorkload} from '../workloads/index.js';
import {
  configure,
  fail,
  isShort,
  meanMs,
  noticed,
  relayOf,
  requireClean,
  running,
  sendOneWay,
} from './program-pair.js';

/**
 * @import {Length, Pair} from './program-pair.js'
 * @import {Check} from './run-checks.js'
 */

/** @typedef {Check<Pair> & {needsRelay?: boolean, optional?: Length}} ProgramCheck needsRelay: the check needs a relay between client and server; optional: an option that not all programs support */

/** Longer than a busy host delays a reply, so that a program without a fault does not fail. */
const shortTimeoutMs = 2000;
const delayMs = 20;
const largeBytes = 102_400;
/** The number of one-way messages, or of requests through a cache. */
const messages = 1000;
const throughCache = {workload: cachedWorkload, hitRatio: 0.7};
/** The rows make a large payload; a check changes a byte in its middle. */
const ofRows = {workload: rowsWorkload, rows: 504, payloadBytes: largeBytes};
const graceMs = 2500;

/** @type {readonly ProgramCheck[]} */
export const checks = [
  {
    name: 'both become ready',
    isFirst: true,
    async run(pair) {
      const {address, details = {}} = await pair.configureServer();
      const ofClient = await pair.configureClient();
      const all = Object.entries({...details, ...ofClient.details}).map(([key, value]) => `${key} ${value}`);
      return [address === null ? 'through a broker' : `at ${address}`, ...all].join(', ');
    },
  },
  {
    name: 'a number of round trips is measured, and the server counts each',
    async run(pair) {
      await configure(pair);
      await pair.served();
      const result = await pair.measure();
      requireClean(result, 100);
      const served = await pair.served();
      if (served !== result.discarded + 100)
        fail(`the server counted ${served} requests; the client sent ${result.discarded} and then 100`);
      return `mean ${meanMs(result).toFixed(4)} ms`;
    },
  },
  {
    name: 'round trips are measured for a time',
    async run(pair) {
      await configure(pair, {samples: null, durationMs: 300});
      await pair.warmUp();
      const begun = performance.now();
      const result = await pair.result();
      const ms = performance.now() - begun;
      requireClean(result, sentOf(result));
      if (ms < 290 || ms > 1500) fail(`it took ${Math.round(ms)} ms in place of 300`);
      return `${sentOf(result)} in ${Math.round(ms)} ms`;
    },
  },
  {
    name: 'the same processes measure another payload size afterwards',
    async run(pair) {
      await configure(pair);
      const small = await pair.measure();
      await configure(pair, {payloadBytes: largeBytes});
      const before = pair.relay?.bytes ?? 0;
      const large = await pair.measure();
      for (const result of [small, large]) requireClean(result, 100);
      const each = Math.round(((pair.relay?.bytes ?? 0) - before) / (100 + large.discarded));
      // Some programs compress their replies.
      if (pair.relay && each < largeBytes / 10) fail(`replies had ${each} bytes in place of ${largeBytes}`);
      return `1kb ${meanMs(small).toFixed(4)} ms, 100kb ${meanMs(large).toFixed(4)} ms`;
    },
  },
  {
    name: 'one server answers two clients at once',
    async run(pair) {
      const other = new Program(pair.programs.client, 'client');
      pair.started.push(other);
      await configure(pair);
      await pair.configureClient({}, other);
      await Promise.all([pair.warmUp(), pair.warmUp(other)]);
      await pair.served();
      const results = await Promise.all([pair.result(), pair.result(other)]);
      for (const result of results) requireClean(result, 100);
      const served = await pair.served();
      if (served !== 200) fail(`the server counted ${served} requests of two clients that sent 100 each`);
      return '100 each';
    },
  },
  {
    name: `a delay of ${delayMs} ms on the way is in every round trip`,
    needsRelay: true,
    async run(pair) {
      await configure(pair, {samples: 20});
      await pair.warmUp();
      relayOf(pair).treatment = {kind: 'delay', ms: delayMs};
      const begun = performance.now();
      const result = await pair.result();
      const elapsedMs = performance.now() - begun;
      requireClean(result, 20);
      const ms = meanMs(result);
      // On a busy host, too, the sum of the round trips is at most the elapsed time. A histogram rounds by up to 0.1 %.
      if (ms < delayMs - 1 || 20 * ms > 1.001 * elapsedMs)
        fail(
          `the mean round trip is ${ms} ms, and 20 took ${Math.round(elapsedMs)} ms: samples must be in ns`,
        );
      return `mean ${ms.toFixed(1)} ms`;
    },
  },
  {
    name: 'a reply with one wrong byte is found',
    needsRelay: true,
    async run(pair) {
      return await findsChange(pair, {payloadBytes: largeBytes});
    },
  },
  {
    name: 'a reply that does not come is noticed within the timeout',
    needsRelay: true,
    async run(pair) {
      await configure(pair, {timeoutMs: shortTimeoutMs});
      await pair.warmUp();
      relayOf(pair).treatment = {kind: 'swallow'};
      return await noticed(pair, isShort, 'replies that did not come');
    },
  },
  {
    name: 'the death of the server is noticed',
    async run(pair) {
      await configure(pair, {samples: null, durationMs: 5000, timeoutMs: shortTimeoutMs});
      await pair.warmUp();
      setTimeout(() => pair.server.kill('SIGKILL'), 300);
      return await noticed(pair, isShort, 'a server that was killed');
    },
  },
  {
    name: 'replies with each byte plus one are measured, and compared with that',
    optional: {reply: 'increment'},
    async run(pair) {
      await configure(pair, {reply: 'increment'});
      const result = await pair.measure();
      requireClean(result, 100);
      if (pair.relay) await findsChange(pair, {reply: 'increment', payloadBytes: largeBytes});
      return `mean ${meanMs(result).toFixed(4)} ms`;
    },
  },
  {
    name: 'one-way messages are counted by the server, and timed from the first to the last',
    optional: {workload: oneWayWorkload},
    async run(pair) {
      const begun = performance.now();
      const {result, arrived} = await sendOneWay(pair, {samples: messages});
      const elapsedMs = performance.now() - begun;
      const ms = arrived.sinceFirstMs - arrived.sinceLastMs;
      if (!(ms > 0 && arrived.sinceFirstMs <= elapsedMs))
        fail(
          `the first of ${messages} messages came ${arrived.sinceFirstMs} ms before the mark, the last one ${arrived.sinceLastMs} ms; all of it took ${Math.round(elapsedMs)} ms`,
        );
      return `${sentOf(result)} in ${ms.toFixed(1)} ms`;
    },
  },
  {
    name: 'a closing call is answered after all messages before it',
    optional: {workload: oneWayWorkload},
    async run(pair) {
      const begun = performance.now();
      const {result, early} = await sendOneWay(pair, {samples: messages, closingCall: true});
      const {durationMs: ms = 0} = result;
      if (early !== messages)
        fail(`the call was answered when the server had ${early} of ${messages} messages`);
      if (!(ms > 0 && ms <= performance.now() - begun)) fail(`durationMs is ${ms}`);
      return `${messages} and the call in ${ms.toFixed(1)} ms`;
    },
  },
  {
    name: 'a cache of the client answers the share of requests that is asked for, and the server the others',
    optional: throughCache,
    async run(pair) {
      await configure(pair, {...throughCache, samples: messages});
      await pair.warmUp();
      await pair.served();
      const result = await pair.result();
      requireClean(result, messages, throughCache);
      const served = await pair.served();
      const {hitsNs = [], missesNs = []} = result.cache ?? {};
      if (served !== missesNs.length)
        fail(`the server counted ${served} requests; the client says that ${missesNs.length} went there`);
      if (pair.relay)
        await findsChange(pair, {...throughCache, samples: messages}, {afterBytes: 512, most: messages});
      return `hits ${(mean(hitsNs) / 1e6).toFixed(4)} ms, misses ${(mean(missesNs) / 1e6).toFixed(4)} ms`;
    },
  },
  {
    name: 'replies of rows are decoded, and all their rows are counted',
    optional: ofRows,
    async run(pair) {
      await configure(pair, ofRows);
      const result = await pair.measure();
      requireClean(result, 100, ofRows);
      if (pair.relay) {
        await configure(pair, {...ofRows, rows: 8, payloadBytes: 8192});
        requireClean(await pair.measure(), 100, {...ofRows, rows: 8});
        await findsChange(pair, ofRows, {most: messages});
      }
      return `${result.rows} rows, mean ${meanMs(result).toFixed(4)} ms`;
    },
  },
  {
    name: 'a workload that a program does not know is refused',
    async run(pair) {
      await pair.configureServer();
      const refusal = await pair.configureClient({workload: 'no-such-workload'}).catch((error) => error);
      if (refusal instanceof SilentError) throw refusal;
      return refusal instanceof Error
        ? refusal.message
        : fail('the client was ready for the workload no-such-workload');
    },
  },
  {
    name: 'messages and options of later versions are ignored',
    async run(pair) {
      for (const program of [pair.server, pair.client]) {
        program.send({type: 'of-a-later-version', options: {}});
        program.send({type: 'beat', options: {later: true}});
      }
      await configure(pair);
      requireClean(await pair.measure(), 100);
      return 'both measured as before';
    },
  },
  {
    name: 'stop ends both, with exit code 0',
    async run(pair) {
      await configure(pair);
      await pair.measure();
      for (const program of pair.started) program.send({type: 'stop'});
      if (!(await pair.endWithin(graceMs))) fail(`${running(pair)} still ran ${graceMs} ms after stop`);
      for (const {process, role} of pair.started) {
        const {exitCode, signalCode} = /** @type {any} */ (process.child);
        if (exitCode !== 0) fail(`the ${role} ended with ${signalCode ?? `exit code ${exitCode}`}`);
      }
      return 'both ended';
    },
  },
  {
    name: 'both end with their input, also in the middle of a measurement',
    async run(pair) {
      await configure(pair, {samples: null, durationMs: 60_000});
      await pair.warmUp();
      pair.client.send({type: 'go'});
      await sleep(200);
      for (const {process} of pair.started) process.child.stdin.end();
      if (!(await pair.endWithin(graceMs)))
        fail(`${running(pair)} still ran ${graceMs} ms after the end of its input`);
      return 'both ended';
    },
  },
  {
    name: 'both end after 5 s without a line',
    async run(pair) {
      await configure(pair);
      for (const program of pair.started) program.fallSilent();
      if (await pair.endWithin(heartbeatTimeoutMs - graceMs))
        fail(`one ended after less than ${heartbeatTimeoutMs - graceMs} ms of silence`);
      if (!(await pair.endWithin(2 * graceMs)))
        fail(`${running(pair)} still ran ${heartbeatTimeoutMs + graceMs} ms after its last line`);
      return 'both ended';
    },
  },
  {
    name: 'the configuration is not shown: it may hold passwords',
    async run(pair) {
      pair.brokerOptions.broker ??= {password: `secret-${randomUUID()}`};
      const secret = String(pair.brokerOptions.broker.password);
      let output = '';
      for (const {process} of pair.started)
        for (const stream of [process.child.stdout, process.child.stderr])
          stream.on('data', (text) => {
            output += text;
          });
      await configure(pair);
      await pair.measure();
      if (output.includes(secret)) fail('a program wrote a password of its configuration');
      for (const {group, role} of pair.started)
        for (const id of processesOf(group))
          for (const file of ['cmdline', 'environ'])
            if (readSystemFile(`/proc/${id}/${file}`)?.includes(secret))
              fail(`/proc/${id}/${file} of the ${role} shows a password of its configuration`);
      return 'neither in what they wrote, nor on a command line';
    },
  },
];

/**
 * Changes one byte in the replies, and requires that the client notices it.
 * @param {Pair} pair @param {Length} length
 * @param {{afterBytes?: number, most?: number}} [how] most: the maximum of wrong replies; a cache or a database may return the changed reply several times
 */
async function findsChange(pair, length, {afterBytes = largeBytes / 2, most = 1} = {}) {
  await configure(pair, length);
  await pair.warmUp();
  relayOf(pair).treatment = {kind: 'change', afterBytes};
  return await noticed(pair, ({corrupted}) => corrupted > 0 && corrupted <= most, 'a wrong reply');
}
