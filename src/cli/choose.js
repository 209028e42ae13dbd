import {UsageError} from '../errors.js';
import {chooseAmong, exitCodeOfChoice} from '../expect/choose.js';
import {isAskedFor, overlay, withValues} from '../options/resolve.js';
import {printForPrograms, resultsStream} from '../report/for-programs.js';
import {choicesCsv, showChoice} from '../report/show-outcomes.js';
import {documentOf, showResults} from '../report/show-results.js';
import {exitCodeOf} from '../session/store-results.js';
import {optionsOfChoose} from '../settings/index.js';
import {planAndRun} from './plan-and-run.js';
import {printSettings, readBattleSettings} from './read-settings.js';

/** @import {ChooseSettings} from '../settings/index.js' */

const determined = /** @type {const} */ ([
  'workload',
  'maxP99Ms',
  'preset',
  'listPresets',
  'expect',
  'resume',
  'takeOver',
]);

/** An interval of the p99 needs some samples above the p99 in each trial. */
const minSamples = 1000;
const minDurationMs = 2000;
const rounds = 5;
/** Compiling the code competes with the measurement for cores. At 500 requests per second, it takes this long. */
const warmUp = /** @type {const} */ ({kind: 'duration', durationMs: 3000});
const defaultPayloadBytes = 1024;

/**
 * `perf-battle choose --payload 10kb --rate 2000 --p99 10ms`: measures response times at this rate, and shows which transports stay within the p99.
 * @param {readonly string[]} commandLine @param {AbortSignal} signal
 * @returns {Promise<number>} the exit code: 0 if a transport stays within the p99, 4 if none does, 5 if undecided
 */
export async function choose(commandLine, signal) {
  const asked = await readBattleSettings(commandLine, optionsOfChoose);
  const question = questionOf(asked);
  const settings = withLengths(asked, question);
  if (settings.values.printConfig) return printSettings(settings, optionsOfChoose);
  return await planAndRun(settings, signal, {
    conclude: (finished) => {
      showResults(finished);
      const {values} = finished.settings;
      const choices = chooseAmong(question, finished.records);
      printForPrograms(values, {
        document: () => ({...documentOf(finished), choices}),
        csv: (separator) => choicesCsv(choices, separator),
      });
      if (!values.quiet) showChoice(question, choices, resultsStream(values));
      return exitCodeOf(finished) || exitCodeOfChoice(choices);
    },
  });
}

/** @param {ChooseSettings} settings */
function questionOf({values, origins}) {
  const given = determined.find((key) => isAskedFor(origins[key]));
  if (given !== undefined)
    throw new UsageError(`choose measures round trips at a rate, so ${origins[given].name} cannot be given.`);
  const [rate = null, ...moreRates] = values.rate ?? [];
  const {p99Ms} = values;
  if (rate === null || p99Ms === null || moreRates.length > 0)
    throw new UsageError('choose needs one --rate and a --p99, such as --rate 2000 --p99 10ms.');
  const isSizeKnown = isAskedFor(origins.payloadBytes) || values.payloadFile !== null;
  const [payloadBytes, ...moreSizes] = isSizeKnown ? values.payloadBytes : [defaultPayloadBytes];
  if (moreSizes.length > 0)
    throw new UsageError('choose measures one payload size: give one with --payload.');
  return {rate, p99Ms, payloadBytes};
}

/**
 * By default, the battle has five rounds after a long warm-up, and each trial lasts as long as the p99 needs.
 * @param {ChooseSettings} settings @param {{rate: number, payloadBytes: number}} question
 */
function withLengths(settings, {rate, payloadBytes}) {
  const {values, origins} = settings;
  const isOpen = [origins.rounds, origins.precision, origins.budgetMs].every((origin) => !isAskedFor(origin));
  const long = values.quick ? {} : {warmUp, ...(isOpen && {rounds, precision: null, budgetMs: null})};
  const isLengthKnown = values.quick || isAskedFor(origins.samples);
  const durationMs = Math.max(minDurationMs, Math.ceil((minSamples * 1000) / rate));
  const own = {payloadBytes: [payloadBytes], ...long, ...(!isLengthKnown && {durationMs})};
  const chosen = overlay(settings, own, {kind: 'preset', name: 'choose'});
  // A variable may set expectations for battles; they do not apply to choose.
  return withValues(chosen, {expect: null});
}
