import {existsSync} from 'node:fs';
import {noResults, readResults} from '../compare/read-side.js';
import {UsageError} from '../errors.js';
import {printJson} from '../report/for-programs.js';
import {battlePage} from '../report/page/battle-page.js';
import {historyPage} from '../report/page/history-page.js';
import {journalPathFor} from '../results/journal.js';
import {packageVersion} from '../session/versions.js';
import {settingAsGiven} from '../settings/describe-settings.js';
import {optionsOfReport} from '../settings/index.js';
import {floorTransport} from '../transports/index.js';
import {oneNamed, readBattle} from './read-battle.js';
import {printWarning, readOptionsAndWords} from './read-settings.js';
import {htmlPage, replaceOwn} from './replace-own.js';

/** @import {Origin} from '../options/resolve.js' */

/** @typedef {{values: {results: string}, origins: {results: Origin}}} ReportSettings */

/**
 * `perf-battle report [BATTLE]`: one self-contained HTML page on a battle, by default the newest. With --history: on all battles of journals.
 * @param {readonly string[]} commandLine @param {AbortSignal} signal @returns {Promise<number>} the exit code
 */
export async function report(commandLine, signal) {
  const {words, ...settings} = readOptionsAndWords(commandLine, optionsOfReport);
  const {page: path, json, history} = settings.values;
  const page = history
    ? await pageOfJournals(words, settings)
    : await pageOfBattle(oneNamed(words, 'report'), settings);
  await replaceOwn(path, page, {...htmlPage, signal});
  const bytes = Buffer.byteLength(page);
  if (json) printJson({page: path, bytes});
  else process.stdout.write(`${path}: ${Math.ceil(bytes / 1000)} kB.\n`);
  return 0;
}

/** @param {string | null} named @param {ReportSettings} settings */
async function pageOfBattle(named, settings) {
  const {records, battle} = await readBattle(named, settings);
  const [{config}] = records;
  const set = Object.entries(config).filter(([, value]) => value !== null);
  return battlePage({
    records,
    battle,
    floor: floorTransport.name,
    version: await packageVersion(),
    settings: set.map(([key, value]) => settingAsGiven(key, value)),
  });
}

/**
 * @param {readonly string[]} paths of journals, results files or documents; none: the own journal
 * @param {ReportSettings} settings
 */
async function pageOfJournals(paths, {values: {results}, origins}) {
  if (paths.length > 0 && origins.results.kind === 'flag')
    throw new UsageError(`--results ${results} has no effect here: the journals are named. Remove it.`);
  const own = journalPathFor(results);
  if (paths.length === 0 && !existsSync(own)) throw noResults(own);
  const read = paths.length > 0 ? paths : [own];
  const journals = await Promise.all(
    read.map(async (path) => ({
      name: path.replace(/\.(?:ndjson|json|md)$/i, ''),
      ...(await readResults(path, printWarning)),
    })),
  );
  if (!journals.some(({records}) => records.some(({outcome}) => outcome === 'completed')))
    throw noResults(read[0]);
  return historyPage({journals, version: await packageVersion()});
}
