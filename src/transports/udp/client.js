import {promised} from '../pending-replies.js';
import {openLink} from './link.js';
import {noReply} from './messages.js';

/**
 * @import {Client, ConnectSettings, Waiting} from '../transport.js'
 * @import {UdpSettings} from './index.js'
 * @import {Session} from './session.js'
 */

/**
 * @param {ConnectSettings & UdpSettings} options
 * @returns {Promise<Client>}
 */
export async function connect(options) {
  const {session, calls, details, close} = await openLink(options);
  const ask = (/** @type {Buffer} */ payload, /** @type {Waiting} */ waiting) => calls.ask(payload, waiting);
  return {
    ask,
    request: promised(ask),
    send: sendTogether(session),
    async drained() {
      await session.drained();
      if (calls.failure) throw calls.failure;
    },
    async flushed() {
      await session.flushed();
      if (calls.failure) throw calls.failure;
      return {confirmed: null};
    },
    retransmissions: () => session.outgoing.retransmissions,
    closed: calls.closed,
    details,
    close,
  };
}

/**
 * One-way messages of one turn of the event loop share datagrams, unless batching is off.
 * @param {Session} session
 * @returns {(payload: Buffer) => boolean}
 */
function sendTogether(session) {
  let isFlushPlanned = false;
  const flush = () => {
    isFlushPlanned = false;
    session.flush();
  };
  return (payload) => {
    if (!isFlushPlanned) {
      isFlushPlanned = true;
      process.nextTick(flush);
    }
    return session.write(noReply, payload);
  };
}
