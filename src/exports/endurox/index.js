import {dirname, join} from 'node:path';

/** @import {ExportFormat} from '../export-format.js' */

/**
 * The data files from which the Enduro/X benchmark draws its charts.
 * @type {ExportFormat}
 */
export const endurox = {
  name: 'endurox',
  summary: 'data files for the charts of the Enduro/X benchmark, in a folder endurox beside the results',
  hasConfiguration: true,
  async write(resultsPath, records, {configuration, signal}) {
    const {writeEnduroxData} = await import('./write.js');
    return writeEnduroxData(join(dirname(resultsPath), 'endurox'), records, {configuration, signal});
  },
};
