import {setTimeout as sleep} from 'node:timers/promises';
import {randomSource} from '../../src/payload/random.js';
import {fillCaches} from '../integration/support/fill-caches.js';
import {killIfRunning} from '../integration/support/kill-if-running.js';
import {leftoversOnHostsWithin} from '../integration/support/leftovers-on-hosts.js';
import {makeNetwork} from '../integration/support/network.js';
import {Workplace} from '../integration/support/workplace.js';
import {processesBelow} from './kills/processes.js';

/**
 * @import {Network} from '../integration/support/network.js'
 * @import {Ended, Program} from '../integration/support/program.js'
 * @import {Process} from './kills/processes.js'
 * @import {Part, Torture} from './part.js'
 *
 * @typedef {{victim: keyof typeof victims, signal: 'SIGSTOP' | 'SIGKILL', afterMs: number}} Attack
 */

const longAttacks = 20;
/** The two hosts are logged in to, and raw TCP and WebSocket are measured. */
const spanMs = {long: 6000, short: 3000};
/** The bound of a trial is 63 s; a role that does not end then is ended after 8 s; a busy host takes longer. */
const endsWithinMs = 120_000;
/** Whatever is on a host ends by itself when its battle is silent for 5 s. */
const goneWithinMs = 20_000;

const where = [
  ...[
    '--client-on',
    'alpha',
    '--server-on',
    'beta',
    '--payload',
    '100kb',
    '--rounds',
    '1',
    '--timeout',
    '1s',
  ],
];
const battle = [...where, '--transport', 'websocket', '--duration', '2s', '--warmup', '100ms'];
const next = [...where, '--transport', 'tcp', '--samples', '20', '--warmup', '10', '--quiet'];

/** @param {RegExp} pattern @returns {(processes: readonly Process[]) => readonly Process[]} */
const those = (pattern) => (processes) => processes.filter(({command}) => pattern.test(command));

/** Which of the processes of a battle here, and of the hosts, get the signal. */
const victims = {
  'ssh processes here': those(/^ssh /),
  'a guard of a connection': (/** @type {readonly Process[]} */ processes) =>
    those(/^sh [\s\S]*-M /)(processes).slice(0, 1),
  'an agent': (/** @type {readonly Process[]} */ processes) =>
    those(/^\S*node .*agent-process\.js/)(processes).slice(0, 1),
  'a role there': (/** @type {readonly Process[]} */ processes) =>
    those(/^\S*node .*roles\/program\.js/)(processes).slice(0, 1),
  'the whole group': () => [],
};

/**
 * Battles over ssh, whose processes are stopped or killed here and on the hosts.
 * @type {Part}
 */
export const hosts = {
  name: 'hosts',
  summary: `${longAttacks} SIGSTOPs and SIGKILLs to ssh, agents, roles on hosts, a whole group: does a battle hang, is anything left?`,
  run: attackAll,
};

/** @param {Torture} torture */
async function attackAll({isLong, seed, count = longAttacks, log}) {
  const random = randomSource(seed, 'hosts');
  const names = /** @type {Attack['victim'][]} */ (Object.keys(victims));
  const planned = Array.from({length: isLong ? count : 1}, (_, index) => ({
    victim: isLong ? names[index % names.length] : 'the whole group',
    signal: isLong && Math.floor(index / names.length) % 2 === 0 ? 'SIGSTOP' : 'SIGKILL',
    afterMs: Math.round(random() * spanMs[isLong ? 'long' : 'short']),
  }));
  /** @type {Record<string, number>} */
  const counts = {attacks: 0, 'battles that had ended': 0, 'the slowest end in s': 0};
  /** @type {string[]} */
  const failures = [];
  const network = await makeNetwork(['alpha', 'beta']);
  try {
    await fillCaches(network);
    for (const attack of planned) {
      const {hits, seconds, faults} = await attackOne(/** @type {Attack} */ (attack), network);
      const name = `${attack.signal} to ${attack.victim} after ${attack.afterMs} ms`;
      counts.attacks += 1;
      counts['battles that had ended'] += Number(hits === 0);
      counts['the slowest end in s'] = Math.max(counts['the slowest end in s'], seconds);
      failures.push(...faults.map((fault) => `${name}: ${fault}`));
      log(`${name}: ${hits} processes, ${seconds} s ${faults.join(', ')}`);
    }
  } finally {
    await network.close();
  }
  return {counts, failures};
}

/** @param {Attack} attack @param {Network} network */
async function attackOne(attack, network) {
  const workplace = await Workplace.make();
  const environment = {PB_SSH_CONFIG: network.sshConfig};
  // A group of its own.
  const program = workplace.start('battle', battle, environment, {wrapper: ['setsid'], patienceMs: 300_000});
  try {
    await sleep(attack.afterMs);
    const hits = await strike(attack, program, network);
    const since = performance.now();
    const faults = await judgeEnd(attack, program, network);
    const seconds = Math.round((performance.now() - since) / 1000);
    faults.push(...(await leftOnHosts(network, goneWithinMs)));
    const {code, stderr} = await workplace.start('battle', next, environment).ended;
    if (code !== 0) faults.push(`the next battle ended with ${code}: ${stderr.slice(-300)}`);
    const left = [...(await workplace.leftoversWithin(8000)), ...(await leftOnHosts(network, 5000))];
    return {hits, seconds, faults: [...faults, ...left.map((one) => `after the next battle: ${one}`)]};
  } finally {
    await clearHosts(network);
    await workplace.clear();
  }
}

/** Waits for a victim, within a bound. @param {Attack} attack @param {Program} program @param {Network} network */
async function strike({victim, signal}, {child, pid}, network) {
  for (let patience = 100; patience > 0 && child.exitCode === null; patience -= 1) {
    if (victim === 'the whole group') return Number(process.kill(-pid, signal));
    const there = await Promise.all(Object.keys(network.hosts).map((name) => network.processesOf(name)));
    const all = [...(await processesBelow(pid)), ...there.flat()];
    const hit = victims[victim](/** @type {Process[]} */ (all));
    for (const one of hit) process.kill(one.pid, signal);
    if (hit.length > 0) return hit.length;
    await sleep(100);
  }
  return 0;
}

/** @param {Attack} attack @param {Program} program @param {Network} network @returns {Promise<string[]>} */
async function judgeEnd({victim, signal}, program, network) {
  const faults = [];
  const isStopped = victim === 'the whole group' && signal === 'SIGSTOP';
  if (isStopped) {
    faults.push(...(await leftOnHosts(network, goneWithinMs)).map((one) => `while it is stopped: ${one}`));
    process.kill(-program.pid, 'SIGCONT');
  }
  /** @type {Ended | null} */
  const ended = await Promise.race([program.ended, sleep(endsWithinMs, null, {ref: false})]);
  if (ended === null) {
    process.kill(-program.pid, 'SIGKILL');
    return [...faults, `it did not end within ${endsWithinMs / 1000} s: ${program.output().slice(-300)}`];
  }
  if (/\n +at .*\.js/.test(`${ended.stdout}${ended.stderr}`))
    faults.push(`printed a stack: ${ended.stderr.slice(-500)}`);
  return faults;
}

/** @param {Network} network @param {number} ms @returns {Promise<string[]>} */
async function leftOnHosts(network, ms) {
  return await leftoversOnHostsWithin(network, ms);
}

/** So that one attack's failure is not the next one's. @param {Network} network */
async function clearHosts(network) {
  for (const name of Object.keys(network.hosts))
    for (const {pid} of await network.processesOf(name)) killIfRunning(pid);
}
