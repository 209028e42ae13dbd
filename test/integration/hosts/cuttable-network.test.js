import assert from 'node:assert/strict';
import {execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {networkInterfaces} from 'node:os';
import {describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {promisify} from 'node:util';
import {CuttableNetwork} from '../../../src/hosts/cuttable-network.js';
import {networkNamespacesOf, processesInNetworkNamespaces} from '../support/namespaces.js';

/** @import {LocalHost} from '../../../src/hosts/local.js' */

const source = new URL('../../../src/', import.meta.url);

/** Starts a script of Node.js on a host, whose standard output is read. @param {LocalHost} host @param {string} script */
function startOn(host, script) {
  const [file, ...words] = [...host.into, process.execPath, '-e', script];
  const child = spawn(file, words, {stdio: ['pipe', 'pipe', 'inherit']});
  child.stdout.setEncoding('utf8');
  return child;
}

const server = `
  require('node:net').createServer((socket) => socket.pipe(socket)).listen(7000, '198.18.0.1', () => console.log('up'));
  process.stdin.resume().once('end', () => process.exit());`;
/** Says when its connection is there, or why not. */
const client = `
  require('node:net').connect(7000, '198.18.0.1').once('connect', () => console.log('connected')).once('error', ({code}) => console.log(code));
  console.log('connecting');
  process.stdin.resume().once('end', () => process.exit());`;

describe('a network that can be cut', {timeout: 180_000}, () => {
  it('is silent while it is cut: what is sent is sent again later, and nothing fails', async () => {
    const network = await CuttableNetwork.open();
    const ends = [startOn(network.far, server)];
    try {
      await once(ends[0].stdout, 'data');
      await network.cut();
      const connecting = startOn(network.near, client);
      ends.push(connecting);
      let said = '';
      connecting.stdout.on('data', (text) => {
        said += text;
      });
      await once(connecting.stdout, 'data');
      const holders = Object.values(network.holders).map(({pid}) => pid);
      const namespaces = networkNamespacesOf(holders);
      assert.equal(namespaces.size, 2);
      await sleep(300);
      assert.equal(said, 'connecting\n');
      assert.ok(!Object.keys(networkInterfaces()).includes('link0'));
      await network.mend();
      while (said === 'connecting\n') await once(connecting.stdout, 'data');
      assert.equal(said, 'connecting\nconnected\n');
      for (const end of ends) end.stdin.end();
      await Promise.all(ends.map((end) => once(end, 'close')));
      await network.close();
      assert.deepEqual(processesInNetworkNamespaces(namespaces), []);
    } finally {
      for (const end of ends) end.kill('SIGKILL');
      await network.close();
    }
  });

  it('is not there for a root who may not change networks, nor are connections reset; what is missing is said', async () => {
    const script = `
      import {whyNoNetwork} from '${new URL('hosts/cuttable-network.js', source)}';
      import {whyNoCut} from '${new URL('session/faults/cut-connections.js', source)}';
      console.log(JSON.stringify([await whyNoNetwork(), await whyNoCut()]));`;
    const less = ['--bounding-set=-net_admin', '--inh-caps=-net_admin'];
    const words = [...less, process.execPath, '--input-type=module', '-e', script];
    const {stdout} = await promisify(execFile)('setpriv', words);
    const [noNetwork, noCut] = JSON.parse(stdout);
    assert.match(noNetwork, /^root, ip and tc of iproute2, .*; a try failed: .*not permitted/);
    assert.equal(noCut, 'root, ss of iproute2, and a kernel with CONFIG_INET_DIAG_DESTROY');
  });
});
