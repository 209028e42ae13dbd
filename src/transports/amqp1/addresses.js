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
  return {
    queue: (/** @type {string} */ name) => `${queues}/${encodeURIComponent(name)}`,
    /** Without a key, the subject of a message is its routing key. @param {string} name @param {string} [key] */
    exchange: (name, key) =>
      [exchanges, encodeURIComponent(name), ...(key === undefined ? [] : [encodeURIComponent(key)])].join(
        '/',
      ),
  };
}
