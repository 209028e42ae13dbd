import {open, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {untilAborted} from '../../measure/bounds.js';
import {launchChild} from '../child.js';
import {lastLines} from '../server-process.js';

import {nodeEnvironment, pathsIn} from './settings.js';
import {startFailed} from './start-failed.js';

/**
 * @import {UnavailableError} from '../../errors.js'
 * @import {Programs} from './installation.js'
 * @import {RunningNode} from './node.js'
 * @import {NodeSettings} from './settings.js'
 */

const formedWithinS = 60;

/**
 * Waits until each of these nodes sees the whole cluster run.
 * @param {readonly RunningNode[]} nodes
 * @param {number} size of the cluster
 * @param {Programs} programs
 * @param {AbortSignal} signal
 * @throws {UnavailableError} with the name of a node that does not, and the tail of its log
 */
export async function untilFormed(nodes, size, programs, signal) {
  await Promise.all(nodes.map(({settings}) => untilSeen(settings, size, programs, signal)));
}

/**
 * @param {NodeSettings} settings
 * @param {number} size
 * @param {Programs} programs
 * @param {AbortSignal} signal
 */
async function untilSeen(settings, size, {control, setpriv}, signal) {
  const {name, folder, password} = settings;
  const {log} = pathsIn(folder);
  const asked = ['await_online_nodes', String(size), '--timeout', String(formedWithinS)];
  const said = join(folder, 'rabbitmqctl.log');
  const output = await open(said, 'w', 0o600);
  const command = [control, '--longnames', '--node', name, ...asked];
  const env = nodeEnvironment(settings);
  const child = launchChild('rabbitmqctl', command, {setpriv, cwd: folder, env, output: output.fd});
  try {
    if (await untilAborted(child.succeeded, signal)) return;
    const answer = (await readFile(said, 'utf8')).trim();
    throw startFailed(
      `${name} did not find ${size} running nodes in its cluster; ${await child.ended}: ${answer}\n${await lastLines({log, secret: password})}`,
    );
  } finally {
    await child.end();
    await output.close();
  }
}
