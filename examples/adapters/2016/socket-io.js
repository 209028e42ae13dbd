'use strict';

/** socket.io 1.4: an event, and its acknowledgement as the reply. It begins with polling and then upgrades to WebSocket, as by default. */
module.exports = (role) => {
  const transport = {
    serve(options, ready) {
      const server = require('http').createServer();
      require('socket.io')(server).on('connection', (socket) => {
        socket.on('request', (text, reply) => {
          role.onRequest();
          reply(text);
        });
      });
      server.listen(options.serverPort, options.listenAddress || undefined, () => {
        transport.address = (options.listenAddress || '0.0.0.0') + ':' + server.address().port;
        ready(transport.address);
      });
    },

    connect(options, ready) {
      const socket = require('socket.io-client')('http://' + options.servers[0], {reconnection: false});
      transport.socket = socket;
      socket.on('connect_error', role.fail);
      socket.on('disconnect', () => role.fail('the server is gone'));
      socket.once('connect', () => {
        const engine = socket.io.engine;
        if (engine.transport.name === 'websocket') return ready();
        engine.once('upgrade', () => ready());
      });
    },

    request(text, done) {
      transport.socket.emit('request', text, done);
    },
  };
  return transport;
};
