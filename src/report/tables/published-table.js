import {markdownTable} from 'markdown-table';
import {PUBLISHED_SOURCE, publishedRows} from '../../results/published/rows.js';
import {NOT_AVAILABLE} from './table-row.js';

/** The first column is not called Id, so that this table is never taken for the one of measured results. */
const COLUMNS = [
  'Published',
  'Facilitator',
  'Environment',
  'Payload Size',
  'Persistent',
  'RTT t2.micro',
  'RTT m4.xlarge',
];

/**
 * The published figures as a markdown table, below a sentence that says what they are and where they come from.
 *
 * @returns {string} without a line ending at its end
 */
export function publishedTable() {
  const {title, url} = PUBLISHED_SOURCE;
  const rows = publishedRows().map((row) => [
    String(row.id),
    row.facilitator,
    row.environment,
    row.payload,
    row.persistent ?? NOT_AVAILABLE,
    row.rtt['t2.micro']?.printed ?? NOT_AVAILABLE,
    row.rtt['m4.xlarge']?.printed ?? NOT_AVAILABLE,
  ]);
  return (
    'These figures were published in 2016, for comparison only; this program did not measure them. ' +
    `Source: [${title}](${url}).\n\n${markdownTable([COLUMNS, ...rows])}`
  );
}
