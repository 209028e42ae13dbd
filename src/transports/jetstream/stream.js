import {openNats} from '../../brokers/nats/connection.js';
import {RunError, UnavailableError} from '../../errors.js';
import {requireOptional} from '../../packages/load.js';
import {WindowedPublisher} from '../windowed-publisher.js';

/**
 * @import {NatsSettings} from '../../brokers/nats/connection.js'
 * @import {PutOutcome} from '../transport.js'
 * @import {JetStreamSettings} from './index.js'
 * @import * as JetStream from '@nats-io/jetstream'
 * @import {Consumer, ConsumerMessages, JetStreamClient, JetStreamManager, JsMsg, StreamConfig} from '@nats-io/jetstream'
 * @import * as Nats from '@nats-io/transport-node'
 */

/** The libraries of JetStream and of NATS, which are no dependencies of perf-battle. */
const need = {by: 'JetStream', install: 'jetstream'};

/** @type {typeof JetStream} */
const library = requireOptional('@nats-io/jetstream', need);
const {jetstream, jetstreamManager} = library;
export const {JetStreamApiError} = library;

/** @type {typeof Nats} */
const nats = requireOptional('@nats-io/transport-node', need);
export const {createInbox, headers} = nats;

/** The header of a request that names the subject of its reply; a one-way message has none. */
export const replyHeader = 'Reply-To';

/** @typedef {JetStreamSettings & NatsSettings} StreamSettings */

/** @typedef {Awaited<ReturnType<typeof openJetStream>>} OpenedJetStream */

/** What is left of a run that was killed goes by itself: the messages of a stream expire. The stream stays. */
const expiresNs = 3_600_000 * 1e6;
/**
 * What may be on its way to a taker. A server closes a connection for which more than its max_pending waits, which is 64 MB by default. It counts what it
 * writes until the whole of it is written, so that may be twice as much.
 */
const maxOutstandingBytes = 24 * 1024 ** 2;
/** What a message has beside its payload: its subjects and headers, amply. */
const maxOverheadBytes = 1024;
const maxPayloadBytes = maxOutstandingBytes - maxOverheadBytes;
/** As many messages as the library asks for by default. */
const maxOutstanding = 100;
/**
 * As many requests as may be on their way to a server of ours, which knows their size only when they arrive: these are of 1000 KB. The library can ask for
 * bytes instead. But its count differs from that of the NATS server, which then answers no more until two heartbeats were missed.
 */
const maxOutstandingRequests = 24;
/** For an answer of the server to a question, and for an acknowledgement: what a workload waits for is bounded by itself, earlier. */
const timeoutMs = 60_000;
const askWithinMs = 10_000;

/**
 * Opens the connection of a role to a NATS server with JetStream.
 * @param {StreamSettings} options
 * @throws {UnavailableError} when the server cannot be reached, refuses the credentials, or has no JetStream
 */
export async function openJetStream(options) {
  const opened = await openNats(options);
  try {
    await opened.answered();
    const manager = await jetstreamManager(opened.nats, {timeout: askWithinMs}).catch((error) =>
      refuseWithoutJetStream(error),
    );
    const limit = Math.min(maxPayloadBytes, Number(opened.details.maxPayloadBytes ?? maxPayloadBytes));
    return {
      ...opened,
      details: {...opened.details, maxPayloadBytes: limit},
      manager,
      js: jetstream(opened.nats, {timeout: timeoutMs}),
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** @param {Error} cause @returns {never} */
function refuseWithoutJetStream(cause) {
  const advice =
    'Start it with JetStream (nats-server --jetstream), enable JetStream for the account of this user, or use a private one: --broker private.';
  throw new UnavailableError(`The NATS server has no JetStream for this user: ${cause.message}. ${advice}`, {
    code: 'PB_BROKER_UNAVAILABLE',
    cause,
  });
}

/**
 * Makes a stream that is a work queue, unless it is there with the same settings: it deletes a message that was acknowledged.
 * @param {JetStreamManager} manager
 * @param {{stream: string, subject: string}} names
 * @param {JetStreamSettings} settings
 * @param {Partial<StreamConfig>} [kept] what it keeps instead: all that was not acknowledged
 * @throws {RunError} PB_TOPOLOGY when it is there with other settings, or the server refuses it
 */
export async function declareStream(manager, {stream, subject}, {jetstreamStorage}, kept = {}) {
  try {
    await manager.streams.add({
      name: stream,
      subjects: [subject],
      retention: 'workqueue',
      storage: jetstreamStorage,
      max_age: expiresNs,
      ...kept,
    });
  } catch (cause) {
    const {message} = /** @type {Error} */ (cause);
    throw new RunError(
      `The NATS server refused the stream ${stream}: ${message}. Delete it, or choose other names with --nats-subject.`,
      {code: 'PB_TOPOLOGY', cause},
    );
  }
}

/**
 * The durable pull consumer of a stream, which all that take from it share. It is made unless it is there.
 * @param {Pick<OpenedJetStream, 'manager' | 'js'>} opened
 * @param {string} stream
 * @param {{ackWaitMs?: number}} [how] after which the server delivers a message again that was not acknowledged; by default 30 s
 * @returns {Promise<Consumer>}
 */
export async function consumerOf({manager, js}, stream, {ackWaitMs} = {}) {
  const name = 'takers';
  const wait = ackWaitMs === undefined ? {} : {ack_wait: ackWaitMs * 1e6};
  await manager.consumers.add(stream, {durable_name: name, ack_policy: 'explicit', ...wait});
  return await js.consumers.get(stream, name);
}

/** How many requests may be on their way to a server. @param {{payloadBytes?: number}} options of the first that are measured; others may follow */
export function outstandingRequests({payloadBytes = 0}) {
  const fitting = Math.floor(maxOutstandingBytes / (payloadBytes + maxOverheadBytes));
  return Math.max(1, Math.min(maxOutstandingRequests, fitting));
}

/**
 * How many of the messages that a stream has may be on their way, by their mean size.
 * @param {JetStreamManager} manager @param {string} stream
 */
export async function outstandingOf(manager, stream) {
  const {state} = await manager.streams.info(stream);
  if (state.messages === 0) return maxOutstandingRequests;
  const meanBytes = state.bytes / state.messages;
  return Math.max(1, Math.min(maxOutstanding, Math.floor(maxOutstandingBytes / Math.max(1, meanBytes))));
}

/**
 * @param {Consumer} consumer
 * @param {{onMessage: (message: JsMsg) => void, onEnd: (error: Error) => void, outstanding: number}} how onEnd: the server ended it, unasked;
 *   outstanding: how many messages may be on their way
 * @returns {Promise<ConsumerMessages>}
 */
export async function consume(consumer, {onMessage, onEnd, outstanding}) {
  const messages = await consumer.consume({
    callback: onMessage,
    max_messages: outstanding,
    threshold_messages: Math.ceil(outstanding / 2),
    abort_on_missing_resource: true,
  });
  messages.closed().then((error) => error && onEnd(error));
  return messages;
}

/** Deletes a stream, with its consumer; one that is not there is deleted. @param {JetStreamManager} manager @param {string} stream */
export async function deleteStream(manager, stream) {
  await manager.streams.delete(stream).catch(() => {});
}

/**
 * A message that is larger than what may be on its way would wait in its stream for ever.
 * @param {Buffer} payload
 * @throws {RunError} PB_NACK
 */
export function refuseTooLarge(payload) {
  if (payload.length > maxPayloadBytes)
    throw new RunError(
      `The transport jetstream takes messages of at most ${maxPayloadBytes} bytes; this one has ${payload.length}. Use a smaller --payload.`,
      {code: 'PB_NACK'},
    );
}

/**
 * Why the server did not store a message, if it said so. Other errors are those of a connection that has ended: the server may have the message.
 * @param {unknown} error
 * @returns {RunError | null}
 */
export function refusalOf(error) {
  if (error instanceof JetStreamApiError)
    return new RunError(`The NATS server refused a message: ${error.message}.`, {
      code: 'PB_NACK',
      cause: error,
    });
  // With other copies of the library, this is no class of ours.
  const {name, message} = /** @type {Error} */ (error);
  if (name === 'JetStreamNotEnabled' || /no responders/i.test(message))
    return new RunError('No stream takes messages for this subject any more.', {
      code: 'PB_RETURNED',
      cause: error,
    });
  if (/max_payload/.test(message))
    return new RunError(
      `The NATS server takes no message of this size: ${message}. Raise max_payload in its configuration, use a private one (--broker private), or a smaller --payload.`,
      {code: 'PB_NACK', cause: error},
    );
  return null;
}

/** Publishes one-way messages to a stream. A window bounds those that the server has not acknowledged. */
export class StreamPublisher extends WindowedPublisher {
  /**
   * @param {JetStreamClient} js
   * @param {string} subject
   * @param {{window: number | undefined, closed: Promise<void>}} options window: of messages that are not acknowledged
   */
  constructor(js, subject, {window = 1, closed}) {
    super({window, closed});
    this.js = js;
    this.subject = subject;
    this.onAcknowledged = () => this.settle(true);
    this.onFailed = (/** @type {unknown} */ error) => this.#failed(error);
  }

  /** @param {Buffer} payload @param {PutOutcome} [outcome] of this message @returns {boolean} false: wait for `drained` */
  publish(payload, outcome) {
    refuseTooLarge(payload);
    this.unconfirmed += 1;
    const onAcknowledged = outcome ? () => this.settleWith(null, outcome) : this.onAcknowledged;
    const onFailed = outcome ? (/** @type {unknown} */ error) => this.#failed(error, outcome) : this.onFailed;
    this.js.publish(this.subject, payload).then(onAcknowledged, onFailed);
    return this.hasRoom;
  }

  /** The loss of the connection is reported by itself. @param {unknown} error @param {PutOutcome} [outcome] */
  #failed(error, outcome) {
    const refusal = refusalOf(error);
    if (refusal) this.settleWith(refusal, outcome);
    else this.settle(false);
  }
}
