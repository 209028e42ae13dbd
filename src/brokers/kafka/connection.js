import {isIP} from 'node:net';
import {TLSSocket} from 'node:tls';
import {RunError, UnavailableError} from '../../errors.js';
import {joinAddress} from '../../net/address.js';
import {bounded, NoAnswerError} from '../../net/bounded.js';
import {Life} from '../../net/life.js';
import {describeTls, explainCertificates} from '../../net/tls.js';
import {clientCredentials} from '../../net/tls-files.js';
import {importOptional} from '../../packages/load.js';
import {firstAvailable} from '../first-available.js';
import {answerOf, Guard, KafkaProtocolError} from './guard.js';

/**
 * @import {OpenBounds, RoleSettings} from '../kind.js'
 * @import {KafkaConnection} from './url.js'
 * @import * as Library from '@platformatic/kafka'
 */

const {Admin, Consumer, ProduceAcks, Producer} = /** @type {typeof Library} */ (
  await importOptional('@platformatic/kafka', {by: 'Kafka', install: 'kafka'})
);

export {ProduceAcks};

/** @typedef {RoleSettings<KafkaConnection> & {kafkaPrefix: string}} KafkaSettings kafkaPrefix: the prefix of the names of topics */

const openWithinMs = 10_000;
/** A broker that does not answer must not delay the end of a run. */
const closeWithinMs = 3000;
/** The time limit for an answer; the limits of the workloads expire earlier. */
const requestTimeoutMs = 600_000;
/** The default of Kafka's own clients. */
const metadataMaxAgeMs = 300_000;

/** @typedef {Omit<OpenBounds, 'noDelay'> & {timeoutMs: number}} Bounds timeoutMs: for the whole function */

/**
 * Asks the first available broker a question over a new connection.
 * @template Answer @param {KafkaConnection} connection @param {Bounds} bounds
 * @param {(admin: Library.Admin) => Promise<Answer>} question
 * @throws {UnavailableError} names host, port, user and reason, and never the password
 */
export async function askKafka(connection, {timeoutMs, ...bounds}, question) {
  return await firstAvailable(connection, timeoutMs, (server, shareMs) =>
    askOne({...connection, ...server}, {...bounds, timeoutMs: shareMs}, question),
  );
}

/**
 * Finds the first available broker.
 * @param {KafkaConnection} connection
 * @param {Bounds} bounds
 * @returns {Promise<KafkaConnection>} the connection with this broker first
 * @throws {UnavailableError} names each broker and the reason why it is not available
 */
export async function findAvailable(connection, {timeoutMs, ...bounds}) {
  const {hostname, port, others} = connection;
  return await firstAvailable(connection, timeoutMs, async (server, shareMs) => {
    await askOne({...connection, ...server}, {...bounds, timeoutMs: shareMs}, (admin) =>
      admin.metadata({topics: []}),
    );
    const rest = [{hostname, port}, ...others].filter(
      (other) => other.hostname !== server.hostname || other.port !== server.port,
    );
    return {...connection, ...server, others: rest};
  });
}

/**
 * @template Answer
 * @param {KafkaConnection} connection
 * @param {Bounds} bounds
 * @param {(admin: Library.Admin) => Promise<Answer>} question
 */
async function askOne(connection, {timeoutMs, signal, files}, question) {
  const guard = new Guard({noDelay: true, onLost: () => {}});
  signal?.throwIfAborted();
  const admin = new Admin(optionsFor(connection, {timeoutMs, files}));
  guard.watch(admin);
  try {
    return await bounded(question(admin), timeoutMs, signal);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw unavailable(connection, guard.refusal ?? error, timeoutMs);
  } finally {
    guard.destroy();
  }
}

/** @typedef {Awaited<ReturnType<typeof openKafka>>} OpenedKafka */

/**
 * Opens the connections of a role, and watches them. The library would reconnect and resend, but a trial that loses a connection fails.
 * @param {KafkaSettings} options
 * @throws {UnavailableError} when the broker cannot be reached or refuses the credentials
 */
export async function openKafka(options) {
  const {broker: named, noDelay, files, greetingMs: timeoutMs = openWithinMs} = options;
  const broker = named.others.length > 0 ? await findAvailable(named, {timeoutMs, files}) : named;
  const life = new Life();
  const {closed, lose} = life;
  const guard = new Guard({
    noDelay,
    onLost: (reason) =>
      lose(
        `The Kafka connection was closed by the broker: ${reason?.message ?? 'it stopped, or ended it'}.`,
        reason,
      ),
  });
  const shared = optionsFor(broker, {timeoutMs, files});
  const admin = new Admin(shared);
  guard.watch(admin, {isVital: false});
  /** The functions that close clients and streams in an orderly way. @type {(() => Promise<unknown>)[]} */
  const endings = [];
  /** Applies the time limit to a question at the start. @template Answer @param {Promise<Answer>} work */
  const prepared = async (work) => {
    try {
      return await bounded(Promise.race([work, closed]), timeoutMs);
    } catch (error) {
      if (isRefusal(error)) throw error;
      throw unavailable(broker, guard.refusal ?? reasonOf(error), timeoutMs);
    }
  };
  const end = () => {
    life.isFinished = true;
    guard.destroy();
  };
  try {
    await prepared(admin.metadata({topics: []}));
  } catch (error) {
    end();
    throw error;
  }
  return {
    admin,
    closed,
    lose,
    prepared,
    details: {...(guard.socket instanceof TLSSocket && describeTls(guard.socket))},
    ready: () => guard.admitMessages(),
    producer: () => {
      const producer = new Producer({...shared, handleBackPressure: true});
      guard.watch(producer);
      return producer;
    },
    /** @param {Partial<Library.ConsumerOptions<any, any, any, any>> & {groupId: string}} own */
    consumer: (own) => {
      const consumer = new Consumer(/** @type {any} */ ({...shared, ...own}));
      guard.watch(consumer);
      return /** @type {Library.Consumer<Buffer, Buffer, string, string>} */ (
        /** @type {unknown} */ (consumer)
      );
    },
    /** Watches the connections of a stream of messages. @param {{connections: Library.ConnectionPool}} stream */
    watch: (stream) => guard.watch(stream),
    /** @param {() => Promise<unknown>} ending runs before the connections are destroyed; the endings run in reverse order */
    beforeEnd: (ending) => void endings.unshift(ending),
    async close() {
      const {isFinished} = life;
      life.isFinished = true;
      if (!isFinished) await bounded(inTurn(endings), closeWithinMs).catch(() => {});
      end();
    },
  };
}

/** @param {(() => Promise<unknown>)[]} endings */
async function inTurn(endings) {
  for (const ending of endings) await ending().catch(() => {});
}

/** @param {KafkaConnection} connection @param {{timeoutMs: number, files?: Readonly<Record<string, string>> | undefined}} how */
function optionsFor(connection, {timeoutMs, files}) {
  const {hostname, port, tls, mechanism, username, password} = connection;
  return {
    clientId: 'perf-battle',
    bootstrapBrokers: [{host: hostname, port}],
    connectTimeout: timeoutMs,
    requestTimeout: requestTimeoutMs,
    // The broker's own time limit for storing a message on all replicas, or for creating a topic.
    timeout: 60_000,
    retries: 0,
    metadataMaxAge: metadataMaxAgeMs,
    // A proxy in front of several brokers selects the broker by its name.
    ...(tls && {tls: clientCredentials(connection, files), tlsServerName: isIP(hostname) === 0}),
    ...(username !== null && {
      sasl: {
        mechanism: /** @type {Library.SASLMechanismValue} */ (mechanism.toUpperCase()),
        username,
        password: password ?? '',
      },
    }),
  };
}

/** @param {unknown} error */
function isRefusal(error) {
  return (
    error instanceof UnavailableError || (error instanceof RunError && error.code !== 'PB_CONNECTION_LOST')
  );
}

/** The cause of a lost connection, or the error itself. @param {unknown} error */
function reasonOf(error) {
  return error instanceof RunError ? (error.cause ?? error) : error;
}

/** @param {KafkaConnection} connection @param {unknown} cause @param {number} timeoutMs */
function unavailable(connection, cause, timeoutMs) {
  const where = `The Kafka broker at ${joinAddress(connection.hostname, connection.port)}`;
  const chain = chainOf(cause);
  // The library's timeout may expire a moment before the time limit of `bounded`.
  const isSilent = chain.some((error) => /timed out/i.test(error.message));
  const reason = isSilent ? [new NoAnswerError(timeoutMs)] : chain;
  return new UnavailableError(`${where} ${explain(connection, reason)}`, {
    code: 'PB_BROKER_UNAVAILABLE',
    cause,
  });
}

const maxDepth = 8;

/**
 * The error and all errors inside it: the library wraps errors, and combines several.
 * @param {unknown} error @param {number} [depth]
 * @returns {Error[]} the outermost error first
 */
function chainOf(error, depth = 0) {
  if (!(error instanceof Error) || depth === maxDepth) return [];
  const {errors = [], cause} = /** @type {AggregateError} */ (error);
  return [error, ...[...errors, cause].flatMap((inner) => chainOf(inner, depth + 1))];
}

/** @param {KafkaConnection} connection @param {Error[]} chain */
function explain({username, tls}, chain) {
  const who = username === null ? 'no user' : `user "${username}"`;
  const codes = chain.map((error) => String(/** @type {NodeJS.ErrnoException} */ (error).code ?? ''));
  // The innermost error comes from the system or the broker.
  const message = (chain.at(-1)?.message ?? 'the reason is not known').replace(/\.$/, '');
  const hasCode = (/** @type {RegExp} */ pattern) => codes.some((code) => pattern.test(code));
  const certificates = codes.map((code) => explainCertificates({kind: 'kafka', who, code, message}));
  const certificate = certificates.find((text) => text !== null);
  if (certificate) return certificate;
  if (chain.some((error) => error instanceof NoAnswerError))
    return `does not answer (${who}): ${message}. Check that a Kafka broker runs there, the host and the port.`;
  if (hasCode(/ERR_SSL_WRONG_VERSION_NUMBER/) || (tls && hasCode(/ERR_SSL_PACKET_LENGTH_TOO_LONG/)))
    return `does not offer TLS (${who}). Use kafka://, without the files of certificates.`;
  const answer = chain.map((error) => answerOf(error)).find((one) => one !== null) ?? '';
  if (/AUTHORIZATION/.test(answer))
    return `refused ${who}: ${answer}. It needs the rights that perf-battle help your-broker lists.`;
  if (hasCode(/^PLT_KFK_AUTHENTICATION$/))
    return `refused ${who}: ${message}. Check --kafka-username, --kafka-password and --kafka-sasl-mechanism.`;
  if (
    chain.some((error) => error instanceof KafkaProtocolError) ||
    hasCode(/OUT_OF_BOUNDS|UNEXPECTED_CORRELATION|UNSUPPORTED|OUT_OF_RANGE/)
  )
    return `does not speak Kafka there (${who}): ${message}. Check the host and the port.`;
  if (tls && hasCode(/^ECONNRESET$/))
    return `reset the connection (${who}): it may offer no TLS, or may have refused the client's certificate. Check the URL, --kafka-cert-file and --kafka-key-file.`;
  if (/Connection closed/.test(message))
    return `does not speak Kafka there (${who}): it closed the connection. Check the host and the port, whether it needs a user, and TLS.`;
  return `cannot be reached (${who}): ${message}. Check that it runs, the host and the port.`;
}

/**
 * The names of the topics and groups that both ends of the Kafka pair use.
 * @param {{kafkaPrefix: string, pair?: string}} settings pair: the name of the pair in a battle, where others may have the same prefix
 */
export function topicsOf({kafkaPrefix: prefix, pair}) {
  return {
    /** The topic of all clients' requests; it has a partition for each server. */
    requests: `${prefix}-requests`,
    /** The group of the servers, which share the partitions. */
    servers: `${prefix}-servers`,
    broadcast: [prefix, 'broadcast', pair].filter(Boolean).join('-'),
    /** @param {string} clientId */
    repliesTo: (clientId) => `${prefix}-replies-${clientId}`,
    /** The name of the topic, and of the group that stores its offset. @param {string} clientId */
    store: (clientId) => `${prefix}-store-${clientId}`,
  };
}
