import {sum} from 'simple-statistics';
import {estimateSettingsMs} from '../battle/estimate.js';
import {InterruptedError} from '../errors.js';
import {resolveOptions} from '../options/resolve.js';
import {describePlan, listPresets, planDocument, presetsDocument} from '../report/describe-plan.js';
import {printJson} from '../report/for-programs.js';
import {printBattle, showResults} from '../report/show-results.js';
import {ask, printText} from '../report/terminal.js';
import {openJournal, prepareFiles} from '../session/open-journal.js';
import {planBattle} from '../session/plan-battle.js';
import {runSession} from '../session/run-session.js';
import {exitCodeOf, storeResults} from '../session/store-results.js';
import {allOptions, optionsOfBattle} from '../settings/index.js';
import {resolveBattle, settingsOfPresets} from '../settings/resolve-battle.js';
import {widthOf} from '../text/lines.js';
import {printWarning} from './read-settings.js';

/**
 * @import {BattleState} from '../battle/types.js'
 * @import {FinishedBattle} from '../session/types.js'
 * @import {BattleSettings} from '../settings/index.js'
 */

/**
 * @param {BattleSettings} asked @param {AbortSignal} signal @param {object} [how]
 * @param {(finished: FinishedBattle) => number} [how.conclude] shows the results and returns the exit code
 * @param {boolean} [how.isOneOfSeveral] whether the battle is one of several that the user started with one command
 */
export async function planAndRun(asked, signal, {conclude = concludeBattle, isOneOfSeveral = false} = {}) {
  const {json, listPresets: isList} = asked.values;
  if (isList) {
    const estimates = estimatePresets();
    return json
      ? printDocument(presetsDocument(estimates))
      : print(listPresets(estimates, widthOf(process.stdout)));
  }
  const {journal, battles, guarantees} = await openJournal(asked.values.results, printWarning);
  const planned = await planBattle(asked, {
    ...{battles, guarantees, path: journal.path, warn: printWarning, isOneOfSeveral},
    ask: (question) => ask(question, signal),
  });
  const {settings, state} = planned;
  if (settings.values.dryRun) return json ? printDocument(planDocument(state)) : print(describePlan(state));

  await prepareFiles(journal, battles, {
    ...{results: settings.values.results, exports: settings.values.exports, resumed: state.id, signal},
  });
  try {
    const finished = await runSession({...planned, journal, signal});
    const code = conclude(finished);
    await storeResults([finished], {settings, journal, signal});
    return code;
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    throw new InterruptedError(error.signal, howToContinue(planned, journal.path));
  }
}

/** Shows the results of a battle. @param {FinishedBattle} finished */
export function concludeBattle(finished) {
  showResults(finished);
  printBattle(finished);
  return exitCodeOf(finished);
}

/** @param {{settings: BattleSettings, state: BattleState}} interrupted @param {string} journalPath */
function howToContinue({settings: {values, origins}, state}, journalPath) {
  const trials = sum([...state.progress.values()].map((cell) => cell.trials.length));
  if (trials === 0) return 'No trial was finished.';
  const stored = trials === 1 ? 'The finished trial is' : `The ${trials} finished trials are`;
  const results = origins.results.kind === 'flag' ? ` --results ${values.results}` : '';
  return `${stored} stored in ${journalPath}. To continue: perf-battle --resume${results}`;
}

/** Estimates how long each preset takes, as --dry-run does. @returns {Map<string, number>} ms, by the preset's name */
function estimatePresets() {
  return new Map(
    [...settingsOfPresets.keys()].map((name) => {
      const asked = resolveOptions(allOptions, {
        scope: 'battle',
        mine: optionsOfBattle,
        flags: {preset: [name]},
      });
      return [name, estimateSettingsMs(resolveBattle(asked, {payloadFileBytes: null, seed: 0}))];
    }),
  );
}

/** @param {object} document */
function printDocument(document) {
  printJson(document);
  return 0;
}

/** @param {string} text */
function print(text) {
  printText(text.trimEnd(), process.stdout);
  return 0;
}
