import {randomUUID} from 'node:crypto';
import {subscribe} from '../../brokers/mosquitto/connection.js';
import {serveOver} from '../brokered.js';
import {replyInParts} from '../serialized-requests.js';
import {openOfRole, topicsOn} from './broker.js';
import {Outgoing} from './outgoing.js';

/**
 * @import {IPublishPacket} from 'mqtt'
 * @import {OnRequest, ServeSettings, Server} from '../transport.js'
 * @import {MqttRoleSettings} from './broker.js'
 */

/** @param {ServeSettings & MqttRoleSettings} options @param {OnRequest} onRequest @returns {Promise<Server>} */
export async function serve(options, onRequest) {
  const topics = topicsOn(options);
  const opened = await openOfRole(options, {clientId: topics.clientName('server', randomUUID())});
  const outgoing = new Outgoing(opened, options);
  opened.client.on('message', (topic, payload, {properties}) => {
    const reply = replyTo(properties, outgoing);
    if (topic === topics.presence) reply.end(Buffer.alloc(0));
    else onRequest(payload, reply);
  });
  return await serveOver(opened, () =>
    subscribe(opened, [topics.sharedRequests, topics.presence], options.mqttQos),
  );
}

/** The outcome of a reply does not matter: the client may have ended. */
const onOutcome = () => {};

/** @param {IPublishPacket['properties']} request whose response topic is missing for a one-way message @param {Outgoing} outgoing */
function replyTo(request, outgoing) {
  const topic = request?.responseTopic ?? '';
  const properties = request?.correlationData ? {correlationData: request.correlationData} : undefined;
  const reply = replyInParts({
    send(payload) {
      outgoing.publish(topic, payload, properties, onOutcome);
      return outgoing.hasRoom;
    },
    drained: () => outgoing.drained(),
  });
  return topic === '' ? {...reply, end: () => {}} : reply;
}
