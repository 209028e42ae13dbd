import {openNats} from '../../brokers/nats/connection.js';
import {RunError, UnavailableError} from '../../errors.js';
import {requireOptional} from '../../packages/load.js';
import {tooLarge, WindowedPublisher} from '../windowed-publisher.js';

/**
 * @import {NatsSettings} from '../../brokers/nats/connection.js'
 * @import {PutOutcome} from '../transport.js'
 * @import {JetStreamSettings} from './index.js'
 * @import * as JetStream from '@nats-io/jetstream'
 * @import {Consumer, ConsumerMessages, JetStreamClient, JetStreamManager, JsMsg, StreamConfig} from '@nats-io/jetstream'
 * @import * as Nats from '@nats-io/transport-node'
 */

const need = {by: 'JetStream', install: 'jetstream'};

/** @type {typeof JetStream} */
const library = requireOptional('@nats-io/jetstream', need);
const {jetstream, jetstreamManager} = library;
export const {JetStreamApiError} = library;

/** @type {typeof Nats} */
const nats = requireOptional('@nats-io/transport-node', need);
export const {createInbox, headers} = nats;

/** The header with the subject of a request's reply. One-way messages do not have it. */
export const replyHeader = 'Reply-To';

/** @typedef {JetStreamSettings & NatsSettings} StreamSettings */

/** @typedef {Awaited<ReturnType<typeof openJetStream>>} OpenedJetStream */

/** Messages expire after this time, in case a run is killed. The stream itself remains. */
const expiresNs = 3_600_000 * 1e6;
/**
 * Maximum number of bytes on their way to a taker. A server closes a connection with more than max_pending bytes, by default 64 MB. The
 * server counts bytes until a whole write is complete, so its count may be twice as high.
 */
const maxOutstandingBytes = 24 * 1024 ** 2;
/** An upper bound on the subjects and headers of a message. */
const maxOverheadBytes = 1024;
const maxPayloadBytes = maxOutstandingBytes - maxOverheadBytes;
/** The library's default for the number of requested messages. */
const maxOutstanding = 100;
/**
 * Maximum number of requests on their way to a perf-battle server, which learns their sizes only when they arrive. The value allows
 * requests of 1000 KB. The library can request bytes instead, but counts them differently than the NATS server. The server then sends
 * nothing until two heartbeats are missed.
 */
export const maxOutstandingRequests = 24;
/** The bound on API answers and acknowledgements. Each workload has an earlier bound of its own. */
const timeoutMs = 60_000;
const askWithinMs = 10_000;

/**
 * Opens a role's connection to a NATS server with JetStream.
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
 * Creates a work-queue stream unless it exists with the same settings. The stream deletes acknowledged messages.
 * @param {JetStreamManager} manager @param {{stream: string, subject: string}} names @param {JetStreamSettings} settings
 * @param {Partial<StreamConfig>} [kept] other settings of what the stream keeps; default: all unacknowledged messages
 * @throws {RunError} PB_TOPOLOGY when the stream exists with other settings, or the server refuses it
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
 * Finds or creates the durable pull consumer of a stream, which all takers share.
 * @param {Pick<OpenedJetStream, 'manager' | 'js'>} opened @param {string} stream
 * @param {{ackWaitMs?: number}} [how] ackWaitMs: after this time, the server redelivers an unacknowledged message; default 30 s
 * @returns {Promise<Consumer>}
 */
export async function consumerOf({manager, js}, stream, {ackWaitMs} = {}) {
  const name = 'takers';
  const wait = ackWaitMs === undefined ? {} : {ack_wait: ackWaitMs * 1e6};
  await manager.consumers.add(stream, {durable_name: name, ack_policy: 'explicit', ...wait});
  return await js.consumers.get(stream, name);
}

/**
 * Returns how many requests may be on their way to a server.
 * @param {{payloadBytes?: number}} options payloadBytes: of the first measured requests; later requests may differ
 */
export function outstandingRequests({payloadBytes = 0}) {
  const fitting = Math.floor(maxOutstandingBytes / (payloadBytes + maxOverheadBytes));
  return Math.max(1, Math.min(maxOutstandingRequests, fitting));
}

/**
 * Returns how many messages of a stream may be on their way, by their mean size.
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
 * @param {{onMessage: (message: JsMsg) => void, onEnd: (error: Error) => void, outstanding: number}} how onEnd: the server ended the consumer
 *   unexpectedly; outstanding: how many messages may be on their way
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

/** Deletes a stream and its consumers, if the stream exists. @param {JetStreamManager} manager @param {string} stream */
export async function deleteStream(manager, stream) {
  await manager.streams.delete(stream).catch(() => {});
}

/**
 * Refuses a message that is larger than the bound on outstanding bytes: it would stay in its stream forever.
 * @param {Buffer} payload
 * @throws {RunError} PB_NACK
 */
export function refuseTooLarge(payload) {
  if (payload.length > maxPayloadBytes) throw tooLarge('jetstream', payload, maxPayloadBytes);
}

/**
 * Returns why the server refused to store a message. Null: the connection ended, and the server may have the message.
 * @param {unknown} error
 * @returns {RunError | null}
 */
export function refusalOf(error) {
  if (error instanceof JetStreamApiError)
    return new RunError(`The NATS server refused a message: ${error.message}.`, {
      code: 'PB_NACK',
      cause: error,
    });
  // These errors may come from another copy of the library, so their name and text decide.
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

/** Publishes one-way messages to a stream. A window bounds the unacknowledged messages. */
export class StreamPublisher extends WindowedPublisher {
  /** @param {JetStreamClient} js @param {string} subject @param {{window: number | undefined, closed: Promise<void>}} options */
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

  /** Settles a message that failed. `closed` reports a lost connection. @param {unknown} error @param {PutOutcome} [outcome] */
  #failed(error, outcome) {
    const refusal = refusalOf(error);
    if (refusal) this.settleWith(refusal, outcome);
    else this.settle(false);
  }
}
