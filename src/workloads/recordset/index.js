import {meanTable} from '../../columns/tables.js';
import {option} from '../../options/option.js';
import {integer, oneOf} from '../../options/types.js';
import {clients, contentGroup, everyRole, retries, servers, verify, window} from '../shared-options.js';
import {defaultRows, recordSetBytes} from './request.js';
import {role} from './role.js';

/**
 * @import {BattleValuesOf} from '../../options/contract.js'
 * @import {OwnSettings, Workload} from '../workload.js'
 */

const options = [
  window,
  clients,
  servers,
  verify,
  retries,
  option('rows', {
    type: integer({minimum: 1, maximum: 1_000_000}),
    list: true,
    label: (value) => `${value} rows`,
    help: 'Rows per reply; by default 8, 504, 2679 and 72591.',
    helpFor: {faults: 'Rows per reply. By default 8.'},
    group: contentGroup,
  }),
  option('delivery', {
    type: oneOf(['streamed', 'preloaded']),
    default: 'streamed',
    list: true,
    label: (value) => value,
    help: 'Send rows in chunks while they are encoded, or encode all of them beforehand.',
    group: contentGroup,
  }),
  option('rows-from', {
    type: oneOf(['memory', 'sqlite']),
    default: 'memory',
    list: true,
    label: (value) => (value === 'memory' ? null : 'from SQLite'),
    help: 'Answer with rows that the server has in memory, or read them from a table of SQLite for each answer. sqlite needs Node.js 22.13 on the host of the server.',
    group: contentGroup,
  }),
];

/** @typedef {OwnSettings<typeof options> & {window: number, rows: number, seed: number}} RecordsetSettings */
const means = meanTable('recordset');

/**
 * The server answers with synthetic rows from memory or from a database, and the client decodes them. Answers are streamed in chunks or
 * preloaded, one after the other or with several in flight.
 * @satisfies {Workload<RecordsetSettings, BattleValuesOf<typeof options[number]>>}
 */
export const recordset = {
  name: /** @type {const} */ ('recordset'),
  ...role,
  summary: 'answers of many rows, decoded by the client',
  options,
  figure: 'latency',
  figureNote: 'mean time until all rows of an answer are decoded',
  // One pair measures one size, because the number of rows is a setting of the variant and not a payload size.
  sharesPair: () => false,
  table: () => means,
  dimensions: () => ({delivery: ['streamed', 'preloaded'], window: [1, 16], rowsFrom: ['memory']}),
  sizes: ({rows}) =>
    (rows ?? defaultRows).map((count) => ({
      payloadBytes: recordSetBytes(count),
      variant: {rows: count},
    })),
  underFaults: {rows: [8], delivery: ['streamed']},
  // Both ends make the rows, so they must agree on the seed.
  byHand: {rows: defaultRows, seed: [0]},
  cpu: () => everyRole,
  cpuNote: 'all roles, encoding and decoding included',
  supportsExternal: () => true,
  floorNote: 'the same rows, encoded and decoded in the same way, over raw TCP',
  busyRoles: ({window}) => (window > 1 ? ['client', 'server'] : []),
  ignores: () => ['payloadBytes', 'payloadFile'],
};
