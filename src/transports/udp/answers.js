import {endOfParts} from '../serialized-requests.js';
import {noReply} from './messages.js';

/**
 * @import {OnRequest, Reply} from '../transport.js'
 * @import {Session} from './session.js'
 */

/** A client that leaves more than this of its replies unread is not read either, until it has read. */
const maxUnreadBytes = 16 * 1024 * 1024;

/** @type {Reply} */
const toNobody = {write: () => true, drained: async () => {}, end: () => {}};

/**
 * What a server does with each message of its clients.
 * @param {OnRequest} onRequest
 * @returns {(id: number, payload: Buffer, session: Session) => void}
 */
export function answerWith(onRequest) {
  return (id, payload, session) => onRequest(payload, id === noReply ? toNobody : replyTo(id, session));
}

/** @param {number} id @param {Session} session @returns {Reply} */
function replyTo(id, session) {
  let parts = 0;
  const send = (/** @type {Buffer} */ payload) => {
    const hasRoom = session.write(id, payload);
    session.flush();
    if (session.outgoing.waitingBytes > maxUnreadBytes) holdBack(session);
    return hasRoom;
  };
  return {
    write(part) {
      parts += 1;
      return send(part);
    },
    drained: () => session.drained(),
    end(whole) {
      if (whole) send(whole);
      if (parts > 0) send(endOfParts);
    },
  };
}

/** @param {Session} session */
async function holdBack(session) {
  if (session.incoming.isPaused) return;
  session.pause();
  await session.drained();
  session.resume();
}
