import {fileURLToPath} from 'node:url';
import {estimateMedian} from './pairs.js';
import {runNode} from './processes.js';

/**
 * @import {Bench} from './index.js'
 * @import {Row} from './report.js'
 */

const script = fileURLToPath(new URL('recording-process.js', import.meta.url));

/** A new space so large that no garbage collection happens between two readings of the heap. */
const flags = ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'];

/**
 * The time and memory that recording a sample costs beyond the two clock reads. Measured separately: the cost of moving it
 * into the histogram later. Each pair is a separate process, which alternates between the loops.
 *
 * @param {Bench} bench
 * @returns {AsyncGenerator<Row>}
 */
export async function* measureRecording({pairs, signal, onPair}) {
  /** @type {Record<'bareNs' | 'recordedNs' | 'bareBytes' | 'recordedBytes' | 'moveNs', number>[]} */
  const measured = [];
  for (let pair = 1; pair <= pairs; pair += 1) {
    onPair('recording', pair - 1);
    const order = pair % 2 === 0 ? 'bare-first' : 'recorded-first';
    measured.push(JSON.parse(await runNode([...flags, script, order], {signal})));
  }
  yield row('time beyond two clock reads', measured, 'recordedNs', 'bareNs', {limit: 100, unit: 'ns'});
  yield row('heap beyond two clock reads', measured, 'recordedBytes', 'bareBytes', {limit: 1, unit: 'B'});
  yield {
    what: 'moving it into the histogram, later',
    bound: null,
    estimate: estimateMedian(measured.map(({moveNs}) => moveNs)),
    unit: 'ns',
    sides: null,
  };
}

/**
 * @template {string} Name
 * @param {string} what
 * @param {readonly Record<Name, number>[]} measured
 * @param {Name} recorded
 * @param {Name} bare
 * @param {{limit: number, unit: string}} bound
 * @returns {Row}
 */
function row(what, measured, recorded, bare, {limit, unit}) {
  return {
    what,
    bound: {sign: '<', limit},
    estimate: estimateMedian(measured.map((figures) => figures[recorded] - figures[bare])),
    unit,
    sides: {
      one: measured.map((figures) => figures[recorded]),
      other: measured.map((figures) => figures[bare]),
      unit,
    },
  };
}
