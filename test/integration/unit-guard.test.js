import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';

const tier = fileURLToPath(new URL('../unit-tier.js', import.meta.url));

/** What a test does, and what is said of it. Errors are swallowed, as the code under test may do. */
const offences = {
  "connect(9, '127.0.0.1').on('error', () => {})": /connects a socket/,
  'createServer().listen(0)': /listens on a socket/,
  "createSocket('udp4').bind(0)": /binds a socket/,
  "spawn('true')": /starts a process/,
  "execFileSync('true')": /starts a process/,
  'await sleep(50)': /waits 50 ms/,
  'await new Promise((resolve) => setTimeout(resolve, 50))': /waits 50 ms/,
  'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)': /blocks the thread/,
};

describe('the guard of the unit tests', () => {
  /** @type {string} */
  let folder;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'perf-battle-guard-'));
  });
  after(() => rm(folder, {recursive: true, force: true}));

  /** @param {string} statement @returns {Promise<{code: number, output: string}>} */
  async function runTestThat(statement) {
    const file = join(folder, 'some.test.mjs');
    await writeFile(
      file,
      `import {execFileSync, spawn} from 'node:child_process';
import {createSocket} from 'node:dgram';
import {connect, createServer} from 'node:net';
import {test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
test('a test', async () => {
  try {
    ${statement};
  } catch {}
});
`,
    );
    // Without the environment of the runner that runs this file.
    const {NODE_TEST_CONTEXT, ...env} = process.env;
    return new Promise((resolve) => {
      execFile(process.execPath, [tier, file], {env}, (error, stdout, stderr) =>
        resolve({code: Number(error?.code ?? 0), output: stdout + stderr}),
      );
    });
  }

  for (const [statement, message] of Object.entries(offences)) {
    it(`fails a file with: ${statement}`, async () => {
      const {code, output} = await runTestThat(statement);
      assert.equal(code, 1, output);
      assert.match(output, message);
    });
  }

  it('fails a file that cannot be imported', async () => {
    const {code, output} = await runTestThat('}{');
    assert.equal(code, 1, output);
    assert.match(output, /SyntaxError/);
  });

  it('lets a file pass whose timers are short, or cleared before they elapse', async () => {
    const statement = 'clearTimeout(setTimeout(() => {}, 5000)); await sleep(5)';
    const {code, output} = await runTestThat(statement);
    assert.equal(code, 0, output);
  });
});
