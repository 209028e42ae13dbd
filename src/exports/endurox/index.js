import {dirname, join} from 'node:path';
import {option} from '../../options/option.js';
import {path} from '../../options/types.js';

/** @import {ExportFormat} from '../export-format.js' */

const filesOption = option('endurox-files', {
  type: path('the path of a data file of the Enduro/X benchmark'),
  list: true,
  help: 'Draw these data files of the Enduro/X benchmark in place of a battle: calls per second over the message size, a line for each configuration.',
  scope: 'chart',
  group: 'The charts',
});

/** The Enduro/X benchmark draws its charts from these data files. @satisfies {ExportFormat} */
export const endurox = {
  name: 'endurox',
  summary: 'data files for the charts of the Enduro/X benchmark, in a folder endurox next to the results',
  hasConfiguration: true,
  chartFiles: {
    option: filesOption,
    parse: async (content) => (await import('./data.js')).parseEnduroxData(content),
  },
  async write(resultsPath, records, {configuration, signal}) {
    const {writeEnduroxData} = await import('./data.js');
    return writeEnduroxData(join(dirname(resultsPath), 'endurox'), records, {configuration, signal});
  },
};
