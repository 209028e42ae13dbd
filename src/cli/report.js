import {printJson} from '../report/for-programs.js';
import {battlePage} from '../report/page/battle-page.js';
import {packageVersion} from '../session/versions.js';
import {settingAsGiven} from '../settings/describe-settings.js';
import {optionsOfReport} from '../settings/index.js';
import {floorTransport} from '../transports/index.js';
import {readBattle, readNamedBattle} from './read-battle.js';
import {replaceOwn} from './replace-own.js';

/**
 * `perf-battle report [BATTLE]`: one self-contained HTML page on a battle, by default the newest.
 * @param {readonly string[]} commandLine
 * @param {AbortSignal} signal
 * @returns {Promise<number>} the exit code
 */
export async function report(commandLine, signal) {
  const {settings, named} = readNamedBattle(commandLine, {name: 'report', options: optionsOfReport});
  const {page: path, json} = settings.values;
  const {records, battle} = await readBattle(named, settings);
  const [{config}] = records;
  const set = Object.entries(config).filter(([, value]) => value !== null);
  const page = battlePage({
    records,
    battle,
    floor: floorTransport.name,
    version: await packageVersion(),
    settings: set.map(([key, value]) => settingAsGiven(key, value)),
  });
  await replaceOwn(path, page, {
    beginning: /^<!doctype html>/i,
    kind: 'an HTML page',
    flag: '--page',
    signal,
  });
  const bytes = Buffer.byteLength(page);
  if (json) printJson({page: path, bytes});
  else process.stdout.write(`${path}: ${Math.ceil(bytes / 1000)} kB.\n`);
  return 0;
}
