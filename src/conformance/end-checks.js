import {openResources, patternOf, refuseDifferent, soon, until} from './expectations.js';

/** @import {TransportCheck} from './transport-pair.js' */

/** What becomes of one end when the other closes. @type {readonly TransportCheck[]} */
export const endChecks = [
  {
    name: 'a client that closes leaves the server to the others',
    needs: 'request',
    handles: true,
    async run(pair) {
      /** @type {(() => void)[]} */
      const unanswered = [];
      const client = await pair.open((request, reply) => {
        if (request[0] === 0) unanswered.push(() => reply.end(request));
        else reply.end(request);
      });
      const other = await pair.connect();
      client.request(Buffer.alloc(1024)).catch(() => {});
      await until(
        () => unanswered.length > 0,
        () => 'the server has no request',
      );
      await soon(client.close(), 'close()');
      for (const answer of unanswered) answer();
      const payload = patternOf(1024, 1);
      refuseDifferent(await soon(other.request(payload), 'the reply to the other'), payload, 'The reply');
      return 'the other client was answered';
    },
  },
  {
    name: 'the end of the server fails the requests in flight',
    needs: 'request',
    overSocket: true,
    handles: true,
    async run(pair) {
      let count = 0;
      const client = await pair.open(() => {
        count += 1;
      });
      const outcome = client.request(Buffer.alloc(1024)).then(
        () => 'it was answered',
        () => 'rejected',
      );
      client.closed?.catch(() => {});
      await until(
        () => count > 0,
        () => 'the server has no request',
      );
      await soon(pair.closeServer(), 'close() of the server');
      const became = await soon(outcome, 'the end of the request');
      if (became !== 'rejected') throw new Error(`The request of a server that has ended: ${became}.`);
      return 'the request was rejected';
    },
  },
  {
    name: 'the end of the server ends the connection of its client',
    needs: 'request',
    overSocket: true,
    onConnection: true,
    async run(pair) {
      const client = await pair.open((request, reply) => reply.end(request));
      await soon(client.request(Buffer.alloc(1024)), 'a reply');
      const outcome = client.closed.then(
        () => 'resolved',
        () => 'rejected',
      );
      await soon(pair.closeServer(), 'close() of the server');
      const became = await soon(outcome, 'closed of the client, which rejects when the connection ends');
      if (became !== 'rejected') throw new Error(`closed of the client ${became} when the server ended.`);
      return 'closed of the client rejected';
    },
  },
  {
    name: 'both ends can be closed twice',
    needs: 'request',
    async run(pair) {
      const client = await pair.open((request, reply) => reply.end(request));
      await soon(client.request(Buffer.alloc(16)), 'a reply');
      for (const what of ['close()', 'the second close()']) {
        await soon(client.close(), `${what} of the client`);
        await soon(pair.closeServer(), `${what} of the server`);
      }
      return 'client and server';
    },
  },
  {
    name: 'nothing is left open',
    needs: 'request',
    async run(pair) {
      const before = openResources();
      const client = await pair.open((request, reply) => reply.end(request));
      await soon(client.request(patternOf(1024, 1)), 'a reply');
      await soon(client.close(), 'close() of the client');
      await soon(pair.closeServer(), 'close() of the server');
      const left = () => {
        const rest = openResources();
        for (const name of before) if (rest.includes(name)) rest.splice(rest.indexOf(name), 1);
        return rest;
      };
      await until(
        () => left().length === 0,
        () => `still open: ${left().join(', ')}`,
      );
      return 'neither sockets nor timers';
    },
  },
];
