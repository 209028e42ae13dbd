import {pathBeside} from '../../results/journal.js';

/** @import {ExportFormat} from '../export-format.js' */

/** The tools of HdrHistogram read such an interval log. @satisfies {ExportFormat} */
export const hlog = {
  name: 'hlog',
  isReplaced: true,
  summary: 'an HdrHistogram interval log, ending in .hlog',
  fileFor,
  async write(resultsPath, records, {signal}) {
    const path = fileFor(resultsPath);
    const {writeHistogramLog} = await import('./write.js');
    await writeHistogramLog(path, records, {signal});
    return [path];
  },
};

/** @param {string} resultsPath */
function fileFor(resultsPath) {
  return pathBeside(resultsPath, '.hlog');
}
