import {pathOf} from './harness.js';
import {estimateMedian, repeat} from './pairs.js';
import {runNode} from './processes.js';

/** @import {Bench, Part, Row} from './part.js' */

/** The new space is so large that no garbage collection happens between two readings of the heap. */
const flags = ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'];

/** @type {Part} */
export const recording = {
  name: 'recording',
  title: 'recording one sample',
  measure: measureRecording,
};

/**
 * Measures the time and memory of recording a sample beyond the two clock reads. The cost of moving the sample into the histogram later is
 * measured separately. Each run is a separate process, which alternates between the loops.
 * @param {Bench} bench
 */
async function* measureRecording(bench) {
  /** @type {Record<'bareNs' | 'recordedNs' | 'bareBytes' | 'recordedBytes' | 'moveNs', number>[]} */
  const measured = await repeat(bench, 'recording', async (run) => {
    const order = run % 2 === 0 ? 'recorded-first' : 'bare-first';
    return JSON.parse(await runNode([...flags, pathOf('recording-process.js'), order], bench));
  });
  yield row('time beyond two clock reads', measured, 'recordedNs', 'bareNs', {max: 100, unit: 'ns'});
  yield row('heap beyond two clock reads', measured, 'recordedBytes', 'bareBytes', {max: 1, unit: 'B'});
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
 * @param {string} what @param {readonly Record<Name, number>[]} measured
 * @param {Name} recorded @param {Name} bare @param {{max: number, unit: string}} bound @returns {Row}
 */
function row(what, measured, recorded, bare, {max, unit}) {
  return {
    what,
    bound: {max},
    estimate: estimateMedian(measured.map((figures) => figures[recorded] - figures[bare])),
    unit,
    sides: {
      one: measured.map((figures) => figures[recorded]),
      other: measured.map((figures) => figures[bare]),
      unit,
    },
  };
}
