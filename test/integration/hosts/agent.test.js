import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {Agent} from '../../../src/hosts/agent.js';
import {RoleProcess} from '../../../src/hosts/role-process.js';
import {inPhase, named} from '../../../src/protocol.js';

const script = fileURLToPath(new URL('../../../src/hosts/agent-process.js', import.meta.url));
const options = {workload: 'rtt', listenAddress: '127.0.0.1', serverPort: 0, noDelay: true, reply: 'echo'};
const unpinned = {cores: null, keepMemory: false};
const {signal} = new AbortController();

/** An agent on this host, without ssh. */
function startAgent() {
  const session = spawn(process.execPath, [script], {stdio: ['pipe', 'pipe', 'pipe']});
  const agent = new Agent(session, 'alpha');
  return {session, agent, closed: once(session, 'close')};
}

/** @param {Agent} agent @returns {Promise<{role: RoleProcess<'server'>, pid: number}>} */
async function startServer(agent) {
  const role = new RoleProcess(agent.start('src/tcp-server.js', unpinned), 'server', 'alpha');
  role.send(/** @type {any} */ ({type: 'configure', options}));
  const {pid} = await role.waitFor(named('ready'), signal);
  return {role, pid};
}

/** @param {number} pid */
function runs(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('an agent', {timeout: 300_000, concurrency: true}, () => {
  it('relays to each of its roles what is for it, and how it ended', async () => {
    const {session, agent, closed} = startAgent();
    const [one, other] = await Promise.all([startServer(agent), startServer(agent)]);
    one.role.send({type: 'clock'});
    await one.role.waitFor(inPhase('clock'), signal);
    await one.role.stop();
    assert.match(String(one.role.failure), /server on alpha ended with exit code 0/);
    other.role.send({type: 'clock'});
    await other.role.waitFor(inPhase('clock'), signal);
    assert.equal(other.role.events.length, 0);
    process.kill(other.pid, 'SIGKILL');
    await other.role.exited;
    assert.match(String(other.role.failure), /server on alpha was killed by SIGKILL/);
    session.stdin.end();
    assert.deepEqual(await closed, [null, 'SIGKILL']);
  });

  it('ends a role that hangs when its own input ends', async () => {
    const {session, agent, closed} = startAgent();
    const {role, pid} = await startServer(agent);
    process.kill(pid, 'SIGSTOP');
    session.stdin.end();
    assert.deepEqual(await closed, [null, 'SIGKILL']);
    assert.equal(runs(pid), false);
    await role.exited;
  });

  it('ends when it hears nothing any more', async () => {
    const session = spawn(process.execPath, [script], {stdio: ['pipe', 'pipe', 'inherit']});
    session.stdout.resume();
    assert.deepEqual(await once(session, 'close'), [null, 'SIGKILL']);
  });

  it('leaves no role when it is killed, and each tells why', async () => {
    const {session, agent, closed} = startAgent();
    const servers = await Promise.all([startServer(agent), startServer(agent)]);
    session.kill('SIGKILL');
    await closed;
    for (const {role, pid} of servers) {
      await role.exited;
      assert.match(String(role.failure), /The ssh session with the host alpha ended\./);
      while (runs(pid)) await sleep(50);
    }
  });

  it('loses a command that its session no longer reads', async () => {
    const session = spawn('sh', ['-c', 'exec <&-; echo; exec sleep 60'], {stdio: ['pipe', 'pipe', 'pipe']});
    await once(session.stdout, 'readable');
    const agent = new Agent(session, 'alpha');
    const role = new RoleProcess(agent.start('src/tcp-server.js', unpinned), 'server', 'alpha');
    await sleep(500);
    session.kill('SIGKILL');
    await role.exited;
    assert.match(String(role.failure), /The ssh session with the host alpha ended\./);
  });

  it('is given up when it does not answer', async () => {
    const {session, agent, closed} = startAgent();
    const {role, pid} = await startServer(agent);
    session.kill('SIGSTOP');
    assert.deepEqual(await closed, [null, 'SIGKILL']);
    await role.exited;
    assert.match(String(role.failure), /The host alpha has not answered for 5 s/);
    assert.equal(/** @type {any} */ (role.failure).code, 'PB_HOST_LOST');
    while (runs(pid)) await sleep(50);
  });
});
