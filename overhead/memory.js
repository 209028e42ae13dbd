import {fileURLToPath} from 'node:url';
import {estimateMedian, measurePairs} from './pairs.js';
import {runNode} from './processes.js';

/**
 * @import {Bench} from './index.js'
 * @import {Row} from './report.js'
 */

const script = fileURLToPath(new URL('memory-process.js', import.meta.url));

/**
 * Compares the memory of a long run and a short one, and measures a round trip through the harness alone.
 *
 * @param {Bench} bench
 * @returns {AsyncGenerator<Row>}
 */
export async function* compareMemory({pairs, signal, onPair}) {
  const run = async (/** @type {number} */ samples, /** @type {number} */ window = 1) =>
    /** @type {{residentBytes: number, meanNs: number}} */ (
      JSON.parse(await runNode([script, String(samples), String(window)], {signal}))
    );
  const measured = await measurePairs(
    pairs,
    () => run(5_000_000),
    () => run(50_000),
    (pair) => onPair('memory', pair),
  );
  const megabytes = (/** @type {{residentBytes: number}} */ {residentBytes}) => residentBytes / 2 ** 20;
  yield {
    what: 'memory, 5,000,000 / 50,000 samples',
    bound: {sign: '<=', limit: 1.1},
    estimate: estimateMedian(measured.map(({one, other}) => one.residentBytes / other.residentBytes)),
    unit: '',
    sides: {
      one: measured.map(({one}) => megabytes(one)),
      other: measured.map(({other}) => megabytes(other)),
      unit: 'MiB',
    },
  };
  const inFlight = await measurePairs(
    pairs,
    () => run(1_000_000, 16),
    () => run(1000, 16),
    (pair) => onPair('memory of a pipeline', pair),
  );
  const adds = inFlight.map(({one, other}) => megabytes(one) - megabytes(other));
  yield {
    what: 'a million samples of a pipeline add',
    bound: {sign: '<', limit: 20},
    estimate: estimateMedian(adds),
    unit: 'MiB',
    sides: null,
  };
  yield {
    what: 'a round trip: the mean of 5,000,000',
    bound: null,
    estimate: estimateMedian(measured.map(({one}) => one.meanNs)),
    unit: 'ns',
    sides: null,
  };
}
