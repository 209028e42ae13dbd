import {randomUUID} from 'node:crypto';
import {expiresSeconds, keysOf} from '../../brokers/redis/connection.js';
import {openConnections} from '../../brokers/redis/role-connections.js';
import {serveOver} from '../brokered.js';
import {replyInParts} from '../serialized-requests.js';
import {findServers, mediumOf, oneWay, readHeader} from './messages.js';
import {Publisher} from './publisher.js';

/**
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {RedisSettings, RoleConnections} from '../../brokers/redis/role-connections.js'
 * @import {OnRequest, ServeSettings, Server} from '../transport.js'
 * @import {RedisVariant} from './index.js'
 */

/** @param {ServeSettings & RedisSettings & RedisVariant & ClientName} options @param {OnRequest} onRequest @returns {Promise<Server>} */
export async function serve(options, onRequest) {
  const connections = await openConnections(options);
  return await serveOver(connections, () => receive(connections, options, onRequest));
}

/**
 * @param {RoleConnections} connections @param {ServeSettings & RedisSettings & RedisVariant & ClientName} options
 * @param {OnRequest} onRequest
 */
async function receive(connections, options, onRequest) {
  const {reader, writer, lose, open, renew} = connections;
  const {findsQueue: resumes = false, pair} = options;
  const medium = mediumOf(options);
  const keys = keysOf(options);
  const serverId = randomUUID();
  const key = medium.stores ? keys.requests : keys.requestsTo(serverId);
  const isAlone = async () => (await findServers(writer, keys)).every((id) => id === serverId);
  const presence = await open();
  const appear = () => presence.subscribe(`${keys.presence}${serverId}`);
  // Lists and streams keep requests until the server is ready, so it may announce itself early.
  if (medium.stores) await appear();
  // If servers are started by hand, requests of an earlier run may exist. The servers of a battle start together, so none
  // may delete the requests.
  if (pair === undefined && !resumes && (await isAlone())) await writer.unlink(keys.requests);
  const publisher = new Publisher(connections, medium, {toleratesNobody: true});
  /** The keys of replies that were sent since the last renewal. @type {Set<string>} */
  const answered = new Set();
  await medium.receiveShared({reader, writer, key, resumes, lose}, (header, payload, done) => {
    if (header === oneWay) return onRequest(payload, toNobody(done));
    const {number, replyTo} = readHeader(header);
    answered.add(replyTo);
    onRequest(payload, replyOf(publisher, {number, replyTo, done}));
  });
  if (medium.stores)
    renew({
      seconds: expiresSeconds,
      *keys() {
        yield keys.requests;
        yield* answered;
        answered.clear();
      },
    });
  if (!medium.stores) await appear();
  return async () => {
    await presence.unsubscribe();
    if (!resumes && (await isAlone())) await writer.unlink(keys.requests);
  };
}

/** @param {() => void} done */
function toNobody(done) {
  return {write: () => true, drained: async () => {}, end: done};
}

/** @param {Publisher} publisher @param {{number: string, replyTo: string, done: () => void}} request */
function replyOf(publisher, {number, replyTo, done}) {
  return replyInParts({
    send(payload, onTaken) {
      const hasRoom = publisher.post(replyTo, number, payload);
      onTaken?.();
      return hasRoom;
    },
    drained: () => publisher.drained(),
    done,
  });
}
