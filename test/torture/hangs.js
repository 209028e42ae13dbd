import {fileURLToPath} from 'node:url';
import {RolePair, trialBoundMs} from '../../src/battle/role-pair.js';
import {newBattle} from '../../src/battle/state.js';
import {openHosts} from '../../src/hosts/index.js';
import {settingsFor} from '../battle/scripted-trials.js';
import {Workplace} from '../integration/support/workplace.js';

/**
 * @import {CellRecord} from '../../src/results/record-schema.js'
 * @import {Part, Torture} from './part.js'
 *
 * @typedef {{party: 'server' | 'client', fault: string, says: string, workload?: string}} Hang says: what the battle says that it did not do
 * @typedef {{what: string, seconds: number, faults: string[]}} Met what became of the battle
 */

const program = fileURLToPath(new URL('../integration/adapters/faulty.js', import.meta.url));

/** Each party falls silent, or stops running, or its role's process does, where the other end waits for it. @type {readonly Hang[]} */
const all = [
  {party: 'client', fault: 'never warm', says: 'become warm'},
  {party: 'server', fault: 'never mark', says: 'say what it served'},
  {party: 'client', fault: 'stopping at measured', says: 'end its measurement'},
  {party: 'client', fault: 'never result', says: 'send its result'},
  {party: 'server', fault: 'never ready', says: 'become ready'},
  {party: 'client', fault: 'never ready', says: 'become ready'},
  {party: 'client', fault: 'never measured', says: 'end its measurement'},
  {party: 'server', fault: 'never count', says: 'say how much it received', workload: 'stream'},
  {party: 'server', fault: 'stopping at ready', says: 'become ready'},
  {party: 'client', fault: 'stopping at warm', says: 'become warm'},
  {party: 'server', fault: 'stopping its role at ready', says: 'become ready'},
  {party: 'server', fault: 'stopping its role at mark', says: 'say what it served'},
  {party: 'client', fault: 'stopping its role at warm', says: 'become warm'},
  {party: 'client', fault: 'stopping its role at measured', says: 'end its measurement'},
];

/** It measures, and does not end when it is asked to. @type {readonly Hang[]} */
const deaf = /** @type {const} */ (['server', 'client']).flatMap((party) =>
  ['deaf', 'deaf to signals'].map((fault) => ({party, fault, says: ''})),
);

const inShort = {hangs: 3, trialMs: 5000};
/** A role that is stopped gets SIGKILL after 8 s. On a busy host, all of it takes longer. */
const endMs = 20_000;
const defaultAtOnce = 4;

const length = {payload: ['1kb'], rounds: ['1'], samples: ['20'], warmup: ['5'], timeout: ['500ms']};

/**
 * Whoever hangs, and at whatever step, the battle ends within its bound, says who it was, and leaves nothing.
 * @type {Part}
 */
export const hangs = {
  name: 'hangs',
  summary:
    'a server or client that hangs, at each step of the protocol: does its battle end in time, and say who hung?',
  run: ({isLong, atOnce = defaultAtOnce, log}) =>
    hangAll(isLong ? [...all, ...deaf] : all.slice(0, inShort.hangs), {isLong, atOnce, log}),
};

/** @param {readonly Hang[]} some @param {{isLong: boolean, atOnce: number, log: Torture['log']}} how */
async function hangAll(some, {isLong, atOnce, log}) {
  /** @type {Met[]} */
  const met = [];
  const left = [...some];
  const next = async () => {
    for (let hang = left.shift(); hang; hang = left.shift()) {
      const one = await (isLong ? hangBattle(hang) : hangTrial(hang));
      log(`${one.what}: ${one.seconds} s ${one.faults.join(' ')}`);
      met.push(one);
    }
  };
  await Promise.all(Array.from({length: atOnce}, next));
  return {
    counts: {
      'hung parties': met.length,
      'the slowest end': `${Math.max(...met.map(({seconds}) => seconds))} s`,
    },
    failures: met.flatMap(({what, faults}) => faults.map((fault) => `${what}: ${fault}`)),
  };
}

/** The short form: a trial with a bound of its own. @param {Hang} hang @returns {Promise<Met>} */
async function hangTrial(hang) {
  const workplace = await Workplace.make();
  const {signal} = new AbortController();
  const {values, cells} = battleOf(hang, workplace);
  const [cell] = cells.filter(({transport}) => transport === 'external');
  const hosts = await openHosts(/** @type {any} */ ({...values, needsBroker: false}), {
    log: () => {},
    signal,
  });
  const context = {round: 1, hosts, broker: null, values, names: {}, signal};
  const pair = new RolePair(context, {trialMs: inShort.trialMs});
  const startedAt = performance.now();
  try {
    const outcome = await pair.measure(cell);
    const said = outcome.outcome === 'failed' ? outcome.error.message : outcome.outcome;
    // On a busy host, another step may take as long.
    const says = new RegExp(`^The (server|client) did not .+ within ${inShort.trialMs / 1000} s\\.`);
    return await judge(hang, workplace, {startedAt, boundMs: inShort.trialMs, said, says});
  } finally {
    await pair.close();
    await hosts.close();
    await workplace.clear();
  }
}

/** The long form: the command of a person. @param {Hang} hang @returns {Promise<Met>} */
async function hangBattle(hang) {
  const workplace = await Workplace.make();
  const {values, cells} = battleOf(hang, workplace);
  const startedAt = performance.now();
  try {
    await workplace.start('battle', wordsFor(hang, workplace), {}, {patienceMs: 300_000}).ended;
    const records = (await workplace.cells()).filter(({transport}) => transport === 'external');
    const says =
      hang.says === ''
        ? /^completed$/
        : new RegExp(`^The ${hang.party} did not ${hang.says} within [\\d.]+ s\\.$`);
    // The floor is measured too.
    const boundMs = 2 * Math.max(...cells.map((cell) => trialBoundMs(cell, values)));
    return await judge(hang, workplace, {startedAt, boundMs, said: saidOf(records[0]), says});
  } finally {
    await workplace.clear();
  }
}

/** @param {CellRecord | undefined} record */
function saidOf(record) {
  return record?.outcome === 'failed' ? record.error.message : (record?.outcome ?? 'no record');
}

/**
 * @param {Hang} hang
 * @param {Workplace} workplace
 * @param {{startedAt: number, boundMs: number, said: string, says: RegExp}} what
 * @returns {Promise<Met>}
 */
async function judge({party, fault}, workplace, {startedAt, boundMs, said, says}) {
  const ms = performance.now() - startedAt;
  const left = (await workplace.leftoversWithin(3000)).filter((one) => one.startsWith('process'));
  return {
    what: `${party} ${fault}`,
    seconds: Math.round(ms / 1000),
    faults: [
      ...(ms > boundMs + endMs ? [`ended after ${Math.round(ms / 1000)} s`] : []),
      ...(says.test(said) ? [] : [`said ${JSON.stringify(said)}`]),
      ...left.map((one) => `left ${one}`),
    ],
  };
}

/** @param {Hang} hang @param {Workplace} workplace */
function battleOf({workload = 'rtt', ...hang}, workplace) {
  const {external} = flagsOf(hang, workplace);
  return newBattle(
    settingsFor({...length, transport: ['external'], external: [external], workload: [workload]}),
  );
}

/** @param {Hang} hang @param {Workplace} workplace @returns {string[]} */
function wordsFor({workload = 'rtt', ...hang}, workplace) {
  const {external} = flagsOf(hang, workplace);
  const flags = Object.entries({...length, workload: [workload]}).flatMap(([name, [value]]) => [
    `--${name}`,
    value,
  ]);
  return ['--transport', 'external', '--external', external, ...flags, '--quiet'];
}

/**
 * Their command lines have the path of the workplace, so that those that are left are found.
 * @param {Pick<Hang, 'party' | 'fault'>} hang
 * @param {Workplace} workplace
 */
function flagsOf({party, fault}, {path}) {
  const command = (/** @type {string} */ role) =>
    `"${process.execPath}" "${program}" "${role === party ? fault : 'none'}" ${role} "${path}"`;
  return {external: `Mine=${command('server')},${command('client')}`};
}
