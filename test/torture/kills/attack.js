import {existsSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import {cellRecord} from '../../../src/results/record-schema.js';
import {Workplace} from '../../integration/support/workplace.js';
import {stillRunning} from './processes.js';
import {killTogether} from './targets.js';

/**
 * @import {Process} from './processes.js'
 * @import {Target} from './targets.js'
 */

/**
 * @typedef {object} Attack
 * @property {readonly Target[]} targets killed at once
 * @property {number} afterMs counted from the start of the battle
 * @property {string} transports that the battle compares, as in --transport
 * @property {number} seed of the battle
 *
 * @typedef {object} Outcome
 * @property {Target[]} killed none if the battle was over before
 * @property {string[]} orphans processes that outlived the battle
 * @property {number} tornLines that are still in the journal after the next battle
 * @property {string[]} lost what was stored or finished, and is missing
 * @property {boolean} resumed whether the battle went on afterwards
 */

/** What a killed battle started is gone by then. */
const goneWithinMs = 10_000;
/** A role lives for less than a second; a supervisor and a broker as long as the battle. */
const foundWithinMs = 3000;

const rounds = 2;

/**
 * Starts a battle with a private broker, kills some of its processes, and lets it go on.
 * @param {Attack} attack
 * @returns {Promise<Outcome>}
 */
export async function attack({targets, afterMs, transports, seed}) {
  const workplace = await Workplace.make();
  try {
    const battle = workplace.start('battle', [
      ...['--transport', transports, '--broker', 'private'],
      ...['--payload', '1kb', '--rounds', String(rounds), '--duration', '60ms', '--warmup', '20'],
      ...['--seed', String(seed)],
    ]);
    await sleep(afterMs);
    const {killed, seen} = await killTogether(battle.pid, targets, foundWithinMs);
    await battle.ended;
    const orphans = await orphansAfter(workplace, seen);
    const before = await readJournal(workplace);
    const isStored = before.entries.some(({kind}) => kind === 'rows');
    const began = before.entries.some(({kind}) => kind === 'battle');
    if (began && !isStored) {
      const {code, stderr} = await workplace.battle(['--resume', '--quiet']);
      if (code !== 0) throw new Error(`--resume ended with exit code ${code}: ${stderr}`);
    }
    const after = await readJournal(workplace);
    return {
      killed,
      orphans: [...orphans, ...(await orphansAfter(workplace, seen))],
      tornLines: after.torn,
      lost: began ? await lostFrom(workplace, before.entries, after.entries) : [],
      resumed: began && !isStored,
    };
  } finally {
    await workplace.clear();
  }
}

/** @param {Workplace} workplace @param {readonly Process[]} seen @returns {Promise<string[]>} what still runs after a while */
async function orphansAfter(workplace, seen) {
  const deadline = performance.now() + goneWithinMs;
  for (;;) {
    const running = [...(await stillRunning(seen)), ...(await workplace.processes())];
    if (running.length === 0 || performance.now() >= deadline)
      return [...new Set(running.map(({pid, command}) => `process ${pid} ${command}`))];
    await sleep(100);
  }
}

/**
 * @param {Workplace} workplace
 * @returns {Promise<{entries: Record<string, any>[], torn: number}>}
 */
async function readJournal(workplace) {
  const path = workplace.file('results.ndjson');
  const text = existsSync(path) ? await readFile(path, 'utf8') : '';
  const parsed = text
    .split('\n')
    .filter((line) => line !== '')
    .map(parseOrNull);
  const entries = parsed.filter((entry) => entry !== null);
  return {entries, torn: parsed.length - entries.length};
}

/** @param {string} line */
function parseOrNull(line) {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/**
 * @param {Workplace} workplace
 * @param {Record<string, any>[]} before the journal after the kill
 * @param {Record<string, any>[]} after and after the battle went on
 */
async function lostFrom(workplace, before, after) {
  const lines = new Set(after.map((entry) => JSON.stringify(entry)));
  const gone = before.filter((entry) => !lines.has(JSON.stringify(entry)));
  const records = new Map(
    after.filter(({kind}) => kind === 'cell').map((record) => [record.id, cellRecord.parse(record)]),
  );
  const {cells} = /** @type {Record<string, any>} */ (after.find(({kind}) => kind === 'battle'));
  const trialsOf = (/** @type {number} */ number) =>
    after
      .filter(({kind, cell}) => kind === 'trial' && cell === number)
      .map(({round}) => round)
      .toSorted();
  const allRounds = Array.from({length: rounds}, (_, index) => index + 1);
  const completed = [...records.values()].filter(({outcome}) => outcome === 'completed');
  const incomplete = completed.filter(
    ({id}) => trialsOf(Number(id.slice(id.lastIndexOf('-') + 1))).join() !== allRounds.join(),
  );
  const rows = completed.length > 0 ? (await workplace.rows()).length : 0;
  return [
    ...gone.map(({kind}) => `a line of kind ${kind} is gone`),
    ...(records.size === cells.length ? [] : [`${records.size} records of ${cells.length} cells`]),
    ...[...records.values()].flatMap(({id, outcome}) => (outcome === 'aborted' ? [`${id} is aborted`] : [])),
    ...incomplete.map(({id}) => `${id} does not have each round once`),
    ...(rows === completed.length ? [] : [`${rows} rows of ${completed.length} completed cells`]),
  ];
}
