import {runServerScript} from './roles/server.js';
import {bufferOf} from './transports/nats/buffer-of.js';
import {openNats} from './transports/nats/connection.js';
import {nats as transport} from './transports/nats/index.js';
import {Publisher} from './transports/nats/publisher.js';
import {subjectsOf} from './transports/nats/subjects.js';
import {endOfParts} from './transports/serialized-requests.js';

/**
 * @import {NatsSettings} from './transports/nats/connection.js'
 * @import {OnRequest, Reply, ServeSettings, Server} from './transports/transport.js'
 */

/**
 * @param {ServeSettings & NatsSettings} options
 * @param {OnRequest} onRequest
 * @returns {Promise<Server>}
 */
export async function serve(options, onRequest) {
  const {nats, closed, lose, answered, details, close} = await openNats(options);
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
  await Promise.race([answered(), closed]);
  return {address: null, closed, details, close};
}

/**
 * @param {string} subject empty for a one-way message
 * @param {Publisher} publisher
 * @param {(what: string) => void} lose
 * @returns {Reply}
 */
function replyTo(subject, publisher, lose) {
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

await runServerScript(import.meta.url, transport, serve);
