import {toCsv} from './csv.js';
import {painter, plainText, widthOf, wrapIndented} from './terminal.js';

/** @import {Finding} from '../doctor/checks.js' */

/** @type {Record<Finding['level'], 'green' | 'magenta' | 'red'>} */
const colours = {ok: 'green', warning: 'magenta', error: 'red'};
const levelWidth = Math.max(...Object.keys(colours).map(({length}) => length)) + 2;

/**
 * Prints what a host was examined for: a line for each finding, with what to do about it below.
 * @param {readonly Finding[]} findings
 * @param {Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>} stream
 */
export function showFindings(findings, stream) {
  const paint = painter(stream);
  const width = widthOf(stream);
  const indent = ' '.repeat(levelWidth);
  for (const {check, level, finding, advice} of findings) {
    const [first, ...rest] = wrapIndented(`${check}: ${plainText(finding)}`, width - levelWidth);
    const more = advice === null ? [] : wrapIndented(plainText(advice), width - levelWidth, 2);
    const lines = [paint(colours[level], level.padEnd(levelWidth)) + first];
    stream.write(`${[...lines, ...[...rest, ...more].map((line) => indent + line)].join('\n')}\n`);
  }
  const counts = Object.keys(colours).map((level) => ({
    level,
    count: findings.filter((one) => one.level === level).length,
  }));
  const said = counts.filter(({count}) => count > 0).map(({level, count}) => `${count} ${level}`);
  stream.write(`${findings.length} checks: ${said.join(', ')}.\n`);
}

/** The same as comma-separated values. @param {readonly Finding[]} findings @param {string} separator */
export function findingsCsv(findings, separator) {
  return toCsv(csvColumns, findings, separator);
}

/** @type {readonly [string, (finding: Finding) => unknown][]} */
const csvColumns = [
  ['check', ({check}) => check],
  ['level', ({level}) => level],
  ['finding', ({finding}) => finding],
  ['advice', ({advice}) => advice],
];
