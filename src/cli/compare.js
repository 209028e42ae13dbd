import {compareSides} from '../compare/compare-sides.js';
import {judgeSlowdown, withMissingTogether} from '../compare/gate.js';
import {readSide} from '../compare/read-side.js';
import {UsageError} from '../errors.js';
import {exitCodeOfJudgements} from '../expect/judge.js';
import {quote} from '../files/quote.js';
import {isForPrograms, printForPrograms} from '../report/for-programs.js';
import {showExpectations} from '../report/show-outcomes.js';
import {
  comparisonCsv,
  comparisonDocument,
  comparisonMarkdown,
  printComparison,
} from '../report/tables/comparison-table.js';
import {printText} from '../report/terminal.js';
import {settingAsGiven} from '../settings/describe-settings.js';
import {optionsOfCompare} from '../settings/index.js';
import {printWarning, readOptionsAndWords, refuseUnusedResults} from './read-settings.js';

/** @import {Comparison, Side} from '../compare/types.js' */

/** `perf-battle compare [OLD [NEW]]`: shows what changed between two battles, by default the newest two. @param {readonly string[]} commandLine */
export async function compare(commandLine) {
  const {words, ...settings} = await readOptionsAndWords(commandLine, optionsOfCompare);
  const {values} = settings;
  const [old = 'previous', now = 'latest', ...more] = words;
  if (more.length > 0)
    throw new UsageError(`compare takes two sides, OLD and NEW; it was also given ${quote(more[0])}.`);
  const {results, failIfSlower, markdown} = values;
  const where = {results, warn: printWarning};
  const sides = {old: await readSide(old, where), new: await readSide(now, where)};
  refuseUnusedResults(settings, Object.values(sides));
  if (sides.old.source === sides.new.source) throw new UsageError(`Both sides are ${sides.old.name}.`);
  await noteSidesWithoutFigures({old: [old, sides.old], new: [now, sides.new]}, where);

  const comparisons = compareSides(sides.old.records, sides.new.records, {
    old: sides.old.all,
    new: sides.new.all,
  });
  const names = {old: sides.old.name, new: sides.new.name};
  const judgements = failIfSlower === null ? [] : judgeSlowdown(comparisons, failIfSlower);
  const brief = withMissingTogether(judgements);
  const shown = {names, comparisons};
  const forPeople = {names, comparisons: comparisons.map(withSettingsAsGiven)};
  const isForPeople = !isForPrograms(values) && !markdown;
  if (isForPeople) printComparison(forPeople, process.stdout);
  if (markdown) process.stdout.write(`${comparisonMarkdown(forPeople, brief)}\n`);
  printForPrograms(values, {
    document: () => ({
      ...comparisonDocument(shown),
      ...(failIfSlower !== null && {expectations: judgements}),
    }),
    csv: (separator) => comparisonCsv(shown, separator),
  });
  showExpectations(brief, isForPeople ? process.stdout : process.stderr);
  return exitCodeOfJudgements(judgements);
}

/**
 * Notes each side without a completed cell, such as an interrupted battle. It is not left out: a gate must not pass what it cannot see.
 * @param {Readonly<Record<'old' | 'new', [text: string, side: Side]>>} given text: as the side was named @param {Parameters<typeof readSide>[1]} where
 */
async function noteSidesWithoutFigures(given, where) {
  const empty = Object.values(given).filter(
    ([, {records}]) => !records.some(({outcome}) => outcome === 'completed'),
  );
  if (empty.length === 0) return;
  for (const [, {name}] of empty) printWarning(`${name} has no completed cell.`);
  if (!empty.some(([text]) => text === 'latest' || text === 'previous')) return;
  const withFigures = (/** @type {string} */ text) =>
    readSide(text, {...where, warn: () => {}, needsFigures: true}).catch(() => null);
  const [previous, latest] = [await withFigures('previous'), await withFigures('latest')];
  if (previous === null || latest === null) return;
  const [one, other] = [previous, latest].map(({records: [{battleId}]}) => battleId);
  printText(`The newest battles with figures: perf-battle compare ${one} ${other}`);
}

/** Settings whose texts are equal, such as two automatic warm-ups, keep the values that differ. @param {Comparison} comparison */
function withSettingsAsGiven(comparison) {
  const differences = comparison.differences.map(({what, old, new: now}) => {
    const {name, text} = settingAsGiven(what, old);
    const after = settingAsGiven(what, now).text;
    return text === after ? {what: name, old, new: now} : {what: name, old: text, new: after};
  });
  return {...comparison, differences};
}
