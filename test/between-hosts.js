#!/usr/bin/env node
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {makeNetwork} from './integration/support/network.js';

/**
 * Runs a command beside two hosts, near and far, with a link of a given rate between them: network namespaces of this host, with an OpenSSH
 * server each. PB_SSH_CONFIG in its environment leads there. The hosts are removed when this process ends, however it ends. It needs root.
 *
 * node test/between-hosts.js RATE COMMAND [PARAMETER]...
 * node test/between-hosts.js 100mbit npx perf-battle --client-on near --server-on far
 */
const [rate, command, ...parameters] = process.argv.slice(2);
const life = new AbortController();
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
  process.on(signal, () => life.abort(signal));

const network = await makeNetwork(['near', 'far']);
try {
  for (const name of Object.keys(network.hosts)) await network.limit(name, {rate});
  process.exitCode = await runBetween();
} finally {
  await network.close();
}

/** @returns {Promise<number>} its exit code */
async function runBetween() {
  const {signal} = life;
  const env = {...process.env, PB_SSH_CONFIG: network.sshConfig};
  const child = spawn(command, parameters, {stdio: 'inherit', env});
  if (signal.aborted) child.kill(signal.reason);
  signal.addEventListener('abort', () => child.kill(signal.reason));
  const [code] = await once(child, 'exit');
  return code ?? 1;
}
