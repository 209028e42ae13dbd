#!/usr/bin/env node
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {provisionBroker} from '../src/brokers/provision.js';
import {rabbitmq} from '../src/brokers/rabbitmq/index.js';

/**
 * Runs a command beside a private RabbitMQ node, which TEST_BROKER in its environment describes. Test files share that node: a start takes
 * seconds of CPU. The broker ends with this process, however that ends.
 *
 * node scripts/with-broker.js COMMAND [PARAMETER]...
 */
const [command, ...parameters] = process.argv.slice(2);
const life = new AbortController();
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
  process.on(signal, () => life.abort(signal));
const {signal} = life;

const {connection, pid, release} = await provisionBroker(rabbitmq, {
  choice: 'private',
  given: null,
  log: () => {},
  signal,
});
try {
  process.exitCode = await runBesideBroker();
} finally {
  await release();
}

/** @returns {Promise<number>} its exit code */
async function runBesideBroker() {
  const env = {...process.env, TEST_BROKER: JSON.stringify({connection, pid})};
  // Linux shares the CPU among sessions. In the session of compilers and tests, the broker once answered after 20 s.
  const child = spawn(command, parameters, {stdio: 'inherit', env, detached: true});
  signal.addEventListener('abort', () => child.kill(signal.reason));
  const [code] = await once(child, 'exit');
  return code ?? 1;
}
