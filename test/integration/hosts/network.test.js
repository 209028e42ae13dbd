import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {readdir, readFile, writeFile} from 'node:fs/promises';
import {connect, createServer} from 'node:net';
import {basename, dirname, join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {makeNetwork} from '../support/network.js';
import {mustRun, run} from '../support/network-commands.js';

/**
 * @import {Host, Network} from '../support/network.js'
 * @import {AddressInfo} from 'node:net'
 */

const names = ['alpha', 'beta', 'gamma'];
const sshPort = 2222;
const clearedWithinMs = 8000;

/** Prints how many ms 5 MB took each way. @param {string} address @param {number} port */
const transfer = (address, port) => `
const {connect} = require('node:net');
const received = connect(${port}, '${address}');
let bytes = 0;
let since;
received.once('connect', () => { since = performance.now(); received.write('s'); });
received.on('data', ({length}) => {
  bytes += length;
  if (bytes < 5e6) return;
  console.log(performance.now() - since);
  received.destroy();
  const sent = connect(${port}, '${address}');
  sent.once('connect', () => { since = performance.now(); sent.write(Buffer.alloc(5e6, 'r')); });
  sent.once('data', () => { console.log(performance.now() - since); sent.destroy(); });
});`;

/** Connects, and exits with 0 when it could. @param {string} address @param {number} port */
const reach = (address, port) => `
const socket = require('node:net').connect({port: ${port}, host: '${address}', timeout: 1000});
socket.once('connect', () => process.exit(0)).once('timeout', () => process.exit(1)).once('error', () => process.exit(2));`;

describe('test hosts', {timeout: 900_000}, () => {
  /** @type {Network} */
  let network;
  /** @type {{port: number, close: () => void}} */
  let gateway;
  before(async () => {
    network = await makeNetwork(names);
    gateway = await serveTransfers(network.gateway);
  });
  after(async () => {
    gateway?.close();
    await network?.close();
  });

  it('are reached by ssh, each by its name, and have Node.js', async () => {
    for (const name of names) {
      const {code, stdout, stderr} = await ssh(name, 'hostname; node --version; echo "$HOME $PWD"');
      assert.deepEqual({code, stderr}, {code: 0, stderr: ''});
      assert.equal(stdout, `${name}\n${process.version}\n/root /root\n`);
    }
  });

  it('reach each other and this host', async () => {
    for (const name of names) {
      const others = Object.values(network.hosts).filter((host) => host.name !== name);
      for (const {address} of others) assert.equal(await reaches(name, address, sshPort), true);
      assert.equal(await reaches(name, network.gateway, gateway.port), true);
    }
  });

  it('have their own home and /tmp, visible from here, and no access to the checkout', async () => {
    await ssh('alpha', 'echo home > ~/left; echo tmp > /tmp/left');
    const {home, tmp} = network.hosts.alpha;
    assert.equal(await readFile(join(home, 'left'), 'utf8'), 'home\n');
    assert.equal(await readFile(join(tmp, 'left'), 'utf8'), 'tmp\n');
    await writeFile(join(tmp, 'given'), 'given\n');
    assert.equal((await ssh('alpha', 'cat /tmp/given')).stdout, 'given\n');
    const checkout = join(import.meta.dirname, '../../..');
    assert.equal((await ssh('beta', 'ls -A ~ /tmp')).stdout, '/root:\n\n/tmp:\n');
    // In a checkout below /tmp there is not even its folder.
    assert.equal((await ssh('beta', `ls -A '${checkout}'`)).stdout, '');
    assert.equal(existsSync('/tmp/left'), false);
  });

  it('list their processes, without those of sshd', async () => {
    assert.deepEqual(await network.processesOf('alpha'), []);
    const session = ssh('alpha', 'sleep 300');
    const [{pid}] = await runningOn(network, 'alpha', ['sleep 300']);
    assert.deepEqual(await network.processesOf('beta'), []);
    process.kill(pid);
    await session;
    assert.deepEqual(await network.processesOf('alpha'), []);
    const inside = network.run('beta', 'sleep', ['301']);
    const [other] = await runningOn(network, 'beta', ['sleep 301']);
    process.kill(other.pid);
    assert.equal((await inside).code, null);
  });

  it('run a program without ssh', async () => {
    const script = 'hostname; echo "$HOME $1"; echo no >&2; exit 3';
    const outcome = await network.run('gamma', 'sh', ['-c', script, 'sh', 'a b']);
    assert.deepEqual(outcome, {code: 3, stdout: 'gamma\n/root a b\n', stderr: 'no\n'});
  });

  it('can be disconnected and connected again', async () => {
    const {address} = network.hosts.beta;
    const socket = connect(sshPort, address).setEncoding('utf8');
    await once(socket, 'data');
    await network.cutOff('beta');
    assert.equal(await reaches('alpha', address, sshPort), false);
    assert.equal(await reaches('alpha', network.hosts.gamma.address, sshPort), true);
    socket.write('cut off\r\n');
    const answered = once(socket, 'data');
    assert.equal(await Promise.race([answered, sleep(500, 'nothing')]), 'nothing');
    await network.reconnect('beta');
    assert.equal(await reaches('alpha', address, sshPort), true);
    // What was sent during that time arrives late, and sshd's complaint about it comes back.
    assert.match(String(await answered), /Invalid SSH identification/);
    socket.destroy();
  });

  it('can be limited to a rate', async () => {
    // A disturbance only makes a transfer slower, so the fastest of several shows the rate of the link.
    const transfers = async (/** @type {string} */ host) => {
      /** @type {number[][]} */
      const all = [];
      for (let transfer = 1; transfer <= 4; transfer += 1) all.push(await transferMs(host));
      return all;
    };
    const fastestOf = (/** @type {number[][]} */ all) =>
      [0, 1].map((way) => Math.min(...all.map((ms) => ms[way])));
    const fastest = async (/** @type {string} */ host) => fastestOf(await transfers(host));
    await network.limit('alpha', {rate: '40mbit'});
    const limited = await transfers('alpha');
    for (const ms of limited.flat()) assert.ok(ms >= 800, `5 MB took ${ms} ms`);
    for (const ms of fastestOf(limited)) assert.ok(ms <= 1200, `5 MB took ${ms} ms`);
    for (const ms of await fastest('beta')) assert.ok(ms < 600, `5 MB took ${ms} ms`);
    await network.unlimit('alpha');
    for (const ms of await fastest('alpha')) assert.ok(ms < 600, `5 MB took ${ms} ms`);
    await network.unlimit('alpha');
  });

  it('can get a host key that is unknown', async () => {
    await network.changeHostKey('gamma');
    const {code, stderr} = await ssh('gamma', 'hostname');
    assert.equal(code, 255);
    assert.match(stderr, /REMOTE HOST IDENTIFICATION HAS CHANGED/);
    assert.equal((await ssh('alpha', 'hostname')).stdout, 'alpha\n');
    assert.equal((await network.run('gamma', 'hostname')).stdout, 'gamma\n');
  });

  /** @param {string} name @param {string} command */
  function ssh(name, command) {
    return run('ssh', ['-F', network.sshConfig, '-o', 'BatchMode=yes', name, command]);
  }

  /** @param {string} name @param {string} address @param {number} port */
  async function reaches(name, address, port) {
    return (await network.run(name, 'node', ['-e', reach(address, port)])).code === 0;
  }

  /** @param {string} name */
  async function transferMs(name) {
    const {stdout} = await network.run(name, 'node', ['-e', transfer(network.gateway, gateway.port)]);
    return stdout.trim().split('\n').map(Number);
  }
});

describe('removed test hosts', {timeout: 1_200_000}, () => {
  it('leave nothing behind when they are closed, once or twice', async () => {
    const network = await makeNetwork(['alpha', 'beta']);
    const traces = tracesOf(network);
    const script = 'setsid sleep 300 & setsid sleep 301 & wait';
    const left = network.run('alpha', 'sh', ['-c', script]);
    try {
      await network.changeHostKey('beta');
      await runningOn(network, 'alpha', [`sh -c ${script}`, 'sleep 300', 'sleep 301']);
      // A bridge and a folder, two links, namespaces and servers, and three processes.
      assert.equal((await traces.left()).length, 11, String(await traces.left()));
    } finally {
      await network.close();
    }
    await network.close();
    assert.deepEqual(await traces.left(), []);
    assert.equal((await left).code, null);
  });

  it('leave nothing behind when only a part of them could be created', async () => {
    // The second namespace with the same name cannot be created.
    await assert.rejects(makeNetwork(['alpha', 'alpha']), /ip netns add .*File exists/);
    assert.deepEqual(await supervisorsOf(process.pid), []);
  });

  it('leave nothing behind when the tests are killed', async () => {
    const {child, traces} = await makeElsewhere();
    child.kill('SIGKILL');
    assert.deepEqual(await traces.leftSoon(), []);
  });

  it('are removed by a later supervisor when their own was killed too', async () => {
    const {child, traces} = await makeElsewhere();
    const [supervisor] = await supervisorsOf(/** @type {number} */ (child.pid));
    process.kill(supervisor, 'SIGKILL');
    child.kill('SIGKILL');
    await once(child, 'close');
    await (await makeNetwork(['alpha'])).close();
    assert.deepEqual(await traces.left(), []);
  });
});

/**
 * Sends 5 MB on request, and confirms when 5 MB have arrived.
 * @param {string} address
 */
async function serveTransfers(address) {
  const server = createServer((socket) => {
    let bytes = 0;
    socket.on('error', () => {});
    socket.on('data', (data) => {
      bytes += data.length;
      if (data.toString('latin1', 0, 1) === 's') socket.write(Buffer.alloc(5e6));
      if (bytes === 5e6) socket.write('all');
    });
  }).listen(0, address);
  await once(server, 'listening');
  const {port} = /** @type {AddressInfo} */ (server.address());
  return {port, close: () => server.close()};
}

/**
 * Waits until exactly these processes run there.
 * @param {Network} network
 * @param {string} name
 * @param {string[]} commands
 */
async function runningOn(network, name, commands) {
  const deadline = Date.now() + 5000;
  for (;;) {
    const processes = await network.processesOf(name);
    const found = processes.map(({command}) => command);
    if (Date.now() > deadline) assert.deepEqual(found, commands);
    if (String(found) === String(commands)) return processes;
    await sleep(20);
  }
}

/** Creates a network in another process. */
async function makeElsewhere() {
  const support = new URL('../support/network.js', import.meta.url);
  const script = `
    const {makeNetwork} = await import('${support}');
    const {hosts, sshConfig} = await makeNetwork(['alpha', 'beta']);
    console.log(JSON.stringify({hosts, sshConfig}));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of child.stdout.setEncoding('utf8').iterator({destroyOnReturn: false}))
    return {child, traces: tracesOf(JSON.parse(line))};
  throw new Error('The process that makes the network ended.');
}

/** @param {number} parent @returns {Promise<number[]>} */
async function supervisorsOf(parent) {
  const children = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8');
  const pids = children.split(' ').filter(Boolean).map(Number);
  const commands = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return pids.filter((_, index) => commands[index].includes('network-supervisor.js'));
}

/**
 * All traces of a network on this system.
 * @param {{hosts: Record<string, Host>, sshConfig: string}} network
 */
function tracesOf({hosts, sshConfig}) {
  const folder = dirname(dirname(sshConfig));
  const bridge = Object.values(hosts)[0].link.replace(/-\d+$/, '');
  return {left, leftSoon};

  async function left() {
    const isIts = (/** @type {string} */ name) => name === bridge || name.startsWith(`${bridge}-`);
    const links = (await readdir('/sys/class/net')).filter(isIts);
    const namespaces = (await mustRun('ip', 'netns')).split('\n').filter(isIts);
    const folders = [folder].filter((path) => existsSync(path));
    return [...links, ...namespaces, ...folders, ...(await processesLeft())];
  }

  /** Their mounts name the folder, also once it is removed; not its parent, which may be a file system of its own. */
  async function processesLeft() {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const mounts = await Promise.all(
      pids.map((pid) => readFile(`/proc/${pid}/mountinfo`, 'utf8').catch(() => '')),
    );
    return pids
      .filter((_, index) => mounts[index].includes(`/${basename(folder)}/`))
      .map((pid) => `process ${pid}`);
  }

  async function leftSoon() {
    const deadline = Date.now() + clearedWithinMs;
    while ((await left()).length > 0 && Date.now() < deadline) await sleep(50);
    return await left();
  }
}
