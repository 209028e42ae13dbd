import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {Dealer} from 'zeromq';
import {connect} from '../../../src/transports/zeromq/client.js';
import {serve} from '../../../src/transports/zeromq/server.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {killedServer} from '../support/killed-server.js';

/** @import {Client, OnRequest} from '../../../src/transports/transport.js' */

/** @param {OnRequest} onRequest @param {(client: Client, address: string) => Promise<void>} run */
async function withPair(onRequest, run) {
  const server = await serve({listenAddress: '127.0.0.1', serverPort: 0, noDelay: true}, onRequest);
  const address = String(server.address);
  const client = await connect({
    ...{servers: [address], concurrency: 8, noDelay: true},
    ...{correlation: null, hasServer: true, greetingMs: 5000},
  });
  try {
    await run(client, address);
  } finally {
    await client.close();
    await server.close();
  }
}

describe('the ZeroMQ pair', {timeout: 300_000}, () => {
  it('sends each one-way message as it was when it was given, and confirms all', () => {
    /** @type {number[]} */
    const seen = [];
    return withPair(
      (request, reply) => {
        seen.push(request.readUInt32BE(0));
        assert.ok(request.every((byte, index) => index < 4 || byte === request[4]));
        reply.end();
      },
      async ({send, drained, flushed}) => {
        assert.ok(send && drained && flushed);
        const payload = Buffer.alloc(20_000);
        const count = 2000;
        for (let number = 0; number < count; number += 1) {
          payload.fill(number & 255);
          payload.writeUInt32BE(number, 0);
          if (!send(payload)) await drained();
        }
        assert.deepEqual(await flushed(), {confirmed: count});
        assert.deepEqual(
          seen,
          Array.from({length: count}, (_, number) => number),
        );
      },
    );
  });

  it('goes on after a stranger sent something else, and left', () =>
    withPair(
      (request, reply) => reply.end(request),
      async (client, address) => {
        const stranger = new Dealer({linger: 0});
        stranger.connect(`tcp://${address}`);
        for (const message of [['x'], ['', 'y'], [Buffer.alloc(5), 'z'], ['12345', 'a', 'b']])
          await stranger.send(message);
        assert.equal((await client.request(Buffer.alloc(2))).length, 2);
        stranger.close();
        assert.equal((await client.request(Buffer.alloc(3))).length, 3);
      },
    ));

  it(
    'battles with each workload of a transport without a store',
    inAWorkplace(async (workplace) => {
      const {code, stderr} = await workplace.battle([
        ...['--transport', 'zeromq', '--workload', 'rtt,pipeline,stream,fan-out', '--window', '8'],
        ...['--payload', '1kb,1000kb', '--subscribers', '3'],
        ...['--rounds', '1', '--samples', '60', '--warmup', '10'],
      ]);
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'zeromq');
      assert.equal(cells.length, 8);
      for (const cell of cells) {
        assert.ok(cell.outcome === 'completed', JSON.stringify(cell));
        assert.deepEqual([cell.counts.lost, cell.counts.corrupted], [0, 0]);
        assert.match(String(cell.versions.zeromq), /^6\./);
      }
    }),
  );

  it(
    'ends with 1 and says so when its server is killed',
    inAWorkplace(async (workplace) => {
      const {code, error} = await killedServer(workplace, 'zeromq');
      assert.deepEqual([code, error.code], [1, 'PB_CONNECTION_LOST']);
      assert.match(error.message, /^The connection of ZeroMQ was lost \(.+\)\.$/);
    }),
  );
});
