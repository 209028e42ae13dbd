import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {it} from 'node:test';
import {processesOf} from '../../../src/roles/programs/group-usage.js';

it('the processes of a program include those that it started in sessions of their own', async () => {
  const script = 'setsid sh -c "sleep 60 & echo; wait" & wait';
  const shell = spawn('sh', ['-c', script], {detached: true, stdio: ['ignore', 'pipe', 'ignore']});
  const group = shell.pid ?? 0;
  try {
    await once(shell.stdout, 'data');
    assert.equal(processesOf(group).length, 3);
    assert.ok(processesOf(group).includes(group));
  } finally {
    for (const id of processesOf(group)) process.kill(id, 'SIGKILL');
  }
});
