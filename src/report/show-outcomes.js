import {formatRate} from '../columns/figures.js';
import {counted} from '../columns/names.js';
import {formatSize} from '../payload/bytes.js';
import {widthOf, wrapIndented} from '../text/lines.js';
import {fieldColumns, toCsv} from './for-programs.js';
import {painter, plainText} from './terminal.js';

/**
 * @import {Finding} from '../doctor/types.js'
 * @import {Choice, Judgement, Question} from '../expect/types.js'
 *
 * @typedef {Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>} Stream
 */

/**
 * Prints judgements or findings, each with its outcome in a colour before it.
 * @template {string} Outcome @param {Readonly<Record<Outcome, 'green' | 'red' | 'magenta'>>} colours of all outcomes
 * @param {readonly {outcome: Outcome, text: string, below?: string | null}[]} found below: a text on separate lines @param {Stream} stream
 */
function printOutcomes(colours, found, stream) {
  const paint = painter(stream);
  const indent = Math.max(...Object.keys(colours).map(({length}) => length)) + 2;
  const width = widthOf(stream) - indent;
  for (const {outcome, text, below = null} of found) {
    const [first, ...rest] = wrapIndented(text, width);
    const more = [...rest, ...(below === null ? [] : wrapIndented(below, width, 2))];
    const lines = [
      paint(colours[outcome], outcome.padEnd(indent)) + first,
      ...more.map((line) => ' '.repeat(indent) + line),
    ];
    stream.write(`${lines.join('\n')}\n`);
  }
}

/** @type {Record<Judgement['outcome'], 'green' | 'red' | 'magenta'>} */
const ofJudgements = {holds: 'green', fails: 'red', 'cannot tell': 'magenta'};

/**
 * Prints a line for the judgement of each expectation. In a workflow on GitHub, it also annotates expectations that do not hold.
 * @param {readonly Judgement[]} judgements @param {Stream} stream
 * @param {{quiet?: boolean, environment?: NodeJS.ProcessEnv}} [how] quiet: omit expectations that hold
 */
export function showExpectations(judgements, stream, {quiet = false, environment = process.env} = {}) {
  const shown = quiet ? judgements.filter(({outcome}) => outcome !== 'holds') : judgements;
  if (shown.length === 0) return;
  // A judgement of an option, such as --fail-if-slower, is under the name of the option.
  const options = new Set(shown.map(({expectation}) => (expectation.startsWith('--') ? expectation : '')));
  const [heading] = options.size === 1 ? options : [''];
  stream.write(quiet ? '' : `\n${heading || 'Expectations'}:\n`);
  printOutcomes(
    ofJudgements,
    shown.map(({outcome, sentence}) => ({outcome, text: sentence})),
    stream,
  );
  if (environment.GITHUB_ACTIONS === 'true') for (const judgement of shown) annotate(judgement, stream);
}

/**
 * Prints a workflow command of GitHub (docs.github.com, "Workflow commands"), with escaped percent signs and line breaks.
 * @param {Judgement} judgement @param {Stream} stream
 */
function annotate({outcome, sentence}, stream) {
  if (outcome === 'holds') return;
  const escaped = `${outcome}: ${sentence}`.replace(/[%\r\n]/g, encodeURIComponent);
  stream.write(`::${outcome === 'fails' ? 'error' : 'warning'} title=perf-battle::${escaped}\n`);
}

/** @type {Record<Finding['level'], 'green' | 'magenta' | 'red'>} */
const ofFindings = {ok: 'green', warning: 'magenta', error: 'red'};

/** Prints a line for each finding on a host, with the advice below it. @param {readonly Finding[]} findings @param {Stream} stream */
export function showFindings(findings, stream) {
  const found = findings.map(({check, level, finding, advice}) => ({
    outcome: level,
    text: `${check}: ${plainText(finding)}`,
    below: advice === null ? null : plainText(advice),
  }));
  printOutcomes(ofFindings, found, stream);
  const counts = Object.keys(ofFindings).flatMap((level) => {
    const count = findings.filter((one) => one.level === level).length;
    return count === 0 ? [] : [level === 'ok' ? `${count} ok` : counted(count, level)];
  });
  stream.write(`${findings.length} checks: ${counts.join(', ')}.\n`);
}

/** @param {readonly Finding[]} findings @param {string} separator */
export function findingsCsv(findings, separator) {
  return toCsv(fieldColumns('check', 'level', 'finding', 'advice'), findings, separator);
}

/**
 * Prints which transports sustain a rate: the question, and a sentence for each transport.
 * @param {Question} asked @param {readonly Choice[]} choices @param {Stream} stream
 */
export function showChoice(asked, choices, stream) {
  const width = widthOf(stream);
  const sentences = choices.map(({sentence}) => sentence);
  const lines = [questionText(asked), ...(choices.length === 0 ? ['No transport was measured.'] : sentences)];
  stream.write(`\n${lines.flatMap((line) => wrapIndented(line, width)).join('\n')}\n`);
}

/** @param {Question} asked */
export function questionText({rate, p99Ms, payloadBytes}) {
  return `Which transport sustains ${formatRate(rate)}/s of ${formatSize(payloadBytes)} with a p99 of at most ${p99Ms} ms?`;
}

/** @param {readonly Choice[]} choices @param {string} separator */
export function choicesCsv(choices, separator) {
  return toCsv(fieldColumns('cell', 'outcome', 'sentence'), choices, separator);
}
