import {sum} from 'simple-statistics';
import {checkEffectsOnAny} from '../battle/effects.js';
import {estimateSettingsMs, presetNeeds, shareTime, withScale} from '../battle/estimate.js';
import {newBattle} from '../battle/state.js';
import {InterruptedError, PerfBattleError, UsageError} from '../errors.js';
import {exportFormats} from '../exports/index.js';
import {isAskedFor, withValues} from '../options/resolve.js';
import {presetNames} from '../presets/index.js';
import {formatDuration, formatLimit} from '../report/describe-plan.js';
import {printBattles, showResults} from '../report/show-results.js';
import {printText} from '../report/terminal.js';
import {exitCodeOf, worstExitCode} from '../session/store-results.js';
import {defaultBudgetMs} from '../settings/battle-options.js';
import {optionsOfBattle} from '../settings/index.js';
import {completeSettings} from '../settings/resolve-battle.js';
import {planAndRun} from './plan-and-run.js';
import {printWarning} from './read-settings.js';

/**
 * @import {Cell, Needs} from '../battle/types.js'
 * @import {FinishedBattle} from '../session/types.js'
 * @import {BattleSettings} from '../settings/index.js'
 *
 * @typedef {{name: string, settings: BattleSettings, cells: readonly Cell[], needs: Needs}} PresetRun
 */

/**
 * `perf-battle --preset all`: runs a battle for each preset, one after the other. The presets share the budget; later presets get the unused
 * time of earlier presets. A preset that the settings exclude is not run. A failed preset does not end the others.
 * @param {BattleSettings} given @param {AbortSignal} signal @returns {Promise<number>} the worst exit code
 */
export async function runAllPresets(given, signal) {
  if (given.values.listPresets) return await planAndRun(given, signal);
  refuseForAll(given);
  const runs = planRuns(given);
  const budgetMs = isAskedFor(given.origins.budgetMs) ? given.values.budgetMs : null;
  const totalMs = budgetMs ?? runs.length * defaultBudgetMs;
  if (given.values.scale === 'auto') refuseTooShort(runs, totalMs);
  if (given.values.dryRun) return dryRun(runs, {totalMs, budgetMs});

  const endsAtMs = performance.now() + totalMs;
  /** @type {FinishedBattle[]} */
  const done = [];
  const conclude = (/** @type {FinishedBattle} */ finished) => {
    showResults(finished);
    done.push(finished);
    return exitCodeOf(finished);
  };
  /** @type {number[]} */
  const codes = [];
  try {
    for (const [index, {name, settings}] of runs.entries()) {
      const [shareMs] = shareOf(runs.slice(index), endsAtMs - performance.now());
      const bounded = budgetMs === null ? settings : withValues(settings, {budgetMs: shareMs});
      const own = withScale(bounded, shareMs);
      if (!settings.values.quiet)
        printText(`\nPreset ${index + 1} of ${runs.length}: ${name}, about ${estimate(own)}.`);
      try {
        codes.push(await planAndRun(own, signal, {conclude, isOneOfSeveral: true}));
      } catch (error) {
        if (error instanceof InterruptedError) throw withOthers(error, runs.slice(index));
        if (!(error instanceof PerfBattleError)) throw error;
        printText(`perf-battle: ${name}: ${error.message}`);
        codes.push(error.exitCode);
      }
    }
  } finally {
    printBattles(done, given.values);
  }
  return codes.reduce(worstExitCode, 0);
}

/** @param {BattleSettings} given */
function refuseForAll({values}) {
  if (values.resume)
    throw new UsageError(
      '--resume continues the battle that was interrupted, with its own preset. Remove --preset all.',
    );
  const replaced = exportFormats.find(({name, isReplaced}) => isReplaced && values.exports?.includes(name));
  if (replaced)
    throw new UsageError(
      `--export ${replaced.name} writes a file of one battle, and the next preset would replace it. Run the presets one by one, each with --results of its own.`,
    );
}

/** @param {BattleSettings} given @returns {PresetRun[]} the presets that can run with these settings; prints a warning for each other preset */
function planRuns(given) {
  /** @type {PresetRun[]} */
  const runs = [];
  /** @type {{name: string, error: UsageError}[]} */
  const leftOut = [];
  for (const name of presetNames) {
    try {
      const settings = completeSettings(withValues(given, {preset: name}), optionsOfBattle);
      const {cells} = newBattle(withScale(settings, Number.POSITIVE_INFINITY));
      runs.push({name, settings, cells, needs: presetNeeds(settings)});
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      leftOut.push({name, error});
    }
  }
  if (runs.length === 0) throw leftOut[0].error;
  for (const warning of checkEffectsOnAny(runs)) printWarning(warning);
  for (const {name, error} of leftOut) printWarning(`${name} is not run. ${error.message}`);
  return runs;
}

/** @param {readonly PresetRun[]} runs @param {number} totalMs */
function refuseTooShort(runs, totalMs) {
  const leastMs = sum(runs.map(({needs}) => needs.leastMs));
  if (leastMs > totalMs)
    throw new UsageError(
      `At the smallest scale, the presets take about ${formatDuration(leastMs)} together; the budget is ${formatLimit(totalMs)}. Give a longer --budget, or fewer sizes with --payload.`,
    );
}

/** @param {readonly PresetRun[]} runs @param {number} totalMs */
function shareOf(runs, totalMs) {
  return shareTime(
    runs.map(({needs}) => needs),
    totalMs,
  );
}

/** @param {readonly PresetRun[]} runs @param {{totalMs: number, budgetMs: number | null}} time budgetMs: null if no budget was given */
function dryRun(runs, {totalMs, budgetMs}) {
  const shares = shareOf(runs, totalMs);
  const planned = runs.map(({settings}, index) => withScale(settings, shares[index]));
  const width = Math.max(...runs.map(({name}) => name.length));
  const lines = runs.map(
    ({name}, index) =>
      `${name.padEnd(width)}  scale ${planned[index].values.scale}, about ${estimate(planned[index])}`,
  );
  const togetherMs = sum(planned.map(estimateSettingsMs));
  const isTooLong = budgetMs !== null && togetherMs > budgetMs;
  const advice = isTooLong ? ' That is longer than the budget; --scale auto makes them fit.' : '';
  process.stdout.write(
    `${[...lines, '', `Together about ${formatDuration(togetherMs)}.${advice}`].join('\n')}\n`,
  );
  return 0;
}

/** @param {BattleSettings} settings with a known scale */
function estimate(settings) {
  return formatDuration(estimateSettingsMs(settings));
}

/** @param {InterruptedError} error @param {readonly PresetRun[]} runs the interrupted preset first */
function withOthers(error, runs) {
  const others = runs.slice(1).map(({name}) => name);
  const advice = [
    `The preset ${runs[0].name} was interrupted.`,
    error.advice,
    others.length > 0 && `These were not run: ${others.join(', ')}.`,
  ];
  return new InterruptedError(error.signal, advice.filter(Boolean).join(' '));
}
