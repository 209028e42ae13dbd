import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {freePort} from '../support/ports.js';

const run = promisify(execFile);
const repository = new URL('../../../', import.meta.url);

/** Starts a program on a terminal of its own, closes that when a text has appeared, and prints how the program ended. */
const onATerminal = `
import os, pty, sys
said, *command = sys.argv[1:]
pid, terminal = pty.fork()
if pid == 0:
    os.execv(command[0], command)
text = b''
while said.encode() not in text:
    text += os.read(terminal, 1000)
os.close(terminal)
_, status = os.waitpid(pid, 0)
print('signal %d' % os.WTERMSIG(status) if os.WIFSIGNALED(status) else 'exit code %d' % os.WEXITSTATUS(status))
`;

describe('a terminal that hangs up', {timeout: 300_000}, () => {
  for (const {script, parameters, says} of [
    {
      script: 'bin/perf-battle.js',
      parameters: ['--transport', 'tcp', '--payload', '1kb', '--rounds', '2', '--duration', '3s'],
      says: 'round 1 of 2',
    },
    {script: 'src/tcp-server.js', parameters: [], says: 'server ready'},
  ]) {
    it(
      `ends ${script} with exit code 143`,
      inAWorkplace(async (workplace) => {
        const port = await freePort();
        const environment = {...process.env, PB_SERVER_PORT: String(port)};
        const command = [process.execPath, fileURLToPath(new URL(script, repository)), ...parameters];
        const {stdout} = await run('python3', ['-c', onATerminal, says, ...command], {
          cwd: workplace.path,
          env: script.startsWith('src') ? environment : process.env,
        });
        assert.equal(stdout, 'exit code 143\n');
        assert.deepEqual(await workplace.leftoversWithin(5000), []);
      }),
    );
  }
});
