/**
 * What the acknowledgement of a message is worth, from what was seen and not from documentation. The classes are in ascending order.
 *
 * @typedef {'not stored' | 'fire and forget' | 'in memory' | 'in the page cache' | 'batched on disk' | 'on disk before the acknowledgement'} GuaranteeClass
 *
 * @typedef {object} Evidence what was seen while one message at a time was outstanding; with several, a broker may write them together
 * @property {number} messages
 * @property {boolean} isConfirmed whether the broker confirms messages
 * @property {number | null} rttMs the median time from a send to its confirm; null without confirms
 * @property {number | null} ratePerSecond messages per second with a whole window outstanding
 * @property {number | null} dirtiedBytesPerMessage that the broker's processes wrote into the page cache; null where that is not known
 * @property {number | null} flushesPerMessage that the broker's device was asked for; null without a disk of its own
 *
 * @typedef {'kept' | 'lost' | 'unavailable' | 'not tried'} Outcome of a fault, for the messages that were confirmed
 */

/** A broker that stores a message writes at least this share of its bytes. One that stores none also writes now and then. */
const storedShare = 0.5;
/** One that waits for the disk before it confirms flushes once for each message, where one is outstanding. */
const flushedShare = 0.9;
/** Below it, flushes are those of the file system and not of messages. */
const batchedShare = 0.02;

/** What an acknowledgement survives. @type {Record<GuaranteeClass, {crash: boolean, powerCut: boolean}>} */
const survivals = {
  'not stored': {crash: false, powerCut: false},
  'fire and forget': {crash: false, powerCut: false},
  'in memory': {crash: false, powerCut: false},
  'in the page cache': {crash: true, powerCut: false},
  'batched on disk': {crash: true, powerCut: false},
  'on disk before the acknowledgement': {crash: true, powerCut: true},
};

/**
 * The class that the writes of a broker show.
 * @param {Evidence} evidence
 * @param {{payloadBytes: number}} load
 * @returns {GuaranteeClass | null} null: it cannot be told
 */
export function classOfWrites(evidence, {payloadBytes}) {
  const {isConfirmed, dirtiedBytesPerMessage, flushesPerMessage} = evidence;
  if (!isConfirmed) return 'fire and forget';
  if (dirtiedBytesPerMessage === null) return null;
  if (dirtiedBytesPerMessage < storedShare * payloadBytes) return 'in memory';
  if (flushesPerMessage === null) return null;
  if (flushesPerMessage >= flushedShare) return 'on disk before the acknowledgement';
  return flushesPerMessage >= batchedShare ? 'batched on disk' : 'in the page cache';
}

/**
 * The class that holds in view of what was lost: at most that of the writes.
 * @param {GuaranteeClass | null} ofWrites
 * @param {{crash: Outcome, powerCut: Outcome}} found
 * @returns {{class: GuaranteeClass | null, isBroken: boolean}} isBroken: messages were lost that this class keeps
 */
export function measuredClass(ofWrites, {crash, powerCut}) {
  const isLost = (/** @type {Outcome} */ outcome) => outcome === 'lost' || outcome === 'unavailable';
  const seen = classOfLosses({crash, powerCut});
  if (ofWrites === null) return {class: seen, isBroken: false};
  const {crash: survivesCrash, powerCut: survivesCut} = survivals[ofWrites];
  const isBroken = (survivesCrash && isLost(crash)) || (survivesCut && isLost(powerCut));
  return {class: isBroken ? seen : ofWrites, isBroken};
}

/** @param {{crash: Outcome, powerCut: Outcome}} found @returns {GuaranteeClass | null} */
function classOfLosses({crash, powerCut}) {
  if (crash === 'lost' || crash === 'unavailable') return 'in memory';
  if (powerCut === 'lost' || powerCut === 'unavailable') return 'in the page cache';
  return crash === 'kept' && powerCut === 'kept' ? 'on disk before the acknowledgement' : null;
}
