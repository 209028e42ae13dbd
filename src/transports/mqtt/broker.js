import {openMqttOfRole} from '../../brokers/mosquitto/connection.js';
import {topicsOf} from '../../brokers/mosquitto/topics.js';
import {topicOver} from '../../brokers/rabbitmq/topology.js';
import {pluginPortOf} from '../../brokers/rabbitmq/url.js';
import {UnavailableError} from '../../errors.js';

/**
 * @import {MqttSettings, OpenedMqtt, Session} from '../../brokers/mosquitto/connection.js'
 * @import {MqttConnection} from '../../brokers/mosquitto/url.js'
 * @import {RabbitmqConnection} from '../../brokers/rabbitmq/url.js'
 * @import {MqttVariant} from './index.js'
 *
 * @typedef {Omit<MqttSettings, 'broker'> & MqttVariant & {broker: MqttConnection | RabbitmqConnection, queue?: string, pair?: string}} MqttRoleSettings
 *   queue: the prefix of names on RabbitMQ
 */

/**
 * Opens a role's connection to the broker kind that its settings name.
 * @param {MqttRoleSettings} options @param {Omit<Session, 'boundsDelivery'>} asked
 * @returns {Promise<OpenedMqtt>}
 * @throws {UnavailableError}
 */
export async function openOfRole(options, asked) {
  const {broker, ...others} = options;
  // With QoS 2, Mosquitto 2.0.11 exceeds a bound of 100 messages by one, and the library then ends the connection.
  const session = {...asked, boundsDelivery: others.mqttQos < 2};
  if (!('vhost' in broker)) return await openMqttOfRole({...others, broker}, session);
  try {
    return await openMqttOfRole({...others, broker: overRabbitmq(broker)}, session, optionNames);
  } catch (error) {
    if (!(error instanceof UnavailableError && /MQTT 5|ECONNREFUSED/.test(error.message))) throw error;
    throw new UnavailableError(
      `${error.message} RabbitMQ speaks MQTT 5 from 3.13 on, with the plugin rabbitmq_mqtt; --rabbitmq-mqtt-port names another port.`,
      {code: 'PB_BROKER_UNAVAILABLE', cause: error},
    );
  }
}

/** The names that error messages show. */
const optionNames = {kind: 'rabbitmq', prefix: '--rabbitmq-queue'};

/**
 * Returns the connection settings of the MQTT plugin. A user name may contain a virtual host
 * (https://www.rabbitmq.com/docs/mqtt#virtual-hosts).
 * @param {RabbitmqConnection} broker
 */
function overRabbitmq(broker) {
  const {hostname, protocol, username, password, vhost, caFile, certFile, keyFile} = broker;
  return {
    hostname,
    port: pluginPortOf(broker, 'mqtt'),
    tls: protocol === 'amqps',
    username: vhost === '/' ? username : `${vhost}:${username}`,
    password,
    ...{caFile, certFile, keyFile},
  };
}

/** Returns the topics of a client and a server. @param {Pick<MqttRoleSettings, 'broker' | 'topic' | 'queue' | 'pair'>} options */
export function topicsOn({broker, topic, queue = '', pair}) {
  const prefix = 'vhost' in broker ? topicOver({queue}) : topic;
  return {
    ...topicsOf({topic: prefix, ...(pair !== undefined && {pair})}),
    /** RabbitMQ has no shared subscriptions (https://github.com/rabbitmq/rabbitmq-server/issues/8936). */
    ...('vhost' in broker && {sharedRequests: `${prefix}/requests`}),
  };
}
