import {openNats} from '../../brokers/nats/connection.js';
import {RunError} from '../../errors.js';
import {promised} from '../promised.js';
import {Calls} from './calls.js';
import {subjectsOf} from './messages.js';
import {Publisher} from './publisher.js';

/**
 * @import {NatsConnection} from '@nats-io/transport-node'
 * @import {NatsSettings} from '../../brokers/nats/connection.js'
 * @import {Client, ConnectSettings, Waiting} from '../transport.js'
 */

const presenceTimeoutMs = 5000;

/**
 * @param {ConnectSettings & NatsSettings} options
 * @returns {Promise<Client>}
 */
export async function connect(options) {
  const {nats, closed, answered, details, close} = await openNats(options);
  try {
    const {requests, presence} = subjectsOf(options);
    await answered();
    await refuseWithoutServer(nats, presence);
    const publisher = new Publisher(nats, closed);
    const calls = new Calls(publisher, requests, options.correlation);
    closed.catch((error) => calls.fail(error));
    calls.listen(nats);
    const ask = (/** @type {Buffer} */ payload, /** @type {Waiting} */ waiting) =>
      calls.ask(payload, waiting);
    return {
      ask,
      request: promised(ask),
      send: (payload) => publisher.publish(requests, payload),
      drained: () => publisher.drained(),
      flushed: () => publisher.flushed(),
      closed,
      details,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Without a server, one-way messages would be lost without an error.
 * @param {NatsConnection} nats
 * @param {string} presence
 */
async function refuseWithoutServer(nats, presence) {
  try {
    await nats.request(presence, undefined, {timeout: presenceTimeoutMs});
  } catch (cause) {
    const hint = 'Start npx perf-battle serve nats with the same settings.';
    throw new RunError(`No NATS server of perf-battle answers at ${presence}. ${hint}`, {
      code: 'PB_NO_SERVER',
      cause,
    });
  }
}
