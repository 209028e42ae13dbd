import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {setTimeout as sleep} from 'node:timers/promises';
import {findSetpriv, pathFolders} from '../../brokers/programs.js';
import {RunError} from '../../errors.js';
import {flushOrderIn, replicasOf} from '../../faults/guarantee.js';
import {outcomes} from '../../measure/message-log.js';
import {medianOf} from '../../measure/recorder.js';
import {transportNamed} from '../../transports/index.js';
import {SteadyLoad} from './load.js';

/**
 * @import {Broker, Written} from '../../brokers/kind.js'
 * @import {Evidence, FlushOrder, Row} from '../../faults/found.js'
 * @import {LoadContext, LoadSettings} from './types.js'
 * @import {Log} from '../../measure/message-log.js'
 */

const warmUpMs = 500;
const measuredMs = 2000;
/** The writes of smaller messages cannot be distinguished from the broker's other writes. */
const leastPayloadBytes = 1024;
/** An unreachable rate, so that only the window limits the load. */
const asManyAsPossible = 1e6;

/**
 * Measures the writes of a broker for the messages of a row, which show its guarantee, and the cost of an acknowledgement. The load has one message
 * outstanding, then a whole window.
 * @param {Row} asked @param {LoadContext & {broker: Broker}} context @param {LoadSettings} load @returns {Promise<Evidence>}
 * @throws {RunError} PB_STALLED when the broker confirms nothing
 */
export async function gatherEvidence(asked, context, load) {
  const row = {...asked, payloadBytes: Math.max(leastPayloadBytes, asked.payloadBytes)};
  const one = await observe(row, context, {...load, window: 1, rate: asManyAsPossible});
  // Nothing limits a sender without confirms, so its rate says nothing about the broker.
  const many = one.isConfirmed ? await observe(row, context, {...load, rate: asManyAsPossible}) : null;
  const dirtiedBytesByNode = one.after.dirtiedBytesByNode.map((_, node) =>
    perMessage(one, (written) => written.dirtiedBytesByNode[node]),
  );
  return {
    messages: one.messages,
    payloadBytes: row.payloadBytes,
    isConfirmed: one.isConfirmed,
    rttMs: one.isConfirmed ? one.medianMs : null,
    ratePerSecond: many && (many.messages * 1000) / many.ms,
    dirtiedBytesPerMessage: perMessage(one, ({dirtiedBytes}) => dirtiedBytes),
    flushesPerMessage: perMessage(one, ({flushes}) => flushes),
    replicas: replicasOf({payloadBytes: row.payloadBytes, dirtiedBytesByNode}),
    flushOrder: await flushOrderOf(row, context, {load, flushes: perMessage(one, ({flushes}) => flushes)}),
  };
}

/** The times of traces in ms. A slow disk or a busy host needs the second one. */
const traces = [1500, 6000];
/** With fewer flushes per message, a trace does not show the order. */
const leastFlushes = 0.5;

/**
 * Traces whether the broker flushes a message before it answers. The trace has a load of its own, because tracing slows the broker down.
 * @param {Row} row @param {LoadContext & {broker: Broker}} context
 * @param {{load: LoadSettings, flushes: number | null}} what flushes: the number of flushes per message
 * @returns {Promise<FlushOrder | null>} null if the broker was not traced
 */
async function flushOrderOf(row, context, {load, flushes}) {
  const {pid, connection, connections} = context.broker;
  const isShown = isConfirmedIn(row) && flushes !== null && flushes >= leastFlushes;
  if (!isShown || pid === null || connections.length > 1) return null;
  const steady = new SteadyLoad(
    row,
    context,
    {...load, window: 1, rate: asManyAsPossible},
    {keepsStore: false},
  );
  try {
    await steady.open();
    await steady.begin();
    /** @type {FlushOrder | null} */
    let order = null;
    for (const ms of traces) {
      const trace = await traceCalls(pid, {ms, signal: context.signal});
      order = trace === null ? null : flushOrderIn(trace, connection.port);
      if (trace === null || order !== null) break;
    }
    await steady.end();
    return order;
  } finally {
    await steady.close();
  }
}

/** @typedef {{messages: number, ms: number, medianMs: number, isConfirmed: boolean, before: Written, after: Written}} Observed */

/** @param {Row} row @param {LoadContext & {broker: Broker}} context @param {LoadSettings} load */
async function observe(row, context, load) {
  const {broker, signal} = context;
  const isConfirmed = isConfirmedIn(row);
  // Without confirms a sender would fill the queue as fast as it can.
  const steady = new SteadyLoad(row, context, isConfirmed ? load : {...load, rate: 500}, {keepsStore: false});
  try {
    await steady.open();
    await steady.begin();
    await sleep(warmUpMs, undefined, {signal});
    const before = await writtenBy(broker);
    await sleep(measuredMs, undefined, {signal});
    const after = await writtenBy(broker);
    const log = await steady.end();
    const times = timesBetween(log, {fromMs: before.atMs, toMs: after.atMs, isConfirmed});
    if (times.length === 0)
      throw new RunError(`The broker confirmed no message within ${measuredMs / 1000} s.`, {
        code: 'PB_STALLED',
      });
    return {
      messages: times.length,
      ms: after.atMs - before.atMs,
      medianMs: medianOf(times),
      isConfirmed,
      before: before.written,
      after: after.written,
    };
  } finally {
    await steady.close();
  }
}

/** @param {Row} row */
function isConfirmedIn({transport, variant}) {
  return transportNamed(transport).boundsSends?.(variant) ?? false;
}

/** @param {Broker} broker */
async function writtenBy(broker) {
  const done = await broker.perform?.({type: 'written'});
  if (!done?.written) throw new TypeError('Only a private broker says what it has written.');
  return {atMs: done.atMs, written: done.written};
}

/**
 * @param {Log} log @param {{fromMs: number, toMs: number, isConfirmed: boolean}} part
 * @returns {number[]} ms from sending to confirmation, for each message that was confirmed in the part; without confirms, 0 for each sent message
 */
function timesBetween({messages, startMs, sentMs, settledMs, outcomes: all}, {fromMs, toMs, isConfirmed}) {
  const times = [];
  for (let sequence = 0; sequence < messages; sequence += 1) {
    const at = startMs + (isConfirmed ? settledMs[sequence] : sentMs[sequence]);
    if (!(at >= fromMs && at < toMs)) continue;
    if (!isConfirmed) times.push(0);
    else if (all[sequence] === outcomes.taken) times.push(settledMs[sequence] - sentMs[sequence]);
  }
  return times;
}

/** @param {Observed} observed @param {(written: Written) => number | null} what */
function perMessage({messages, before, after}, what) {
  const [from, to] = [what(before), what(after)];
  return messages === 0 || from === null || to === null ? null : (to - from) / messages;
}

/** The system calls that show when a message arrives, when it is answered, and when it is on disk. */
const calls = 'fsync,fdatasync,sync_file_range,recvfrom,recvmsg,read,readv,sendto,sendmsg,write,writev';
const mostBytes = 32 * 1024 ** 2;
const endWithinMs = 5000;

/**
 * Traces the system calls of a process of this host, which slows the process down. No figure may be measured at the same time.
 * @param {number} pid @param {{ms: number, signal: AbortSignal}} how
 * @returns {Promise<string | null>} null if strace is not installed, or may not trace the process
 */
async function traceCalls(pid, {ms, signal}) {
  const command = ['strace', '-f', '-qq', '-yy', '-s', '0', '-e', `trace=${calls}`, '-p', String(pid)];
  // If this process is killed, the kernel ends strace, and the traced process continues.
  const setpriv = await findSetpriv();
  const [file, ...words] = setpriv ? [setpriv, '--pdeathsig', 'KILL', ...command] : command;
  const child = spawn(file, words, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {PATH: pathFolders().join(':'), LC_ALL: 'C'},
  });
  /** @type {Buffer[]} */
  const parts = [];
  let bytes = 0;
  child.stderr.on('data', (/** @type {Buffer} */ part) => {
    bytes += part.length;
    if (bytes <= mostBytes) parts.push(part);
  });
  const ended = once(child, 'close').then(
    () => true,
    () => true,
  );
  const hasEnded = await Promise.race([ended, sleep(ms, false, {signal}).catch(() => false)]);
  // SIGINT makes strace detach from the process and end.
  child.kill('SIGINT');
  if (!(await Promise.race([ended, sleep(endWithinMs, false)]))) child.kill('SIGKILL');
  signal.throwIfAborted();
  return hasEnded ? null : Buffer.concat(parts).toString('latin1');
}
