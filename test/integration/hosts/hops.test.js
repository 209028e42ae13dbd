import assert from 'node:assert/strict';
import {execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {createConnection, createServer} from 'node:net';
import {describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {promisify} from 'node:util';
import {Capture} from '../../../src/hops/capture.js';
import {PacketReader} from '../../../src/hops/segments.js';
import {LocalHost} from '../../../src/hosts/local.js';
import {localPortsOf} from '../../../src/hosts/processes.js';
import {monotonicMs, wallClockAheadMs} from '../../../src/measure/clock.js';
import {sharedBroker} from '../support/broker.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';

/** @import {AddressInfo} from 'node:net' */

const captureModule = new URL('../../../src/hops/capture.js', import.meta.url).href;
const importCapture = `const {Capture} = await import(${JSON.stringify(captureModule)});`;

/** A connection over the loopback interface. */
async function connectHere() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port} = /** @type {AddressInfo} */ (server.address());
  const client = createConnection(port, '127.0.0.1');
  const [[peer]] = await Promise.all([once(server, 'connection'), once(client, 'connect')]);
  const close = () => {
    client.destroy();
    peer.destroy();
    server.close();
  };
  return {port, client, peer, close};
}

/** @param {Capture} capture */
async function segmentsOf(capture, reader = new PacketReader()) {
  const segments = [];
  for await (const chunk of capture.read()) segments.push(...reader.read(chunk));
  return segments;
}

describe('a capture', {timeout: 180_000}, () => {
  it('has each segment with data, and the time at which it was sent by our clock', async () => {
    const {port, client, peer, close} = await connectHere();
    const capture = await Capture.start([port]);
    try {
      assert.deepEqual(await localPortsOf(new LocalHost(), process.pid, [port]), [client.localPort]);
      const aheadMs = wallClockAheadMs();
      const before = monotonicMs();
      client.write('one');
      const [data] = await once(peer, 'data');
      const after = monotonicMs();
      assert.equal(String(data), 'one');
      peer.write('reply');
      await once(client, 'data');
      assert.deepEqual(await capture.stop(), {lost: 0});
      const reader = new PacketReader();
      const segments = await segmentsOf(capture, reader);
      assert.deepEqual(
        segments.map(({fromPort, toPort, bytes, head}) => [fromPort, toPort, bytes, String(head)]),
        [
          [client.localPort, port, 3, 'one'],
          [port, client.localPort, 5, 'reply'],
        ],
      );
      const sentMs = segments[0].atMs + (reader.baseMs ?? 0) - aheadMs;
      const apartMs = 0.1;
      assert.ok(sentMs > before - apartMs && sentMs < after + apartMs, `${before} < ${sentMs} < ${after}`);
    } finally {
      await capture.close();
      close();
    }
  });

  it('takes what it has not been given yet before it ends, on a host that is too busy to run it', async () => {
    const {port, client, peer, close} = await connectHere();
    const capture = await Capture.start([port]);
    try {
      client.write('one');
      await once(peer, 'data');
      capture.child.kill('SIGSTOP');
      setTimeout(() => capture.child.kill('SIGCONT'), 1500);
      await capture.stop();
      assert.equal((await segmentsOf(capture)).length, 1);
    } finally {
      await capture.close();
      close();
    }
  });

  it('says to other users than root what it needs', async () => {
    // The module is loaded first: the checkout may be in a folder that only root can read.
    const script = `${importCapture}
      process.setuid(65534);
      await Capture.start([9]).catch((error) => console.log(error.message));`;
    const {stdout} = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    assert.equal(stdout, "tcpdump needs root's rights\n");
  });

  it('ends when its process is killed', async () => {
    const script = `${importCapture}
      const {child} = await Capture.start([9]); console.log(child.pid); setInterval(() => {}, 1000)`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [text] = await once(child.stdout.setEncoding('utf8'), 'data');
    assert.ok(isRunning(Number(text)));
    child.kill('SIGKILL');
    const deadline = Date.now() + 5000;
    while (isRunning(Number(text)) && Date.now() < deadline) await sleep(20);
    assert.ok(!isRunning(Number(text)));
  });
});

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('a battle with --anatomy', {timeout: 600_000}, () => {
  const broker = sharedBroker();

  it(
    'divides both ways at RabbitMQ and at NATS, for a byte and for many segments',
    inAWorkplace(async (workplace) => {
      const what = ['--anatomy', '--transport', 'rabbitmq,nats', '--payload', '1,200kb'];
      const length = ['--rounds', '1', '--samples', '200', '--warmup', '50', '--delivery-mode', '1'];
      const {code, stdout, stderr} = await workplace.battle([...what, ...length], broker().environment);
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).flatMap((cell) => (cell.outcome === 'completed' ? [cell] : []));
      assert.equal(cells.length, 6);
      for (const {transport, payloadBytes, anatomy} of cells) {
        const name = `${transport} ${payloadBytes}`;
        assert.ok(anatomy, name);
        if (transport === 'tcp') {
          assert.deepEqual([anatomy.hops, anatomy.noHops], [null, null]);
          continue;
        }
        assert.ok(anatomy.hops, `${name}: ${anatomy.noHops}`);
        for (const way of /** @type {const} */ (['request', 'reply'])) {
          const {before, broker: inside, after} = anatomy.hops[way];
          const sum = before.meanMs + inside.meanMs + after.meanMs;
          assert.ok(Math.abs(sum - anatomy[way].meanMs) < 0.001, `${name}: ${sum}, ${anatomy[way].meanMs}`);
          for (const part of [before, inside, after]) assert.ok(part.meanMs > 0, `${name} ${way}`);
        }
      }
      assert.match(stdout, /in the broker: \d/);
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'says why it does not, where several clients have messages in flight',
    inAWorkplace(async (workplace) => {
      const what = ['--anatomy', '--transport', 'nats', '--payload', '1kb', '--clients', '2'];
      const {code, stdout} = await workplace.battle([...what, '--rounds', '1', '--samples', '50']);
      assert.equal(code, 0);
      assert.match(stdout, /What the broker takes is not shown: several clients have messages in flight\./);
    }),
  );
});
