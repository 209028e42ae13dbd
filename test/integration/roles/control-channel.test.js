import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {PassThrough} from 'node:stream';
import {describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {makeOutput, runUnderControl} from '../../../src/roles/script.js';

const server = fileURLToPath(new URL('../../../src/tcp-server.js', import.meta.url));
const options = {workload: 'rtt', listenAddress: '127.0.0.1', serverPort: 0, noDelay: true, reply: 'echo'};
/** Longer than the silence that ends a role. */
const tooLongMs = 6500;

/** A server under control that is ready. */
async function startServer() {
  const environment = {PATH: process.env.PATH, PB_STDIN: 'control', PB_OUTPUT: 'ndjson'};
  const child = spawn(process.execPath, [server], {env: environment, stdio: ['pipe', 'pipe', 'inherit']});
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const send = (/** @type {Record<string, unknown>} */ message) =>
    child.stdin.write(`${JSON.stringify(message)}\n`);
  send({type: 'configure', options});
  while (!said.includes('"ready"')) await once(child.stdout, 'data');
  const events = () =>
    said
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  return {child, send, events, closed: once(child, 'close')};
}

describe('a role under control', {timeout: 180_000, concurrency: true}, () => {
  it('says why it ends when nobody speaks to it any more', async () => {
    const {events, closed} = await startServer();
    const readyAt = performance.now();
    const [code] = await closed;
    const ms = performance.now() - readyAt;
    assert.ok(ms > 4500 && ms < 20_000, `${ms} ms`);
    assert.equal(code, 1);
    const {event, code: errorCode, message} = events().at(-1);
    assert.deepEqual([event, errorCode], ['error', 'PB_CONTROL_LOST']);
    assert.match(message, /silent for 5 s/);
  });

  it('goes on after it was stopped itself, as by Ctrl-Z, and heard nothing meanwhile', async () => {
    const {child, send, events, closed} = await startServer();
    child.kill('SIGSTOP');
    await sleep(tooLongMs);
    child.kill('SIGCONT');
    for (let beats = 0; beats < 3; beats += 1) {
      await sleep(700);
      send({type: 'beat'});
    }
    assert.equal(child.exitCode, null, JSON.stringify(events()));
    send({type: 'stop'});
    assert.deepEqual(await closed, [0, null]);
  });

  it('ends itself, surely and without an error, when the line is closed: nobody reads its exit code', async () => {
    const {child, events, closed} = await startServer();
    child.stdin.end();
    assert.deepEqual(await closed, [null, 'SIGKILL']);
    assert.ok(events().every(({event}) => event !== 'error'));
  });

  it('does not wait for good for what its script waits for when the line is closed', async () => {
    const input = new PassThrough();
    const never = () => new Promise(() => {});
    const output = makeOutput('ndjson', 'tcp', new PassThrough());
    const ended = runUnderControl(never, {input, output, life: new AbortController()});
    input.write(`${JSON.stringify({type: 'configure', options})}\n`);
    input.end();
    assert.equal(await ended, 0);
  });
});
