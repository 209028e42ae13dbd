'use strict';

const http = require('http');

/** node:http with its agent of 2016: a connection for each request. */
module.exports = (role) => {
  const transport = {
    serve(options, ready) {
      const server = http.createServer((request, response) => {
        read(request, (body) => {
          role.onRequest();
          response.end(body);
        });
      });
      server.listen(options.serverPort, options.listenAddress || undefined, () => {
        transport.address = (options.listenAddress || '0.0.0.0') + ':' + server.address().port;
        ready(transport.address);
      });
    },

    connect(options, ready) {
      transport.target = options.servers[0].split(':');
      ready();
    },

    request(text, done) {
      const where = {hostname: transport.target[0], port: transport.target[1], method: 'POST', path: '/'};
      http
        .request(where, (response) => read(response, done))
        .on('error', role.fail)
        .end(text);
    },
  };
  return transport;
};

function read(stream, done) {
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk) => {
    text += chunk;
  });
  stream.on('end', () => done(text));
}
