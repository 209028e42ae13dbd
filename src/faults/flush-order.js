/**
 * When a broker flushes a message to its disk: before it answers, after it, or not for each message.
 * @typedef {'before' | 'after' | 'none'} FlushOrder
 */

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
