import {parseSafely} from './safe-text.js';

/**
 * The contract between a battle and the processes that it starts, each in the role of a server or a client. Both directions carry JSON
 * lines: one object per line. A role reads control messages from its standard input and writes events to its standard output. Readers
 * ignore messages, events and fields that they do not know.
 *
 * The measurement of one cell takes these steps:
 *
 * 1. `configure` goes to each server, which answers `ready` with its address; then to each client, which connects and answers `ready`.
 * 2. `start` goes to each client, which warms up and answers with the phase `warm`.
 * 3. `mark` goes to each server, which answers with the phase `mark`. What it served before this mark does not count.
 * 4. `go` goes to each client, which answers with the phases `measuring` and `measured`, then with `result`.
 * 5. `mark` goes to each server again, which answers with what it served since the first one.
 *
 * Where a cell is measured in slices, `go` says so. A client then answers with the phase `measuring` and waits. Each `slice` makes it measure for a
 * moment, which it answers with the phase `measured`. After the last one, `end` asks for the `result`. What a server uses counts between `resume` and
 * `pause` only.
 *
 * The steps are repeated for each further payload size that the same processes measure. The options of such a `configure` differ from
 * the first ones in the payload, the length and the warm-up only. A server goes on listening, and a client keeps its connection. At the end:
 *
 * 6. `stop` goes to all. A role closes what it opened, and exits with code 0.
 *
 * A third role, the watcher, runs on the host of a broker. `configure` begins a capture, and is answered with `ready`. `mark` ends it, and is answered
 * with the phase `passed`.
 *
 * At any time the battle may send `count` (servers answer with the phase `count`) and `clock` (answered with the phase `clock`). It sends a
 * `beat` every second. Around the measured part it may send `profile`, which is answered with the phase `profile`. A role ends at the end of its
 * input, or after 5 s without a message. A role that fails writes `error` in place of what is awaited, and exits.
 *
 * @import {Counts, Timed} from './measure/counts.js'
 * @import {Moments} from './measure/clock.js'
 * @import {Usage} from './measure/usage.js'
 * @import {WarmUp} from './measure/warm-up.js'
 * @import {EncodedHistogram} from './stats/histogram.js'
 * @import {Summary} from './stats/summary.js'
 * @import {Accounted} from './measure/message-log.js'
 */

/**
 * Control messages.
 *
 * @typedef {{type: 'configure', options: ServerSettings} | {type: 'mark' | 'count' | 'pause' | 'resume'} | SharedMessage} ServerMessage
 * @typedef {{type: 'configure', options: ClientSettings} | {type: 'start'} | {type: 'go', inSlices?: boolean} |
 *   {type: 'slice', slice: Slice} | {type: 'end'} | SharedMessage} ClientMessage
 * @typedef {{type: 'clock'} | {type: 'profile', on: boolean} | {type: 'beat'} | {type: 'stop'}} SharedMessage
 * @typedef {{type: 'configure', options: WatcherSettings} | {type: 'mark'} | SharedMessage} WatcherMessage
 * @typedef {ServerMessage | ClientMessage | WatcherMessage} ControlMessage
 */

/**
 * A short part of the measurement of a cell. It ends when its time is over and it has its number of samples.
 *
 * @typedef {object} Slice
 * @property {number} discardMs what is sent first, and not counted
 * @property {number} ms what counts
 * @property {number} samples at least
 */

/**
 * The configuration of a role: these options, and beside them the settings of the transport and the workload by their keys.
 *
 * @typedef {object} RoleSettings
 * @property {string} workload its name
 * @property {number} payloadBytes
 * @property {string | null} payloadFile path of a file whose content is the payload
 * @property {number} seed of the payload's bytes and of random arrivals
 * @property {number} timeoutMs how long one request may take
 * @property {boolean} noDelay TCP_NODELAY, on every socket
 * @property {object | null} [broker] how to reach the broker; what it holds depends on the kind of broker
 * @property {Readonly<Record<string, string>>} [files] contents of certificates and keys, by the path that a setting names
 * @property {readonly number[] | null} [mainCores] the cores on which its main thread is to run; null: any
 * @property {number | null} [keeperPid] of the process on its host that keeps cores awake
 *
 * @typedef {object} SettingsOfServer
 * @property {string | null} listenAddress null: all addresses
 * @property {boolean} [knownPayload] whether the content of the messages follows from seed and payload, so that the server can check it
 * @property {readonly number[]} [clockAhead] by how many ms the server's clock is ahead of each client's
 *
 * @typedef {object} SettingsOfClient
 * @property {readonly object[]} [brokers] how to reach each node of the broker, the client's own first
 * @property {number | null} samples requests of the measured part; null: no bound
 * @property {number | null} durationMs of the measured part; null: no bound
 * @property {WarmUp} warmUp
 * @property {number} [client] its index among the clients, from 0
 * @property {readonly string[]} [servers] host:port of each, the client's own first; none where the broker leads to them
 * @property {readonly string[]} [certificates] PEM, of the servers with TLS
 *
 * @typedef {RoleSettings & SettingsOfServer} ServerSettings
 * @typedef {RoleSettings & SettingsOfClient} ClientSettings
 *
 * @typedef {object} WatcherSettings
 * @property {string} brokerKind its name
 * @property {readonly number[]} brokerPorts
 * @property {readonly number[]} clientPorts the clients' ends of their connections to the broker
 * @property {readonly number[]} serverPorts likewise
 * @property {number} payloadBytes
 */

/**
 * Events. Times `atMs` are readings of the role's monotonic clock, in ms.
 *
 * @typedef {ServerReady | Marked | Counted | Received | SharedEvent} ServerEvent
 * @typedef {ClientReady | WarmedUp | Measuring | MeasuredPart | Result | SharedEvent} ClientEvent
 * @typedef {ClockRead | Profiled | Failed} SharedEvent
 * @typedef {{event: 'ready'} | Passed | SharedEvent} WatcherEvent
 * @typedef {ServerEvent | ClientEvent | WatcherEvent} RoleEvent
 *
 * @typedef {object} ServerReady
 * @property {'ready'} event
 * @property {number} pid
 * @property {string | null} address host:port that clients connect to; null: through the broker
 * @property {string | null} certificate PEM, of a server with TLS
 * @property {Record<string, unknown>} details settings that only the running process knows, by key
 *
 * @typedef {object} ClientReady
 * @property {'ready'} event
 * @property {number} pid
 * @property {Record<string, unknown>} details settings that only the running process knows, by key
 *
 * @typedef {object} WarmedUp
 * @property {'progress'} event
 * @property {'warm'} phase
 * @property {number} sent messages that the servers should have received by now; 0 where the client itself sees what comes back
 * @property {number | null} [typicalMs] the median of the round trips of the warm-up; null without one
 *
 * @typedef {object} Measuring the measured part begins
 * @property {'progress'} event
 * @property {'measuring'} phase
 * @property {number} atMs
 *
 * @typedef {object} MeasuredPart the measured part is over
 * @property {'progress'} event
 * @property {'measured'} phase
 * @property {number} sent as in the phase warm, of the measured part
 * @property {number} atMs
 * @property {number} [fromMs] since when it counted, of a slice
 *
 * @typedef {object} Marked
 * @property {'progress'} event
 * @property {'mark'} phase
 * @property {Usage} usage since the mark before
 * @property {number} served requests since the mark before
 * @property {Report | null} report what was received since the mark before; null where the clients count
 * @property {number | null} [retransmissions] since the mark before; null where the transport leaves them to TCP
 * @property {Moments | null} [moments] of the requests since the mark before, if they are asked for
 *
 * @typedef {object} Counted
 * @property {'progress'} event
 * @property {'count'} phase
 * @property {number} received messages since the last mark
 *
 * @typedef {{event: 'progress', phase: 'received'} & Report} Received what a server started by hand has received
 *
 * @typedef {object} ClockRead
 * @property {'progress'} event
 * @property {'clock'} phase
 * @property {number} atMs
 *
 * @typedef {object} Passed
 * @property {'progress'} event
 * @property {'passed'} phase
 * @property {DwellTimes | null} dwellTimes since `ready`; null where they are not known
 * @property {string | null} reason why they are not known, as a clause
 *
 * @typedef {object} Profiled
 * @property {'progress'} event
 * @property {'profile'} phase
 * @property {object | null} profile what was recorded, as .cpuprofile files contain it; null: recording has begun
 *
 * @typedef {object} Failed
 * @property {'error'} event
 * @property {string} code one of errors.js; an adapter may have others
 * @property {string} message
 * @property {number} exitCode with which the role ends
 */

/**
 * The points in time at which messages pass the broker's sockets, as sums over messages: when the last byte of a request was sent to the broker, when
 * the first byte of it was sent on, and the same of the replies.
 *
 * @typedef {{messages: number, atMs: number}} Sum
 * @typedef {{requestIn: Sum, requestOut: Sum, replyIn: Sum, replyOut: Sum}} DwellTimes
 */

/**
 * What a server received of one-way messages.
 *
 * @typedef {object} Report
 * @property {number} messages
 * @property {number} bytes
 * @property {number} distinct messages without duplicates, as far as their content shows
 * @property {number} verified messages of which every byte was compared
 * @property {number} corrupted
 * @property {number} duplicated
 * @property {number} reordered
 * @property {number | null} [lowestMs] the lowest latency from when a message was sent, below zero where the clocks do not agree; null where
 *   messages carry no times
 * @property {string | null} mismatch what was wrong with the first wrong message
 * @property {number} firstMs when the first message came
 * @property {number} lastMs when the last message came
 * @property {EncodedHistogram | null} response latency from when a message was to be sent
 * @property {EncodedHistogram | null} service latency from when it was sent
 */

/**
 * What a client measured. Which phases, distributions and notes there are is declared by each workload.
 *
 * @typedef {object} Result
 * @property {'result'} event
 * @property {number} payloadBytes
 * @property {Summary | null} rtt null where nothing comes back
 * @property {Counts} counts
 * @property {{messagesPerSecond: number, bytesPerSecond: number} | null} throughput null where the servers measure it
 * @property {Timed | null} timed what the throughput was computed from
 * @property {Scheduled | null} [schedule] of an open loop
 * @property {Record<string, Timed>} phases parts that are timed apart
 * @property {Record<string, Summary>} beside distributions besides rtt, without empty ones
 * @property {Record<string, number>} notes figures that only this workload has
 * @property {number} discarded requests of the warm-up
 * @property {number[] | null} [windows] means in ms of ten parts of the samples of rtt, with equal numbers of samples; null or missing where
 *   there are too few
 * @property {Usage} usage of the measured part
 * @property {number | null} [retransmissions] in the measured part, by the transport itself; null where it leaves them to TCP
 * @property {string | null} mismatch what was wrong with the first wrong reply
 * @property {Moments | null} [moments] of the measured part, if they are asked for
 * @property {EncodedHistogram | null} encoded all samples of rtt
 * @property {Record<string, EncodedHistogram>} encodedBeside all samples of each distribution
 * @property {Accounted} [account] what became of each message, of a load under faults
 *
 * @typedef {object} Scheduled when the messages of a client were due, in an open loop
 * @property {number} messages
 * @property {number} ms the time of as many distances between messages
 * @property {number} firstMs when the first message was due, since the start
 * @property {number} lastMs when the last message was due
 */

/**
 * Both ends of the line, by role. The watcher takes no part in the measurement.
 * @typedef {{server: {message: ServerMessage, event: ServerEvent}, client: {message: ClientMessage, event: ClientEvent},
 *   watcher: {message: WatcherMessage, event: WatcherEvent}}} Lines
 * @typedef {keyof Lines} LineName
 * @typedef {Exclude<LineName, 'watcher'>} RoleName
 */

/** @type {Readonly<Record<ControlMessage['type'], true>>} */
const messageTypes = {
  configure: true,
  start: true,
  go: true,
  slice: true,
  end: true,
  mark: true,
  pause: true,
  resume: true,
  count: true,
  clock: true,
  profile: true,
  beat: true,
  stop: true,
};

/** @type {Readonly<Record<RoleEvent['event'], true>>} */
const eventNames = {ready: true, progress: true, result: true, error: true};

/**
 * @param {string} line of a role's standard input
 * @returns {ControlMessage | null} null: a message of another version
 * @throws {SyntaxError} when it is no JSON
 */
export function parseMessage(line) {
  const message = JSON.parse(line);
  return Object.hasOwn(messageTypes, message?.type) ? message : null;
}

/**
 * @param {string} line of a role's standard output; its texts are made safe
 * @returns {RoleEvent | null} null: an event of another version, or output of a library
 */
export function parseEvent(line) {
  let event;
  try {
    event = parseSafely(line);
  } catch {
    return null;
  }
  return Object.hasOwn(eventNames, event?.event) ? event : null;
}

/**
 * @template {RoleEvent['event']} Name
 * @param {Name} name
 */
export function named(name) {
  return (
    /**
     * @template {RoleEvent} Event
     * @param {Event} event @returns {event is Extract<Event, {event: Name}>}
     */
    (event) => event.event === name
  );
}

/**
 * @template {Extract<RoleEvent, {event: 'progress'}>['phase']} Phase
 * @param {Phase} phase
 */
export function inPhase(phase) {
  return (
    /**
     * @template {RoleEvent} Event
     * @param {Event} event @returns {event is Extract<Event, {event: 'progress', phase: Phase}>}
     */
    (event) => event.event === 'progress' && event.phase === phase
  );
}
