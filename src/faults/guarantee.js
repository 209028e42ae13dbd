/**
 * @import {FlushOrder} from './flush-order.js'
 */

/**
 * What the acknowledgement of a message is worth, from what was seen and not from documentation. The classes are in ascending order.
 *
 * @typedef {'not stored' | 'fire and forget' | 'in memory' | 'in the page cache' | 'batched on disk' | 'on disk before the acknowledgement'} GuaranteeClass
 *
 * @typedef {object} Evidence what was seen while one message at a time was outstanding; with several, a broker may write them together
 * @property {number} messages
 * @property {number} payloadBytes of each
 * @property {boolean} isConfirmed whether the broker confirms messages
 * @property {number | null} rttMs the median time from a send to its confirm; null without confirms
 * @property {number | null} ratePerSecond messages per second with a whole window outstanding
 * @property {number | null} dirtiedBytesPerMessage that the broker's processes wrote into the page cache; null where that is not known
 * @property {number} [replicas] how many nodes wrote each message; missing in older records
 * @property {FlushOrder | null} [flushOrder] whether the broker flushes a message before it answers; null where it was not traced
 * @property {number | null} flushesPerMessage that the broker's device was asked for, which all its nodes share; null without a disk of its own
 *
 * @typedef {'kept' | 'lost' | 'unavailable' | 'not tried'} Outcome of a fault, for the messages that were confirmed; unavailable: they could not be read;
 *   not tried: nothing had been confirmed
 */

/** A broker that stores a message writes at least this share of its bytes. One that stores none also writes now and then. */
const storedShare = 0.5;
/** One that waits for the disk before it confirms flushes once for each message, where one is outstanding. */
const flushedShare = 0.9;
/** Below it, flushes are those of the file system and not of messages. */
const batchedShare = 0.02;

/**
 * The class that the writes of a broker show.
 * @param {Evidence} evidence
 * @returns {GuaranteeClass | null} null: it cannot be told
 */
export function classOfWrites(evidence) {
  const {
    isConfirmed,
    payloadBytes,
    dirtiedBytesPerMessage,
    flushesPerMessage,
    flushOrder,
    replicas = 1,
  } = evidence;
  if (!isConfirmed) return 'fire and forget';
  if (dirtiedBytesPerMessage === null) return null;
  if (dirtiedBytesPerMessage < storedShare * payloadBytes) return 'in memory';
  if (flushesPerMessage === null) return null;
  // A cluster confirms when most of the nodes that keep a message have flushed it.
  const awaited = Math.floor(replicas / 2) + 1;
  if (flushesPerMessage >= flushedShare * awaited && flushOrder !== 'after')
    return 'on disk before the acknowledgement';
  return flushesPerMessage >= batchedShare ? 'batched on disk' : 'in the page cache';
}

/** Whether messages of a class are lost when the broker ends. @param {string} found */
export function survivesNothing(found) {
  return ['not stored', 'fire and forget', 'in memory'].includes(found);
}

/**
 * How many nodes of a broker store its messages.
 * @param {{payloadBytes: number, dirtiedBytesByNode: readonly (number | null)[]}} written for each message
 * @returns {number} at least 1
 */
export function replicasOf({payloadBytes, dirtiedBytesByNode}) {
  const storing = dirtiedBytesByNode.filter((bytes) => bytes !== null && bytes >= storedShare * payloadBytes);
  return Math.max(1, storing.length);
}

/**
 * What tables call a class, with the number of nodes that have each message.
 * @param {GuaranteeClass | null} found
 * @param {Evidence | null} evidence
 */
export function nameOfGuarantee(found, evidence) {
  if (found === null) return null;
  const {replicas = 1} = evidence ?? {};
  return replicas > 1 ? `${found}, replicated on ${replicas}` : found;
}

/**
 * The class that holds in view of what was lost: at most that of the writes. Only a broker that flushes once for each message promises anything by
 * that: one that writes a message and does not read it again after a crash has it in memory.
 * @param {GuaranteeClass | null} ofWrites
 * @param {{crash: Outcome, powerCut: Outcome, isPartlyKept?: boolean, others: readonly Outcome[]}} found isPartlyKept: each power cut left some messages;
 *   others: of faults that end nothing, or end it in an orderly way
 * @returns {{class: GuaranteeClass | null, isBroken: boolean}} isBroken: messages were lost that this class keeps
 */
export function measuredClass(ofWrites, {crash, powerCut, isPartlyKept = false, others}) {
  if (ofWrites === 'fire and forget') return {class: ofWrites, isBroken: false};
  const isLostByCrash = [crash, ...others].includes('lost');
  const isLost = isLostByCrash || powerCut === 'lost';
  const isBroken = ofWrites === 'on disk before the acknowledgement' && isLost;
  if (isLostByCrash) return {class: 'in memory', isBroken};
  const isStored = ofWrites !== 'in memory';
  if (powerCut === 'lost' && isStored)
    return {class: isPartlyKept && !isBroken ? 'batched on disk' : 'in the page cache', isBroken};
  if (powerCut === 'lost') return {class: ofWrites, isBroken};
  const isKept = crash === 'kept' && powerCut === 'kept';
  return {class: ofWrites ?? (isKept ? 'on disk before the acknowledgement' : null), isBroken};
}
