/** From this major version on, RabbitMQ speaks AMQP 1.0 itself, and addresses are those of version 2 (https://www.rabbitmq.com/docs/amqp#address-v2). */
const firstNative = 4;

/**
 * How AMQP 1.0 addresses what was declared in another way. RabbitMQ 3 has addresses of version 1
 * (https://github.com/rabbitmq/rabbitmq-server/blob/v3.13.x/deps/rabbitmq_amqp1_0/README.md).
 * @param {string} version of RabbitMQ, such as 3.10.8
 */
export function addressesOf(version) {
  const isNative = Number.parseInt(version, 10) >= firstNative;
  const exchanges = isNative ? '/exchanges' : '/exchange';
  const queues = isNative ? '/queues' : '/amq/queue';
  /** @param {string} name @param {string} [key] */
  const exchange = (name, key) =>
    [exchanges, encodeURIComponent(name), ...(key === undefined ? [] : [encodeURIComponent(key)])].join('/');
  return {
    queue: (/** @type {string} */ name) => `${queues}/${encodeURIComponent(name)}`,
    exchange,
    /**
     * Messages to one exchange, each with a routing key of its own. In version 1 that is the subject of a message. In version 2 it is part of the
     * address, and each message has that of its own, over a link to none.
     * @param {string} name
     * @returns {{target: string | undefined, to: (key: string) => {subject: string} | {to: string}}}
     */
    byKey: (name) =>
      isNative
        ? {target: undefined, to: (key) => ({to: exchange(name, key)})}
        : {target: exchange(name), to: (key) => ({subject: key})},
  };
}
