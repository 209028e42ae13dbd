'use strict';

const amqp = require('amqp');

/** amqp 0.2: a direct exchange, a queue for requests, and a queue for the replies of each client, which belongs to it alone. */
module.exports = (role) => {
  const transport = {
    serve(options, ready) {
      open(options, (exchange, connection) => {
        connection.queue(options.queue, queueOptions, (queue) => {
          queue.bind(exchange, options.queue);
          queue.once('queueBindOk', () => {
            queue.subscribe((message, headers, info) => {
              role.onRequest();
              exchange.publish(info.replyTo, message.data, propertiesOf(options, info.correlationId));
            });
            queue.once('basicConsumeOk', () => ready(null));
          });
        });
      });
    },

    connect(options, ready) {
      open(options, (exchange, connection) => {
        connection.queue('', {exclusive: true}, (queue) => {
          queue.bind(exchange, queue.name);
          queue.once('queueBindOk', () => {
            queue.subscribe((message, headers, info) => {
              if (info.correlationId === String(transport.number)) transport.done(message.data.toString());
            });
            queue.once('basicConsumeOk', () => ready());
          });
          transport.publish = (text, number) => {
            const properties = Object.assign({replyTo: queue.name}, propertiesOf(options, String(number)));
            exchange.publish(options.queue, text, properties);
          };
        });
      });
    },

    number: 0,
    request(text, done) {
      transport.number += 1;
      transport.done = done;
      transport.publish(text, transport.number);
    },
  };

  function open(options, done) {
    const broker = options.broker;
    const connection = amqp.createConnection(
      {
        host: broker.hostname,
        port: broker.port,
        login: broker.username,
        password: broker.password,
        vhost: broker.vhost,
        noDelay: options.noDelay,
      },
      {reconnect: false}
    );
    connection.on('error', role.fail);
    connection.once('ready', () => {
      connection.exchange(options.queue + '-exchange', {type: 'direct', autoDelete: true}, (exchange) =>
        done(exchange, connection)
      );
    });
  }

  return transport;
};

/** The broker ends the queue a minute after its last use. */
const queueOptions = {durable: true, autoDelete: false, arguments: {'x-expires': 60000}};

function propertiesOf(options, correlationId) {
  return {correlationId, deliveryMode: options.deliveryMode, contentType: 'application/octet-stream'};
}
