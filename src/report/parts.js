import {workloads} from '../workloads/index.js';

/** @import {CompletedRecord} from '../results/record-schema.js' */

/**
 * Whether a record's parts stand in the place of its whole: into a queue and out of it are timed apart, one after the other, and a rate
 * over both would say nothing. Where a part is timed beside the whole, both are shown.
 *
 * @param {Pick<CompletedRecord, 'workload' | 'phases'>} record
 */
export function isShownInParts({workload, phases}) {
  return workloads[workload]?.partsAreTheWhole === true && Object.keys(phases).length > 0;
}
