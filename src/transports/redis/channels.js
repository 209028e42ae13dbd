/**
 * @import {Medium, OnMessage, Source} from './medium.js'
 */

/**
 * A message is published to a channel whose name ends with the header, so that the payload needs no copy. A subscriber gets all channels of a key.
 * A message that has no subscriber is gone, and the answer says so.
 * @type {Medium}
 */
export const channels = {
  stores: false,
  post: (writer, key, header, payload) => writer.publish(`${key}:${header}`, payload),
  isTaken: (subscribers) => Number(subscribers) > 0,
  receiveShared: subscribe,
  receiveOwn: subscribe,
  put: missing,
  openQueue: missing,
  take: missing,
};

/** @param {Source} from @param {OnMessage} onMessage */
async function subscribe({reader, key}, onMessage) {
  const headerAt = key.length + 1;
  reader.on('pmessageBuffer', (_, /** @type {Buffer} */ channel, /** @type {Buffer} */ payload) =>
    onMessage(channel.toString('latin1', headerAt), payload, nothing),
  );
  await reader.psubscribe(`${key}:*`);
}

function nothing() {}

/** @returns {never} */
function missing() {
  throw new TypeError('Channels store nothing.');
}
