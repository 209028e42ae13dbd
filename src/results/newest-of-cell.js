/** @import {CellRecord} from './record-schema.js' */

/**
 * Whether a record of a cell is of before it was completed, because journals were merged. A battle that is resumed does not measure a completed cell again.
 * @param {Pick<CellRecord, 'outcome'>} record
 * @param {Pick<CellRecord, 'outcome'> | undefined} known of the same cell
 */
export function isOlder({outcome}, known) {
  return known?.outcome === 'completed' && outcome !== 'completed';
}
