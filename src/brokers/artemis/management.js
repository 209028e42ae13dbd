import {PerfBattleError, RunError, UnavailableError} from '../../errors.js';
import {joinAddress} from '../../net/address.js';
import {bounded, NoAnswerError} from '../../net/bounded.js';
import {Life} from '../../net/life.js';
import {explainCertificates} from '../../net/tls.js';
import {safeText} from '../../safe-text.js';
import {connectAmqp, toError} from './connection.js';

/**
 * @import {Greeting} from '../kind.js'
 * @import {ArtemisConnection} from './url.js'
 * @import {Connection, Message, Receiver, Sender} from 'rhea'
 */

/** The address for management messages (https://activemq.apache.org/components/artemis/documentation/latest/management.html). */
const address = 'activemq.management';

/** A broker that does not answer must not delay the end of a run. */
const closeWithinMs = 1000;

/**
 * Runs management operations over a new connection.
 * @template Result @param {ArtemisConnection} broker
 * @param {{timeoutMs: number, signal?: AbortSignal | undefined, files?: Readonly<Record<string, string>> | undefined}} bounds for the whole function
 * @param {(management: Management) => Promise<Result>} work
 * @returns {Promise<Result>}
 * @throws {UnavailableError} names host, port, user and reason, and never the password
 */
export async function onManagement(broker, {timeoutMs, signal, files}, work) {
  return await overConnection(broker, {timeoutMs, signal, files}, async (connection, life) => {
    const management = new Management(connection, life);
    return await work(await management.open());
  });
}

/**
 * Connects, reads product and version, and closes the connection. A management question shows that the user has the right
 * to ask, which the roles need.
 * @param {ArtemisConnection} broker
 * @param {{timeoutMs: number, signal: AbortSignal}} bounds for the whole function
 * @returns {Promise<Greeting>}
 * @throws {UnavailableError}
 */
export async function greet(broker, bounds) {
  return await overConnection(broker, bounds, async (connection, life) => {
    const {product, version} = /** @type {{product?: string, version?: string}} */ (
      connection.properties ?? {}
    );
    if (product !== 'apache-activemq-artemis')
      throw new Error(`${safeText(product ?? 'the program that answers')} is not Artemis`);
    await (await new Management(connection, life).open()).journalType();
    return {product: 'Artemis', versions: {artemis: version === undefined ? null : safeText(version)}};
  });
}

/**
 * @template Result @param {ArtemisConnection} broker @param {Parameters<typeof onManagement>[1]} bounds
 * @param {(connection: Connection, life: Life) => Promise<Result>} work
 * @returns {Promise<Result>}
 */
async function overConnection(broker, {timeoutMs, signal, files}, work) {
  const life = new Life();
  const {lost, fail: onLost} = life;
  let isOpen = false;
  try {
    const {connection, cut} = await connectAmqp(broker, {timeoutMs, signal, files, onLost});
    isOpen = true;
    try {
      const result = await bounded(Promise.race([work(connection, life), lost]), timeoutMs, signal);
      const closed = new Promise((resolve) => connection.once('connection_close', resolve));
      connection.close();
      await bounded(closed, closeWithinMs).catch(() => {});
      return result;
    } finally {
      cut();
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw unavailable(broker, /** @type {Error} */ (error), {isOpen});
  }
}

/** The management operations of an instance. */
export class Management {
  #count = 0;
  /** The receivers of answers, by the number of the question. @type {Map<number, (answer: Message) => void>} */
  #waiting = new Map();
  /** @type {Sender | null} */
  #sender = null;
  #replyTo = '';

  /** @param {Connection} connection @param {Life} life */
  constructor(connection, {lost, fail}) {
    this.connection = connection;
    this.lost = lost;
    this.lose = fail;
  }

  async open() {
    const receiver = this.connection.open_receiver({source: /** @type {any} */ ({dynamic: true})});
    receiver.on('message', ({message}) => {
      const answer = /** @type {Message} */ (message);
      this.#waiting.get(Number(answer.correlation_id))?.(answer);
    });
    await this.#opened(receiver, 'receiver_open');
    this.#replyTo = String(receiver.source.address);
    this.#sender = this.connection.open_sender({target: address});
    this.#sender.on('rejected', ({delivery}) =>
      this.lose(toError(/** @type {any} */ (delivery).remote_state?.error, 'the broker refused a question')),
    );
    await this.#opened(this.#sender, 'sendable');
    return this;
  }

  /** @param {Sender | Receiver} link @param {string} event */
  async #opened(link, event) {
    await Promise.race([new Promise((resolve) => link.once(event, resolve)), this.lost]);
  }

  /**
   * Creates a durable ANYCAST queue and an address of the same name. Artemis deletes the queue with its messages when it has
   * had no consumer for `expiresMs`.
   * @param {string} name
   * @param {{expiresMs: number, mayExist?: boolean, signal?: AbortSignal | undefined}} how mayExist: accepts an existing queue of the same type; default
   *   false. signal: is aborted when this process must end; then the broker deletes the queue, if no consumer uses it
   * @throws {RunError} PB_TOPOLOGY when the broker refuses the queue
   */
  async createQueue(name, {expiresMs, mayExist = false, signal}) {
    signal?.throwIfAborted();
    // A queue that has had no consumer never expires. Artemis handles questions in their order, also after the end of this process.
    const undo = () => void this.deleteQueue(name, {ifUnused: true}).catch(() => {});
    signal?.addEventListener('abort', undo, {once: true});
    try {
      await this.#createQueue(name, {expiresMs, mayExist});
    } finally {
      signal?.removeEventListener('abort', undo);
    }
  }

  /** @param {string} name @param {{expiresMs: number, mayExist: boolean}} how */
  async #createQueue(name, {expiresMs, mayExist}) {
    const queue = {
      ...{name, address: name, 'routing-type': 'ANYCAST', durable: true},
      ...{'auto-delete': true, 'auto-delete-delay': expiresMs, 'auto-delete-message-count': -1},
    };
    const {isDone, text} = await this.ask('broker', {
      _AMQ_OperationName: 'createQueue',
      parameters: [JSON.stringify(queue), mayExist],
    });
    if (!isDone)
      throw refused(
        `Artemis refused the queue ${name}: ${text}. Give its user the permissions manage, createAddress and createDurableQueue, or choose another --artemis-prefix.`,
      );
    if (mayExist) await this.#refuseOther(name);
    await this.#touch(name);
  }

  /** @param {string} name the name of a queue that another program may have created */
  async #refuseOther(name) {
    for (const [attribute, value] of Object.entries({RoutingType: 'ANYCAST', Durable: 'true'})) {
      const {text} = await this.ask(`queue.${name}`, {_AMQ_Attribute: attribute});
      if (text !== value)
        throw refused(
          `Artemis has another queue ${name}: its ${attribute} is ${text}, and must be ${value}. Delete it, or choose another --artemis-prefix.`,
        );
    }
  }

  /** Attaches a consumer once: Artemis counts the time without a consumer from the end of the last consumer. @param {string} name */
  async #touch(name) {
    const receiver = this.connection.open_receiver({
      source: {address: name, capabilities: ['queue']},
      credit_window: 0,
    });
    await this.#opened(receiver, 'receiver_open');
    receiver.close();
    await this.#opened(receiver, 'receiver_close');
  }

  /**
   * Deletes a queue with its messages and its address, if it exists.
   * @param {string} name
   * @param {{ifUnused?: boolean}} [how] ifUnused: keeps a queue that has a consumer; default false
   * @throws {RunError} PB_TOPOLOGY when the broker refuses the deletion
   */
  async deleteQueue(name, {ifUnused = false} = {}) {
    const deletesAddress = true;
    const {isDone, text} = await this.ask('broker', {
      _AMQ_OperationName: 'destroyQueue',
      parameters: [name, !ifUnused, deletesAddress],
    });
    if (isDone || /does not exist/.test(text) || (ifUnused && /has consumers/.test(text))) return;
    throw refused(
      `Artemis refused to delete the queue ${name}: ${text}. Delete it, or choose another --artemis-prefix.`,
    );
  }

  /**
   * Deletes addresses without a queue that Artemis has created, for messages to queues that no longer existed. An instance
   * of `artemis create` deletes no address by itself, and other instances only addresses that had a queue since
   * (https://issues.apache.org/jira/browse/ARTEMIS-4162). Addresses that a person has created stay.
   * @param {(name: string) => boolean} isLeft
   */
  async deleteAddresses(isLeft) {
    const {text} = await this.ask('broker', {_AMQ_OperationName: 'getAddressNames'});
    const names = text.split(',').filter(isLeft);
    await Promise.all(names.map((name) => this.#deleteAddress(name)));
  }

  /** @param {string} name */
  async #deleteAddress(name) {
    const {text} = await this.ask(`address.${name}`, {_AMQ_Attribute: 'AutoCreated'});
    if (text !== 'true') return;
    await this.ask('broker', {_AMQ_OperationName: 'deleteAddress', parameters: [name]});
  }

  /** Deletes the messages of a queue. @param {string} name */
  async emptyQueue(name) {
    await this.ask(`queue.${name}`, {_AMQ_OperationName: 'removeAllMessages'});
  }

  /** @param {string} name the name of a queue @returns {Promise<number>} the number of consumers; 0 if the queue does not exist */
  async consumersOf(name) {
    const {isDone, text} = await this.ask(`queue.${name}`, {_AMQ_Attribute: 'ConsumerCount'});
    return isDone ? Number(text) : 0;
  }

  /** @returns {Promise<string>} NIO or ASYNCIO */
  async journalType() {
    return (await this.ask('broker', {_AMQ_Attribute: 'JournalType'})).text;
  }

  /** @returns {Promise<number | null>} journal-buffer-timeout in ns; null if the broker does not report it */
  async journalBufferTimeoutNs() {
    const {isDone, text} = await this.ask('broker', {_AMQ_Attribute: 'JournalBufferTimeout'});
    return isDone && /^\d+$/.test(text) ? Number(text) : null;
  }

  /**
   * @param {string} resource @param {{parameters?: readonly unknown[]} & Record<string, unknown>} question
   * @returns {Promise<{isDone: boolean, text: string}>} text: the answer, with the values of a list separated by commas, or the reason of a failure
   */
  async ask(resource, {parameters = [], ...question}) {
    this.#count += 1;
    const id = this.#count;
    /** @type {Promise<Message>} */
    const answered = new Promise((resolve) => this.#waiting.set(id, resolve));
    /** @type {Sender} */ (this.#sender).send({
      reply_to: this.#replyTo,
      correlation_id: id,
      application_properties: {_AMQ_ResourceName: resource, ...question},
      body: JSON.stringify(parameters),
    });
    const {application_properties: properties, body} = await Promise.race([answered, this.lost]);
    this.#waiting.delete(id);
    return {isDone: properties?._AMQ_OperationSucceeded === true, text: textIn(body)};
  }
}

/** @param {string} message */
function refused(message) {
  return new RunError(message, {code: 'PB_TOPOLOGY'});
}

/** The first value of an answer. @param {unknown} body */
function textIn(body) {
  try {
    return safeText(String([JSON.parse(String(body ?? '[]'))].flat()[0] ?? ''));
  } catch {
    return safeText(String(body));
  }
}

/**
 * @param {ArtemisConnection} broker @param {Error & {condition?: string, code?: string}} error
 * @param {{isOpen: boolean}} [connection] isOpen: whether the peer has spoken AMQP 1.0 before
 * @returns {Error} an error with a message for people
 */
export function unavailable(broker, error, {isOpen} = {isOpen: false}) {
  if (error instanceof PerfBattleError) return error;
  const where = `The Artemis broker at ${joinAddress(broker.hostname, broker.port)}`;
  return new UnavailableError(`${where} ${explain(broker, error, isOpen)}`, {
    code: 'PB_BROKER_UNAVAILABLE',
    cause: error,
  });
}

/** @param {ArtemisConnection} broker @param {Error & {condition?: string, code?: string}} reason @param {boolean} isOpen */
function explain({username, protocol}, reason, isOpen) {
  const who = username === null ? 'no user' : `user "${username}"`;
  const {condition = '', code = ''} = reason;
  const message = safeText(reason.message).replace(/\.+$/, '');
  if (/unauthorized-access/.test(condition) || /permission|not authorized/.test(message))
    return `refused ${who}: ${message}. Check --artemis-username and --artemis-password. This user must have the permission manage.`;
  const isSecure = protocol === 'amqps';
  const certificates = explainCertificates({kind: 'artemis', who, code, message, isSecure});
  if (certificates !== null) return certificates;
  if (isSecure && /wrong version number|packet length too long/.test(message))
    return `does not offer TLS (${who}). Use amqp://, without the files of certificates.`;
  if (reason instanceof NoAnswerError)
    return `does not answer (${who}): ${message}. Check that Artemis runs there, the host and the port.`;
  if (/^E[A-Z]+$/.test(code) || reason instanceof AggregateError)
    return `cannot be reached (${who}): ${message}. Check that it runs, the host and the port.`;
  if (!isOpen && condition === '')
    return `does not speak AMQP 1.0 there (${who}): ${message}. Check the host and the port.`;
  return `cannot be used (${who}): ${message}. It must be Artemis, with AMQP at this port, and this user must have the permission manage.`;
}

/**
 * The names of the queues that both ends of the AMQP 1.0 pair use on Artemis. A queue has the name of its address.
 * @param {{artemisPrefix: string, pair?: string}} settings pair: the name of the pair in a battle, where others may have the same prefix
 */
export function queuesOf({artemisPrefix: prefix, pair}) {
  return {
    /** All servers take from this queue: each request goes to one server. */
    requests: `${prefix}-requests`,
    /** The address whose messages go to all subscribers. */
    broadcast: [prefix, 'broadcast', pair].filter(Boolean).join('-'),
    /** @param {string} clientId */
    repliesTo: (clientId) => `${prefix}-replies-${clientId}`,
    /** @param {string} clientId */
    store: (clientId) => `${prefix}-store-${clientId}`,
  };
}
