import {rhea} from '../../brokers/artemis/connection.js';
import {RunError} from '../../errors.js';
import {BufferedPublisher, SocketMessages} from '../windowed-publisher.js';

/**
 * @import {OpenedAmqp1} from './connection.js'
 * @import {OnOutcome} from '../windowed-publisher.js'
 * @import {EventContext, Message, Sender} from 'rhea'
 */

/**
 * The messages of one link. The broker's credit and the library's bound on messages without an outcome limit how many are sent. Further
 * messages wait here.
 */
export class Outgoing extends SocketMessages {
  /** @param {OpenedAmqp1} opened @param {Sender} sender @param {{isSettled: boolean, isDurable: boolean}} how */
  constructor(opened, sender, {isSettled, isDurable}) {
    super(opened);
    this.sender = sender;
    this.isSettled = isSettled;
    this.isDurable = isDurable;
    /** @type {{message: Message, onOutcome: OnOutcome}[]} */
    this.waiting = [];
    sender.on('sendable', () => this.#sendWaiting());
    for (const outcome of ['accepted', 'released', 'rejected'])
      sender.on(outcome, (context) => onOutcome(outcome, context));
  }

  /** @param {Buffer} payload @param {Partial<Message>} properties @param {OnOutcome} onOutcome is not called for a settled message */
  send(payload, properties, onOutcome) {
    const message = {...properties, durable: this.isDurable, body: rhea.message.data_section(payload)};
    if (this.waiting.length > 0 || !this.sender.sendable()) this.waiting.push({message, onOutcome});
    else this.#send(message, onOutcome);
  }

  get hasRoom() {
    return this.failure !== null || (this.waiting.length === 0 && this.sender.sendable() && super.hasRoom);
  }

  /** Resolves when all messages were sent. @throws what ended the connection */
  async sent() {
    while (this.waiting.length > 0 && !this.failure) await this.changes.next();
    if (this.failure) throw this.failure;
  }

  #sendWaiting() {
    while (this.waiting.length > 0 && this.sender.sendable()) {
      const {message, onOutcome} = /** @type {{message: Message, onOutcome: OnOutcome}} */ (
        this.waiting.shift()
      );
      this.#send(message, onOutcome);
    }
    this.changes.announce();
  }

  /** @param {Message} message @param {OnOutcome} onOutcome */
  #send(message, onOutcome) {
    const delivery = this.sender.send(message);
    if (!this.isSettled) /** @type {any} */ (delivery).onOutcome = onOutcome;
  }
}

/** @param {string} outcome @param {EventContext} context */
function onOutcome(outcome, {delivery}) {
  const {onOutcome: report, remote_state: state} = /** @type {any} */ (delivery);
  if (outcome === 'accepted') return report(null);
  const reason = state?.error?.description ?? state?.error?.condition;
  report(
    outcome === 'released'
      ? new RunError('The broker released a message: no queue takes it.', {code: 'PB_RETURNED'})
      : new RunError(`The broker rejected a message${reason ? `: ${reason}` : ''}.`, {code: 'PB_NACK'}),
  );
}

/** Publishes one-way messages to a link. A window bounds unsettled messages without an outcome. Credit and the socket bound settled messages. */
export class LinkPublisher extends BufferedPublisher {
  /** @param {OpenedAmqp1} opened @param {Outgoing} outgoing @param {{window: number | undefined}} options */
  constructor(opened, outgoing, {window}) {
    super(outgoing, {window, isConfirmed: !outgoing.isSettled, closed: opened.closed});
    this.opened = opened;
    this.outgoing = outgoing;
    this.properties = {};
    /** The link for the message that ends a flush. @type {Promise<Outgoing> | null} */
    this.marking = null;
  }

  /** @param {Buffer} payload @param {OnOutcome} onOutcome */
  post(payload, onOutcome) {
    this.outgoing.send(payload, this.properties, onOutcome);
  }

  /** An unsettled message follows the settled ones. Its outcome shows that the broker has accepted the earlier messages. */
  async marked() {
    await this.outgoing.sent();
    this.marking ??= this.#openMarking();
    const marking = await this.marking;
    const marked = new Promise((resolve) => marking.send(Buffer.alloc(1), {}, resolve));
    await Promise.race([marked, this.opened.closed]);
  }

  async #openMarking() {
    const {topology, openSender} = this.opened;
    const sender = await openSender(topology.marks, {isSettled: false});
    return new Outgoing(this.opened, sender, {isSettled: false, isDurable: false});
  }
}
