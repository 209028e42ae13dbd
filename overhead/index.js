import {parseArgs} from 'node:util';
import {compareMemory} from './memory.js';
import {measureSendLag} from './open-loop.js';
import {minPairs} from './pairs.js';
import {measureRecording} from './recording.js';
import {formatDuration, formatHead, formatRow, holds} from './report.js';
import {compareRoundTrips} from './round-trips.js';
import {measureScale} from './scale.js';
import {compareStartUp} from './start-up.js';
import {compareThroughput} from './throughput.js';

/** @import {Row} from './report.js' */

/**
 * Measures what the harness itself costs.
 *
 * @typedef {object} Bench
 * @property {number} pairs the number of pairs of each comparison
 * @property {AbortSignal} signal
 * @property {(line: string) => void} log
 * @property {(what: string, pair: number) => void} onPair
 *
 * @typedef {(bench: Bench) => AsyncIterable<Row>} Part
 */

/** @type {Record<string, {title: string, measure: Part}>} */
const parts = {
  a: {title: 'p50 of round trips: the harness / a bare loop', measure: compareRoundTrips},
  b: {title: 'recording one sample', measure: measureRecording},
  c: {title: 'a client whose transport answers immediately', measure: compareMemory},
  d: {title: 'start-up time', measure: compareStartUp},
  e: {title: 'messages of 1 KB per second: the harness / a bare loop', measure: compareThroughput},
  f: {title: 'an open loop sends on time', measure: measureSendLag},
  g: {title: 'cost of more clients to the battle, over ssh', measure: measureScale},
};
/** The default of --only: without g, which needs root and OpenSSH's server. */
const defaultParts = 'a,b,c,d,e,f';

const {pairs, only} = readCommandLine();
const life = new AbortController();
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
  process.on(signal, () => life.abort(new Error(`interrupted by ${signal}`)));

try {
  process.exitCode = (await runBench()) ? 0 : 1;
} catch (error) {
  const reason = life.signal.aborted ? life.signal.reason.message : /** @type {Error} */ (error).stack;
  process.stderr.write(`\nbench: ${reason}\n`);
  process.exitCode = life.signal.aborted ? 130 : 2;
}

/** @returns {Promise<boolean>} whether every bound holds */
async function runBench() {
  const startedAt = performance.now();
  const bench = {pairs, signal: life.signal, log, onPair};
  let allHold = true;
  console.log(formatHead(pairs));
  for (const part of only) {
    console.log(`(${part}) ${parts[part].title}`);
    for await (const row of parts[part].measure(bench)) {
      console.log(formatRow(row));
      allHold &&= holds(row);
    }
  }
  console.log(formatDuration(performance.now() - startedAt));
  return allHold;
}

function readCommandLine() {
  const {values} = parseArgs({
    options: {pairs: {type: 'string', default: '20'}, only: {type: 'string', default: defaultParts}},
  });
  const chosen = {pairs: Number(values.pairs), only: values.only.split(',')};
  const unknown = chosen.only.find((part) => !Object.hasOwn(parts, part));
  if (unknown !== undefined)
    refuse(`--only must be a list of ${Object.keys(parts).join(', ')}; it has ${JSON.stringify(unknown)}.`);
  if (!Number.isInteger(chosen.pairs) || chosen.pairs < minPairs)
    refuse(`--pairs must be an integer of at least ${minPairs}; it is ${values.pairs}.`);
  return chosen;
}

/** @param {string} message @returns {never} */
function refuse(message) {
  process.stderr.write(`bench: ${message}\n`);
  process.exit(2);
}

/** @param {string} line */
function log(line) {
  process.stderr.write(`${line}\n`);
}

/** @param {string} what @param {number} pair */
function onPair(what, pair) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${what}: pair ${pair} of ${pairs}\r`);
  else if (pair === 0) log(`${what}: ${pairs} pairs`);
}
