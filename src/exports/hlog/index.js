import {pathBeside} from '../../results/path-beside.js';

/** @import {ExportFormat} from '../export-format.js' */

/**
 * An interval log that the tools of HdrHistogram read.
 * @satisfies {ExportFormat}
 */
export const hlog = {
  name: 'hlog',
  isReplaced: true,
  summary: 'an HdrHistogram interval log, ending in .hlog',
  async write(resultsPath, records, {signal}) {
    const path = pathBeside(resultsPath, '.hlog');
    const {writeHistogramLog} = await import('./write.js');
    await writeHistogramLog(path, records, {signal});
    return [path];
  },
};
