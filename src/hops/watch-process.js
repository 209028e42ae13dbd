/**
 * The watcher: a process on the host of a broker that measures when the messages of one cell pass the broker. It speaks the
 * protocol of protocol.js on stdin and stdout, and stops when stdin ends. The optional argument is the URL of the module of a
 * broker kind that is not part of perf-battle.
 */
import {brokerKindOf} from '../brokers/index.js';
import {endProcess, endUnheard} from '../ending/end-process.js';
import {failureOf, RunError} from '../errors.js';
import {monotonicMs, wallClockAheadMs} from '../measure/clock.js';
import {ControlChannel, stopped} from '../roles/control-channel.js';
import {Capture} from './capture.js';
import {DwellSums, InOrder, PacketReader} from './segments.js';

/**
 * @import {DwellTimes, Sum, WatcherEvent, WatcherSettings} from '../messages.js'
 * @import {Control} from '../roles/control-channel.js'
 * @import {Watched} from './segments.js'
 */

/** The wall clock may be set during the measurement. A larger step would change hops by more than their precision. */
const maxStepMs = 0.01;

const life = new AbortController();
const ended = new Promise((resolve) => life.signal.addEventListener('abort', resolve, {once: true}));
const control = /** @type {Control<WatcherSettings>} */ (new ControlChannel(process.stdin, life));
control.onClock = () => write({event: 'progress', phase: 'clock', atMs: monotonicMs()});
// Ctrl-C in a terminal also reaches this process, but the battle ends it.
process.on('SIGINT', () => {});
// A battle that has ended does not read. The end of stdin reports its end.
process.stdout.on('error', () => {});

watch().catch((error) => write({event: 'error', ...failureOf(error)}));
await ended;
// The kernel ends the capture with this process.
if (life.signal.reason !== stopped) endUnheard();
control.close();
await endProcess();

async function watch() {
  const {options} = await control.configurations.next();
  const {beginsMessage} = await (await brokerKindOf(options.brokerKind, process.argv[2])).load();
  if (!beginsMessage) throw new RunError('its messages are not recognized on the wire');
  const watched = {
    brokerPorts: new Set(options.brokerPorts),
    clientPorts: new Set(options.clientPorts),
    serverPorts: new Set(options.serverPorts),
    payloadBytes: options.payloadBytes,
    beginsMessage,
  };
  const marked = new Promise((resolve) => {
    control.onMark = () => resolve(undefined);
  });
  const capture = await Capture.start(options.brokerPorts);
  try {
    const aheadMs = wallClockAheadMs();
    write({event: 'ready'});
    await marked;
    write({event: 'progress', phase: 'passed', ...(await evaluate(capture, watched, aheadMs))});
  } finally {
    await capture.close();
  }
}

/**
 * @param {Capture} capture @param {Watched} watched
 * @param {number} aheadMs how far the wall clock was ahead of the monotonic clock at the beginning
 * @returns {Promise<{dwellTimes: DwellTimes | null, reason: string | null}>} dwellTimes: by the monotonic clock
 */
async function evaluate(capture, watched, aheadMs) {
  const stepMs = wallClockAheadMs() - aheadMs;
  const {lost} = await capture.stop();
  if (Math.abs(stepMs) > maxStepMs) return {dwellTimes: null, reason: 'the system clock was set meanwhile'};
  if (lost > 0) return {dwellTimes: null, reason: `tcpdump missed ${lost} packets`};
  return {dwellTimes: await dwellTimesIn(capture, watched, aheadMs + stepMs / 2), reason: null};
}

/** @param {Capture} capture @param {Watched} watched @param {number} aheadMs @returns {Promise<DwellTimes>} */
async function dwellTimesIn(capture, watched, aheadMs) {
  const reader = new PacketReader();
  const sums = new DwellSums(watched);
  const inOrder = new InOrder();
  for await (const chunk of capture.read())
    for (const captured of reader.read(chunk)) for (const segment of inOrder.add(captured)) sums.add(segment);
  const originMs = (reader.baseMs ?? 0) - aheadMs;
  const onOurClock = (/** @type {Sum} */ {messages, atMs}) => ({messages, atMs: atMs + messages * originMs});
  const {requestIn, requestOut, replyIn, replyOut} = sums.dwellTimes;
  return {
    requestIn: onOurClock(requestIn),
    requestOut: onOurClock(requestOut),
    replyIn: onOurClock(replyIn),
    replyOut: onOurClock(replyOut),
  };
}

/** @param {WatcherEvent} event */
function write(event) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}
