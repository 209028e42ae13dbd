/** @import {Evidence, FlushOrder, GuaranteeClass, Outcome} from './found.js' */

/** A broker that stores a message writes at least this share of its bytes. One that stores none also writes now and then. */
const storedShare = 0.5;
/** One that waits for the disk before it confirms flushes once for each message, where one is outstanding. */
const flushedShare = 0.9;
/** Below it, flushes are those of the file system and not of messages. */
const batchedShare = 0.02;

/**
 * The class that the writes of a broker show.
 * @param {Evidence} evidence @returns {GuaranteeClass | null} null: it cannot be told
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
 * @param {GuaranteeClass | null} found @param {Evidence | null} evidence
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
 * @param {{crash: Outcome, powerCut: Outcome, isPartlyKept?: boolean, others: readonly Outcome[]}} found isPartlyKept: power cuts left messages that the broker flushed;
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

/** Fewer messages show no order. */
const fewestMessages = 20;
const beforeShare = 0.9;
const afterShare = 0.5;

/**
 * The order of flush and answer in a trace of system calls, while one message at a time is outstanding: the broker reads a message from its socket, and
 * writes an answer to it. A flush counts when it has returned, and an answer when it begins.
 * @param {string} trace of `strace -f -yy`, https://man7.org/linux/man-pages/man1/strace.1.html
 * @param {number} port of the broker
 * @returns {FlushOrder | null} null: too few messages
 */
export function flushOrderIn(trace, port) {
  let messages = 0;
  const counts = {before: 0, after: 0};
  /** Since the last message was read. */
  let [isAnswered, isFlushedBefore, isFlushedAfter] = [false, false, false];
  for (const event of eventsIn(trace, port)) {
    if (event === 'flush' && isAnswered) isFlushedAfter = true;
    else if (event === 'flush') isFlushedBefore = true;
    else if (event === 'answer') isAnswered = true;
    // A message may be read in parts.
    else if (isAnswered) {
      messages += 1;
      counts.before += Number(isFlushedBefore);
      counts.after += Number(isFlushedAfter && !isFlushedBefore);
      [isAnswered, isFlushedBefore, isFlushedAfter] = [false, false, false];
    }
  }
  if (messages < fewestMessages) return null;
  if (counts.before >= beforeShare * messages) return 'before';
  return counts.after >= afterShare * messages ? 'after' : 'none';
}

const reads = /^(?:recvfrom|recvmsg|read|readv)\(/;
const writes = /^(?:sendto|sendmsg|write|writev)\(/;
const flushes = /^(?:fsync|fdatasync|sync_file_range)\(/;

/** @param {string} trace @param {number} port @returns {Generator<'message' | 'answer' | 'flush'>} */
function* eventsIn(trace, port) {
  const socket = new RegExp(`^\\w+\\(\\d+<TCP(?:v6)?:\\[\\S*?:${port}->`);
  /** Calls that have begun, by thread. @type {Map<string, string>} */
  const begun = new Map();
  for (const line of trace.split('\n')) {
    // A process with one thread has no number.
    const [, thread = '', text = ''] = /^(?:\[pid +(?=\d))?(?:(\d+)\]? +)?(.*)$/.exec(line) ?? [];
    const isResumed = text.startsWith('<... ');
    const call = isResumed ? (begun.get(thread) ?? '') : text;
    const isUnfinished = text.endsWith('<unfinished ...>');
    if (isUnfinished) begun.set(thread, text);
    if (!isResumed && writes.test(call) && socket.test(call)) yield 'answer';
    if (isUnfinished) continue;
    const [, result = '-1'] = /\) += (-?\d+)/.exec(text) ?? [];
    if (flushes.test(call) && Number(result) === 0) yield 'flush';
    if (reads.test(call) && socket.test(call) && Number(result) > 0) yield 'message';
  }
}
