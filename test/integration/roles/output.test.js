import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {text} from 'node:stream/consumers';
import {describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';

const output = new URL('../../../src/roles/script.js', import.meta.url);

/** Events of which each is larger than a pipe, with letters that take several bytes. */
const program = `
import {makeOutput} from '${output}';
const output = makeOutput('ndjson', 'tcp');
process.stdout.on('error', ({code}) => process.exit(code === 'EPIPE' ? 7 : 8));
for (let index = 0; index < 5; index += 1) {
  output.emit({event: 'progress', phase: 'clock', atMs: index});
  output.emit({event: 'progress', phase: 'profile', profile: 'ü'.repeat(300_000)});
}
setTimeout(() => {}, 2000).unref();
`;

function run() {
  const flags = ['--input-type=module', '--eval', program];
  return spawn(process.execPath, flags, {stdio: ['ignore', 'pipe', 'inherit']});
}

describe('the events of a role', () => {
  it('arrive whole and in order when the battle reads late', async () => {
    const child = run();
    await sleep(300);
    const lines = (await text(child.stdout)).trim().split('\n');
    const events = lines.map((line) => JSON.parse(line));
    assert.deepEqual(
      events.map(({phase, atMs, profile}) => (phase === 'clock' ? atMs : profile === 'ü'.repeat(300_000))),
      [0, true, 1, true, 2, true, 3, true, 4, true],
    );
  });

  it('end the role, without a trace of its own, when nobody reads them any more', async () => {
    const child = run();
    child.stdout.destroy();
    const code = await new Promise((resolve) => child.once('exit', resolve));
    assert.equal(code, 7);
  });
});
