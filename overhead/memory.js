import {pathOf} from './harness.js';
import {compareSides, estimateMedian, measurePairs, scaled} from './pairs.js';
import {runNode} from './processes.js';

/** @import {Bench, Part} from './part.js' */

/** @type {Part} */
export const memory = {
  name: 'memory',
  title: 'a client whose transport answers immediately',
  measure: compareMemory,
};

/**
 * Compares the memory of a long run and a short run, and measures a round trip through the harness alone.
 * @param {Bench} bench
 */
async function* compareMemory(bench) {
  const run = async (/** @type {number} */ samples, window = 1) =>
    /** @type {{megabytes: number, meanNs: number}} */ (
      JSON.parse(
        await runNode([pathOf('memory-process.js'), String(scaled(bench, samples)), String(window)], bench),
      )
    );
  /** @type {number[]} */
  const meansNs = [];
  const long = async () => {
    const {megabytes, meanNs} = await run(5_000_000);
    meansNs.push(meanNs);
    return megabytes;
  };
  const compared = await compareSides(bench, {
    what: 'memory, 5,000,000 / 50,000 samples',
    bound: {max: 1.1},
    unit: 'MiB',
    one: long,
    other: async () => (await run(50_000)).megabytes,
  });
  yield compared;
  const pipelines = await measurePairs(bench, {
    what: 'memory of a pipeline',
    one: () => run(1_000_000, 16),
    other: () => run(1000, 16),
  });
  const adds = pipelines.map(({one, other}) => one.megabytes - other.megabytes);
  yield {
    what: 'a million samples of a pipeline add',
    bound: {max: 20},
    estimate: estimateMedian(adds),
    unit: 'MiB',
    sides: null,
  };
  yield {
    what: 'a round trip: the mean of 5,000,000',
    bound: null,
    estimate: estimateMedian(meansNs.slice(-compared.estimate.count)),
    unit: 'ns',
    sides: null,
  };
}
