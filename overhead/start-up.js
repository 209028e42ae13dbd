import {fileURLToPath} from 'node:url';
import {estimateMedian, measurePairs} from './pairs.js';
import {runNode} from './processes.js';

/**
 * @import {Bench} from './index.js'
 * @import {Row} from './report.js'
 */

const program = fileURLToPath(new URL('../bin/perf-battle.js', import.meta.url));

/**
 * The time that --help takes, relative to the start of Node.js alone.
 *
 * @param {Bench} bench
 * @returns {AsyncGenerator<Row>}
 */
export async function* compareStartUp({pairs, signal, onPair}) {
  const timeOf = async (/** @type {string[]} */ ...commandLine) => {
    const before = performance.now();
    await runNode(commandLine, {signal});
    return performance.now() - before;
  };
  const measured = await measurePairs(
    pairs,
    () => timeOf(program, '--help'),
    () => timeOf('-e', '0'),
    (pair) => onPair('start', pair),
  );
  yield {
    what: 'perf-battle --help / node -e 0',
    bound: {sign: '<=', limit: 3},
    estimate: estimateMedian(measured.map(({one, other}) => one / other)),
    unit: '',
    sides: {one: measured.map(({one}) => one), other: measured.map(({other}) => other), unit: 'ms'},
  };
}
