import {readdir, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {readResults} from '../../src/compare/read-side.js';
import {pastBattles} from '../../src/report/page/history-page.js';
import {runPerfBattle, withoutSettings} from './perf-battle.js';

/** @import {CellRecord} from '../../src/results/record-schema.js' */

/**
 *
 * @typedef {{id: string, [field: string]: unknown}} Battle as a document of --json has it
 * @typedef {{battle: Battle, cells: readonly any[]}} Part
 * @typedef {Part | {battles: readonly Part[]}} BattleDocument what --json printed, of one battle or of several
 */

/** How long the journal of a baseline may become. GitHub refuses files of 100 MB, and each commit has the whole file. */
const limits = {battles: 200, bytes: 20_000_000};

/** @param {BattleDocument} document @returns {readonly Part[]} */
export function partsOf(document) {
  return 'battles' in document ? document.battles : [document];
}

/**
 * A journal with the records of one more run. The oldest battles are left out where it would become too long.
 * @param {string} journal its text
 * @param {BattleDocument} document
 * @param {{battles: number, bytes: number}} [most]
 * @returns {string}
 */
export function withRecords(journal, document, most = limits) {
  const lines = [...journal.split('\n'), ...partsOf(document).flatMap(linesOf)].flatMap((line) => {
    const battle = battleOf(line);
    return battle === null ? [] : [{line, battle}];
  });
  const newestFirst = [...new Set(lines.map(({battle}) => battle))].toReversed();
  const kept = new Set();
  let bytes = 0;
  for (const battle of newestFirst.slice(0, most.battles)) {
    for (const one of lines) if (one.battle === battle) bytes += Buffer.byteLength(one.line) + 1;
    if (bytes > most.bytes && kept.size > 0) break;
    kept.add(battle);
  }
  return lines
    .filter(({battle}) => kept.has(battle))
    .map(({line}) => `${line}\n`)
    .join('');
}

/**
 * The lines of a battle. A comparison needs the means of the trials, and neither their histograms, which are most of a record, nor their parts.
 * @param {Part} part
 */
function linesOf({battle, cells}) {
  const short = cells.map(({trials, ...cell}) => ({
    ...cell,
    ...(trials && {
      trials: trials.map((/** @type {object} */ trial) => ({...trial, histogram: null, windows: null})),
    }),
  }));
  return [{kind: 'battle', ...battle}, ...short].map((entry) => JSON.stringify(entry));
}

/** @param {string} line @returns {string | null} the id of the battle that a line is of; null if it is no record */
function battleOf(line) {
  try {
    const {kind, id, battleId} = JSON.parse(line);
    return String(kind === 'battle' ? id : battleId);
  } catch {
    return null;
  }
}

/**
 * The battle of a baseline that another one is compared with: the newest with figures on the same kind of host, otherwise the newest with figures.
 * @param {string} journal its path
 * @param {string} results the path of what --json printed
 * @returns {Promise<{id: string, sentence: string} | null>} sentence: which it is; null if there is none
 */
export async function baselineFor(journal, results) {
  const ignore = () => {};
  const past = pastBattles({name: journal, ...(await readResults(journal, ignore))}).filter(hasFigures);
  const here = pastBattles({name: results, ...(await readResults(results, ignore))}).at(-1);
  const found = past.findLast(({host}) => host === here?.host) ?? past.at(-1);
  if (found === undefined) return null;
  const measured = `The baseline is ${found.name}, measured ${found.when} on ${found.host}.`;
  const elsewhere = `This battle ran on ${here?.host}, where no baseline was measured: figures of two hosts do not compare.`;
  return {
    id: found.records[0].battleId,
    sentence: found.host === here?.host ? measured : `${measured} ${elsewhere}`,
  };
}

/** @param {{records: readonly CellRecord[]}} battle */
function hasFigures({records}) {
  return records.some(({outcome}) => outcome === 'completed');
}

/**
 * Adds the records of a run to a journal in a folder, and makes the page of all journals there.
 * @param {string} folder
 * @param {string} file the name of the journal
 * @param {BattleDocument} document
 * @throws {Error} when a page of another program is there
 */
export async function keepRecords(folder, file, document) {
  const read = (/** @type {string} */ name) => readFile(join(folder, name), 'utf8').catch(() => '');
  const page = await read('index.html');
  if (page !== '' && !page.includes('<meta name="generator" content="perf-battle '))
    throw new Error('The baseline has an index.html that is not of perf-battle. Name another branch');
  await writeFile(join(folder, file), withRecords(await read(file), document));
  // GitHub Pages shows the files as they are.
  await writeFile(join(folder, '.nojekyll'), '');
  const journals = (await readdir(folder)).filter((name) => name.endsWith('.ndjson')).toSorted();
  const {code} = await runPerfBattle(['report', '--history', ...journals, '--page', 'index.html'], {
    cwd: folder,
    environment: withoutSettings(),
  });
  if (code !== 0) throw new Error('The page of the history could not be written');
}
