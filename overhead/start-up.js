import {pathOf} from './harness.js';
import {compareSides} from './pairs.js';
import {runNode} from './processes.js';

/** @import {Bench, Part} from './part.js' */

/** @type {Part} */
export const startUp = {
  name: 'start-up',
  title: 'start-up time',
  measure: compareStartUp,
};

/** Compares the time of --help with the start of Node.js alone. @param {Bench} bench */
async function* compareStartUp(bench) {
  const timeOf = async (/** @type {string[]} */ ...commandLine) => {
    const before = performance.now();
    await runNode(commandLine, {signal: bench.signal});
    return performance.now() - before;
  };
  yield await compareSides(bench, {
    what: 'perf-battle --help / node -e 0',
    bound: {max: 3},
    unit: 'ms',
    one: () => timeOf(pathOf('../bin/perf-battle.js'), '--help'),
    other: () => timeOf('-e', '0'),
  });
}
