import {timePerMessage} from '../../stats/time-per-message.js';

/**
 * @import {Standing} from '../../columns/column.js'
 * @import {CompletedRecord} from '../../results/record-schema.js'
 */

/**
 * How each cell of a block compares with its fastest transport. Old records hold no comparison, so theirs has no interval.
 *
 * @param {readonly CompletedRecord[]} block the fastest first
 * @param {string} floor the transport that the others are compared with
 * @returns {Map<CompletedRecord, Standing>}
 */
export function standingsIn(block, floor) {
  const fastest = block.find(({transport}) => transport !== floor);
  return new Map(
    block.map((record) => {
      if (record.transport === floor) return [record, 'floor'];
      if (record.vsFastest) return [record, standingOf(record)];
      if (!fastest || record === fastest) return [record, 'fastest'];
      const ratio = timePerMessage(record).meanMs / timePerMessage(fastest).meanMs;
      return [record, Number.isFinite(ratio) ? {ratio} : null];
    }),
  );
}

/**
 * How a cell compares with the fastest transport of its battle.
 * @param {Pick<CompletedRecord, 'id' | 'vsFastest'>} record
 * @returns {Standing} null if the record does not hold it
 */
export function standingOf({id, vsFastest}) {
  return vsFastest?.id === id ? 'fastest' : vsFastest;
}
