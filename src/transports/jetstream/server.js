import {streamsOf} from '../../brokers/nats/connection.js';
import {serveOver} from '../brokered.js';
import {bufferOf, Publisher} from '../nats/publisher.js';
import {replyTo} from '../nats/server.js';
import {
  consume,
  consumerOf,
  declareStream,
  deleteStream,
  openJetStream,
  outstandingRequests,
  replyHeader,
} from './stream.js';

/**
 * @import {OnRequest, Reply, ServeSettings, Server} from '../transport.js'
 * @import {OpenedJetStream, StreamSettings} from './stream.js'
 * @import {JsMsg} from '@nats-io/jetstream'
 * @import {NatsConnection} from '@nats-io/transport-node'
 */

/** How long to wait for answers of other servers. */
const othersWithinMs = 500;

/** @param {ServeSettings & StreamSettings} options @param {OnRequest} onRequest @returns {Promise<Server>} */
export async function serve(options, onRequest) {
  const opened = await openJetStream(options);
  return await serveOver(opened, () => serveRequests(opened, options, onRequest));
}

/**
 * @param {OpenedJetStream} opened @param {ServeSettings & StreamSettings & {payloadBytes?: number}} options @param {OnRequest} onRequest
 */
async function serveRequests(opened, options, onRequest) {
  const {nats, manager, closed, lose} = opened;
  const {requests, requestStream, presence} = streamsOf(options);
  await declareStream(manager, {stream: requestStream, subject: requests}, options);
  // Without another server, waiting requests belong to an earlier run whose client has ended.
  if (!options.findsQueue && (await isAlone(nats, presence))) await manager.streams.purge(requestStream);
  const publisher = new Publisher(nats, closed);
  const {redeliverMs: ackWaitMs} = options;
  const wait = ackWaitMs === undefined ? {} : {ackWaitMs};
  const messages = await consume(await consumerOf(opened, requestStream, wait), {
    onMessage: (message) => onRequest(bufferOf(message), replyOf(message, publisher, lose)),
    onEnd: (error) => lose(`The stream ${requestStream} delivers no more: ${error.message}.`),
    outstanding: outstandingRequests(options),
  });
  const present = nats.subscribe(presence, {callback: (_, message) => void message?.respond()});
  await opened.answered();
  return async () => {
    messages.stop();
    present.unsubscribe();
    // When several servers end together, only the last one finds no other server.
    if (!options.findsQueue && (await isAlone(nats, presence))) await deleteStream(manager, requestStream);
  };
}

/** Returns whether no other server answers. @param {NatsConnection} nats @param {string} presence */
async function isAlone(nats, presence) {
  return await nats.request(presence, undefined, {timeout: othersWithinMs}).then(
    () => false,
    () => true,
  );
}

/**
 * Makes a reply. The request is acknowledged after the reply was handed over. If the server ends before, NATS delivers the request again.
 * @param {JsMsg} message @param {Publisher} publisher @param {(what: string) => void} lose
 * @returns {Reply}
 */
function replyOf(message, publisher, lose) {
  const reply = replyTo(message.headers?.get(replyHeader) ?? '', publisher, lose);
  return {
    write: reply.write,
    drained: reply.drained,
    end(whole) {
      reply.end(whole);
      message.ack();
    },
  };
}
