import {sum} from 'simple-statistics';
import {checkEffectsOnAny} from '../battle/effects.js';
import {presetNeeds, shareTime, withScale} from '../battle/scale.js';
import {newBattle} from '../battle/state.js';
import {InterruptedError, PerfBattleError, UsageError} from '../errors.js';
import {isAskedFor} from '../options/resolve.js';
import {presetNames} from '../presets/index.js';
import {formatTime} from '../report/describe-rounds.js';
import {documentOf, printJson, showResults} from '../report/show-results.js';
import {exitCodeOf, worstExitCode} from '../session/store-results.js';
import {completeSettings} from '../settings/complete.js';
import {optionsOfBattle} from '../settings/index.js';
import {defaultBudgetMs} from '../settings/rounds.js';
import {planAndRun} from './plan-and-run.js';
import {printWarning} from './print-warning.js';

/**
 * @import {Cell} from '../battle/cell.js'
 * @import {Needs} from '../battle/scale.js'
 * @import {FinishedBattle} from '../session/run-session.js'
 * @import {BattleSettings} from '../settings/index.js'
 *
 * @typedef {{name: string, settings: BattleSettings, cells: readonly Cell[], needs: Needs}} PresetRun
 */

/**
 * `perf-battle --preset all`: a battle for each preset, one after the other. They share the budget; what one leaves is for those that follow. A
 * preset that needs what the settings leave out is not run, and one that fails does not end the others.
 *
 * @param {BattleSettings} given as resolved
 * @param {AbortSignal} signal
 * @returns {Promise<number>} the worst exit code
 */
export async function runAllPresets(given, signal) {
  if (given.values.listPresets) return await planAndRun(given, signal);
  if (given.values.resume)
    throw new UsageError(
      '--resume continues the battle that was interrupted, with its own preset. Remove --preset all.',
    );
  /** @type {number[]} */
  const codes = [];
  const {runs, leftOut} = planRuns(given);
  for (const error of leftOut) printWarning(error.message);
  const budgetMs = isAskedFor(given.origins.budgetMs) ? given.values.budgetMs : null;
  const totalMs = budgetMs ?? runs.length * defaultBudgetMs;
  if (given.values.scale === 'auto') refuseTooShort(runs, totalMs);
  if (given.values.dryRun) return dryRun(runs, totalMs);
  const endsAtMs = performance.now() + totalMs;

  /** @type {ReturnType<typeof documentOf>[]} */
  const documents = [];
  const conclude = (/** @type {FinishedBattle} */ finished) => {
    showResults(finished);
    documents.push(documentOf(finished));
    return exitCodeOf(finished);
  };
  for (const [index, {name, settings}] of runs.entries()) {
    const rest = runs.slice(index);
    const [shareMs] = shareOf(rest, endsAtMs - performance.now());
    if (!settings.values.quiet)
      process.stderr.write(
        `\nPreset ${index + 1} of ${runs.length}: ${name}, about ${formatTime(shareMs)}.\n`,
      );
    try {
      const own = budgetMs === null ? settings : withBudget(settings, shareMs);
      codes.push(await planAndRun(withScale(own, shareMs), signal, {conclude, isOneOfSeveral: true}));
    } catch (error) {
      if (error instanceof InterruptedError) throw interruptedBefore(error, rest.slice(1));
      if (!(error instanceof PerfBattleError)) throw error;
      codes.push(report(error));
    }
  }
  if (given.values.json) printJson({battles: documents});
  return codes.reduce(worstExitCode, 0);
}

/**
 * @param {BattleSettings} given
 * @returns {{runs: PresetRun[], leftOut: UsageError[]}} leftOut: why presets cannot run with these settings
 */
function planRuns(given) {
  /** @type {PresetRun[]} */
  const runs = [];
  /** @type {UsageError[]} */
  const leftOut = [];
  for (const name of presetNames) {
    try {
      const settings = completeSettings({...given, values: {...given.values, preset: name}}, optionsOfBattle);
      const {cells} = newBattle(withScale(settings, Number.POSITIVE_INFINITY));
      runs.push({name, settings, cells, needs: presetNeeds(settings)});
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      leftOut.push(error);
    }
  }
  if (runs.length === 0) throw leftOut[0];
  for (const warning of checkEffectsOnAny(runs)) printWarning(warning);
  return {runs, leftOut};
}

/** @param {readonly PresetRun[]} runs @param {number} totalMs */
function refuseTooShort(runs, totalMs) {
  const leastMs = sum(runs.map(({needs}) => needs.leastMs));
  if (leastMs > totalMs)
    throw new UsageError(
      `With the fewest messages, the presets take about ${formatTime(leastMs)} together; the budget is ${formatTime(totalMs)}. Give a longer --budget, or fewer sizes with --payload.`,
    );
}

/** @param {readonly PresetRun[]} runs @param {number} totalMs */
function shareOf(runs, totalMs) {
  return shareTime(
    runs.map(({needs}) => needs),
    totalMs,
  );
}

/** @param {readonly PresetRun[]} runs @param {number} totalMs @returns {number} the exit code */
function dryRun(runs, totalMs) {
  const shares = shareOf(runs, totalMs);
  const width = Math.max(...runs.map(({name}) => name.length));
  const lines = runs.map(({name, settings}, index) => {
    const {scale} = withScale(settings, shares[index]).values;
    return `${name.padEnd(width)}  scale ${scale}, about ${formatTime(shares[index])}`;
  });
  process.stdout.write(`${[...lines, '', `Together about ${formatTime(sum(shares))}.`].join('\n')}\n`);
  return 0;
}

/** @param {BattleSettings} settings @param {number} budgetMs @returns {BattleSettings} */
function withBudget(settings, budgetMs) {
  return {...settings, values: {...settings.values, budgetMs}};
}

/** @param {PerfBattleError} error @returns {number} its exit code */
function report(error) {
  process.stderr.write(`perf-battle: ${error.message}\n`);
  return error.exitCode;
}

/** @param {InterruptedError} error @param {readonly PresetRun[]} rest */
function interruptedBefore(error, rest) {
  if (rest.length === 0) return error;
  const names = rest.map(({name}) => name).join(', ');
  const remaining = `These presets were not run: ${names}.`;
  return new InterruptedError(error.signal, [error.advice, remaining].filter(Boolean).join(' '));
}
