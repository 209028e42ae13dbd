import {openNats} from '../../brokers/nats/connection.js';
import {serveOver} from '../brokered.js';
import {endOfParts} from '../serialized-requests.js';
import {bufferOf, Publisher, subjectsOf} from './publisher.js';

/**
 * @import {NatsSettings} from '../../brokers/nats/connection.js'
 * @import {OnRequest, Reply, ServeSettings, Server} from '../transport.js'
 */

/** @param {ServeSettings & NatsSettings} options @param {OnRequest} onRequest @returns {Promise<Server>} */
export async function serve(options, onRequest) {
  const opened = await openNats(options);
  const {nats, closed, lose} = opened;
  const {requests, presence, queueGroup} = subjectsOf(options);
  const publisher = new Publisher(nats, closed);
  nats.subscribe(requests, {
    queue: queueGroup,
    callback: (error, message) => {
      if (error) lose(`The NATS server does not let this user subscribe to ${requests}: ${error.message}.`);
      else onRequest(bufferOf(message), replyTo(message.reply ?? '', publisher, lose));
    },
  });
  nats.subscribe(presence, {callback: (_, message) => void message?.respond()});
  return await serveOver(opened, opened.answered);
}

/**
 * @param {string} subject empty for a one-way message
 * @param {Publisher} publisher @param {(what: string) => void} lose
 * @returns {Reply}
 */
export function replyTo(subject, publisher, lose) {
  let parts = 0;
  const publish = (/** @type {Buffer} */ payload) => {
    try {
      return publisher.publish(subject, payload);
    } catch (error) {
      lose(/** @type {Error} */ (error).message);
      return true;
    }
  };
  return {
    write(part) {
      parts += 1;
      return publish(part);
    },
    drained: () => publisher.drained(),
    end(whole) {
      if (subject === '' || (whole === undefined && parts === 0)) return;
      if (whole) publish(whole);
      if (parts > 0) publish(endOfParts);
    },
  };
}
