import {readFile} from 'node:fs/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import {median} from 'simple-statistics';
import {Workplace} from '../integration/support/workplace.js';

/**
 * @import {Ended} from '../integration/support/program.js'
 * @import {Part, Torture} from './part.js'
 *
 * @typedef {{command: string, residentBytes: number[]}} Watched a process, and the size of its resident memory, again and again
 */

const mebibyte = 1024 ** 2;
/** How often, in the long form and in the short one. */
const everyMs = {long: 250, short: 100};
/** A process that lives shorter is starting when it is looked at. */
const minSamples = 9;

/**
 * A process that measures for a minute and a half, a battle that runs for ten, or faults that are done a hundred times, is as large in its last third as in its second.
 * @type {Part}
 */
export const soak = {
  name: 'soak',
  summary:
    'five transports in turn, ten minutes together, then a hundred faults: does the memory of a process grow?',
  run: soakAll,
};

/** @param {Torture} torture */
async function soakAll(torture) {
  const {isLong, seed} = torture;
  const long = ['tcp,http,websocket,rabbitmq,nats', '--delivery-mode', '1', '--duration', '100s'];
  const battle = await soakOf(torture, [
    ...['--payload', '100kb', '--rounds', '1', '--seed', String(seed), '--transport'],
    ...(isLong ? long : ['tcp', '--duration', '1500ms', '--warmup', '200ms']),
  ]);
  const faults = await soakOf(torture, [
    ...['faults', '--transport', 'websocket', '--fault', 'kill-server', '--restart-after', '100ms'],
    ...['--seed', String(seed), '--tries', isLong ? '100' : '2'],
  ]);
  return {
    counts: {...battle.counts, ...faults.counts},
    failures: [...battle.failures, ...faults.failures],
  };
}

/** @param {Torture} torture @param {string[]} words @returns {ReturnType<Part['run']>} */
async function soakOf({isLong, log}, words) {
  const workplace = await Workplace.make();
  try {
    const run = workplace.start('battle', words, {}, {patienceMs: 1_200_000});
    const {watched, ended} = await watch(workplace, run.ended, {
      everyMs: isLong ? everyMs.long : everyMs.short,
      log,
    });
    const nameOfRun = words[0] === 'faults' ? 'faults' : 'battle';
    return {
      counts: Object.fromEntries(watched.map((one) => [`${nameOfRun}: ${one.command}`, describe(one)])),
      failures: [
        ...(ended.code === 0 ? [] : [`${nameOfRun} ended with exit code ${ended.code}: ${ended.stderr}`]),
        ...(watched.length > 2 ? [] : [`no role of ${nameOfRun} was seen`]),
        ...watched
          .filter((one) => hasGrown(one, isLong ? 8 : 64))
          .map((one) => `${one.command} of ${nameOfRun} has grown: ${describe(one)}`),
      ],
    };
  } finally {
    await workplace.clear();
  }
}

/**
 * @param {Workplace} workplace
 * @param {Promise<Ended>} ends
 * @param {{everyMs: number, log: Torture['log']}} how
 */
async function watch(workplace, ends, {everyMs, log}) {
  /** @type {Map<number, Watched>} by process id */
  const processes = new Map();
  /** @type {Ended | null} */
  let ended = null;
  const waiting = ends.then((result) => {
    ended = result;
  });
  while (!ended) {
    for (const {pid, command} of await workplace.processes()) {
      const residentBytes = await residentBytesOf(pid);
      const name = nameOf(command);
      if (residentBytes === null || name === null) continue;
      if (!processes.has(pid)) log(name);
      const one = processes.get(pid) ?? {command: `${name} (${processes.size + 1})`, residentBytes: []};
      one.residentBytes.push(residentBytes);
      processes.set(pid, one);
    }
    await Promise.race([sleep(everyMs), waiting]);
  }
  const watched = [...processes.values()].filter(({residentBytes}) => residentBytes.length >= minSamples);
  return {watched, ended: await ends};
}

/** @param {string} command @returns {string | null} null for what is not perf-battle's own */
function nameOf(command) {
  const [, role, program] =
    /\/program\.js ([a-z-]+-(?:client|server))|\/(perf-battle)\.js/.exec(command) ?? [];
  return role ?? program ?? null;
}

/** @param {number} pid @returns {Promise<number | null>} null when it has ended */
async function residentBytesOf(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kibibytes === undefined ? null : Number(kibibytes) * 1024;
}

/**
 * What leaks grows all the time. The young generation of V8 grows too, by 16 MiB at once, and then stays (https://v8.dev/blog/trash-talk).
 * @param {Watched} watched @param {number} toleratedMebibytes
 */
function hasGrown(watched, toleratedMebibytes) {
  const {before, after, late, last} = partsOf(watched);
  const grew = after > 1.1 * before + toleratedMebibytes * mebibyte;
  return grew && last > 1.03 * late + (toleratedMebibytes / 4) * mebibyte;
}

/** @param {Watched} watched */
function describe(watched) {
  const {before, after} = partsOf(watched);
  return `${(before / mebibyte).toFixed(1)} MiB in its second third, ${(after / mebibyte).toFixed(1)} MiB in its last`;
}

/** The medians of the second and the last third, and of both halves of the last. @param {Watched} watched */
function partsOf({residentBytes}) {
  const third = Math.floor(residentBytes.length / 3);
  const half = Math.floor(2.5 * third);
  return {
    before: median(residentBytes.slice(third, 2 * third)),
    after: median(residentBytes.slice(2 * third)),
    late: median(residentBytes.slice(2 * third, half)),
    last: median(residentBytes.slice(half)),
  };
}
