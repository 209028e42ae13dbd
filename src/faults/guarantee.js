/** @import {Evidence, FlushOrder, GuaranteeClass, Outcome} from './found.js' */

/** A broker that stores messages writes at least this share of their bytes. A broker that stores none also writes sometimes. */
const storedShare = 0.5;
/** A broker that waits for the disk before it confirms flushes once per message, if one message at a time is outstanding. */
const flushedShare = 0.9;
/** Fewer flushes per message are flushes of the file system. */
const batchedShare = 0.02;

/** The class that the writes of a broker show. @param {Evidence} evidence @returns {GuaranteeClass | null} null if unknown */
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
  // A cluster confirms when a majority of the nodes that store a message have flushed it.
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
 * The number of nodes of a broker that store its messages.
 * @param {{payloadBytes: number, dirtiedBytesByNode: readonly (number | null)[]}} written bytes per message
 * @returns {number} at least 1
 */
export function replicasOf({payloadBytes, dirtiedBytesByNode}) {
  const storing = dirtiedBytesByNode.filter((bytes) => bytes !== null && bytes >= storedShare * payloadBytes);
  return Math.max(1, storing.length);
}

/**
 * The name of a class in tables, with the number of nodes that store each message.
 * @param {GuaranteeClass | null} found @param {Evidence | null} evidence
 */
export function nameOfGuarantee(found, evidence) {
  if (found === null) return null;
  const {replicas = 1} = evidence ?? {};
  return replicas > 1 ? `${found}, replicated on ${replicas}` : found;
}

/**
 * The class that holds after the losses: at most the class of the writes. Only a broker that flushes once per message promises to keep messages.
 * A broker that loses written messages in a crash gets the class "in memory".
 * @param {GuaranteeClass | null} ofWrites
 * @param {{crash: Outcome, powerCut: Outcome, isPartlyKept?: boolean, others: readonly Outcome[]}} found isPartlyKept: power cuts left messages
 *   that the broker had flushed; others: outcomes of faults that end nothing, or end the broker in an orderly way
 * @returns {{class: GuaranteeClass | null, isBroken: boolean}} isBroken: messages were lost although the broker flushed once per message
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

/** Fewer messages are too few to show an order. */
const fewestMessages = 20;
const beforeShare = 0.9;
const afterShare = 0.5;

/**
 * The order of flush and answer in a trace of system calls, with one outstanding message at a time: the broker reads a message from its socket
 * and writes an answer. The time of a flush is its return, and the time of an answer is its begin.
 * @param {string} trace the output of `strace -f -yy`, https://man7.org/linux/man-pages/man1/strace.1.html
 * @param {number} port the broker's port
 * @returns {FlushOrder | null} null if the trace has too few messages
 */
export function flushOrderIn(trace, port) {
  let messages = 0;
  const counts = {before: 0, after: 0};
  /** The state since the last message was read. */
  let [isAnswered, isFlushedBefore, isFlushedAfter] = [false, false, false];
  for (const event of eventsIn(trace, port)) {
    if (event === 'flush' && isAnswered) isFlushedAfter = true;
    else if (event === 'flush') isFlushedBefore = true;
    else if (event === 'answer') isAnswered = true;
    // A read before the answer is a further part of the same message.
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
  /** Unfinished calls, by thread. @type {Map<string, string>} */
  const begun = new Map();
  for (const line of trace.split('\n')) {
    // strace prints no number for a process with one thread.
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
