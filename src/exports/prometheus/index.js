import {pathBeside} from '../../results/journal.js';

/** @import {ExportFormat} from '../export-format.js' */

/** The textfile collector of node_exporter reads this text format of Prometheus. @satisfies {ExportFormat} */
export const prometheus = {
  name: 'prometheus',
  isReplaced: true,
  summary: 'the figures as gauges of Prometheus, ending in .prom',
  fileFor,
  async write(resultsPath, records, {signal}) {
    const path = fileFor(resultsPath);
    const [{updateFile}, {formatMetrics}] = await Promise.all([
      import('../../files/writable-file.js'),
      import('./metrics.js'),
    ]);
    await updateFile(path, () => formatMetrics(records), {signal});
    return [path];
  },
};

/** @param {string} resultsPath */
function fileFor(resultsPath) {
  return pathBeside(resultsPath, '.prom');
}
