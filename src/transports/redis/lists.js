/** @import {Medium, OnMessage, Source} from './medium.js' */

/** More of them in one answer would hold up the first, and large payloads take megabytes. */
export const messagesAtOnce = 16;

/**
 * A message is two elements of a list, which are pushed together and popped together: its header and its payload. So the payload needs no copy.
 * A blocking pop takes what is there, up to a number of messages (BLMPOP, Redis 7).
 * @type {Medium}
 */
export const lists = {
  stores: true,
  post: (writer, key, header, payload) => writer.lpush(key, header, payload),
  isTaken: () => true,
  receiveShared: async (from, onMessage) => listen(from, onMessage),
  receiveOwn: async (from, onMessage) => listen(from, onMessage),
  put: (writer, key, payload) => writer.lpush(key, payload),
  openQueue: async () => {},
  take: ({reader, key}, count) => pop({reader, key}, count),
};

/** @param {Source} from @param {OnMessage} onMessage */
function listen(from, onMessage) {
  receive(from, onMessage).catch((error) =>
    from.lose(`Redis lets nothing be read from ${from.key}: ${error.message}.`, error),
  );
}

/**
 * While the messages of one pop are handled, the next one waits at the server already.
 * @param {Source} from
 * @param {OnMessage} onMessage
 */
async function receive(from, onMessage) {
  let next = pop(from, 2 * messagesAtOnce);
  for (;;) {
    const elements = await next;
    next = pop(from, 2 * messagesAtOnce);
    // It may fail while the messages are handled.
    next.catch(() => {});
    for (let index = 0; index < elements.length; index += 2)
      onMessage(elements[index].toString('latin1'), elements[index + 1], nothing);
  }
}

function nothing() {}

/** @param {Pick<Source, 'reader' | 'key'>} from @param {number} count of elements @returns {Promise<Buffer[]>} the oldest first */
async function pop({reader, key}, count) {
  const answer = await reader.blmpopBuffer(0, 1, key, 'RIGHT', 'COUNT', count);
  return answer === null ? [] : answer[1];
}
