import {connect} from 'node:net';
import {TimeLimitError, within} from '../../measure/bounds.js';
import {loopbackAddress} from '../../measure/loopback.js';
import {launchChild, poll, startFailed} from '../server-process.js';
import {portMapperEnvironment} from './settings.js';

/**
 * @import {UnavailableError} from '../../errors.js'
 * @import {Child} from '../server-process.js'
 */

/** A length of one byte, and the request `n`: https://www.erlang.org/doc/apps/erts/erl_dist_protocol.html */
const NAMES_REQUEST = Buffer.from([0, 1, 0x6e]);
/** It starts in some milliseconds. On a busy host it may take seconds. */
const answerMs = 20_000;

/**
 * Starts Erlang's port mapper daemon in the foreground, for the nodes of one broker on this host.
 * @param {{epmd: string, setpriv: string | null}} programs
 * @param {{home: string, address: string, port: number}} mapper address: under which other hosts reach it; it always listens on loopback too
 * @param {number} output the file descriptor for what it prints
 */
export function launchEpmd({epmd, setpriv}, mapper, output) {
  const command = [epmd, '-port', String(mapper.port), '-address', mapper.address];
  const env = portMapperEnvironment(mapper);
  return launchChild('epmd', command, {setpriv, cwd: mapper.home, env, output});
}

/**
 * Waits until it answers.
 * @param {Child} epmd
 * @param {number} port
 * @param {AbortSignal} signal
 * @throws {UnavailableError} when it ends instead, or does not answer within 20 s
 */
export async function untilListening(epmd, port, signal) {
  try {
    await within(answerMs, signal, (soon, giveUp) => {
      // It logs nothing unless asked. When it ends at once, the cause is nearly always a port in use.
      epmd.ended.then((reason) =>
        giveUp(startFailed('RabbitMQ', `${reason}: port ${port} seems to be in use already`)),
      );
      return poll(soon, () => askForNames(port));
    });
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error;
    throw startFailed('RabbitMQ', `epmd did not answer on port ${port} within ${answerMs / 1000} s`);
  }
}

/** epmd logs a connection that asks nothing as an error. @param {number} port @returns {Promise<void>} */
async function askForNames(port) {
  await new Promise((resolve, reject) => {
    const socket = connect(port, loopbackAddress(), () => socket.write(NAMES_REQUEST));
    socket.once('error', reject);
    socket.once('close', reject);
    socket.once('data', () => {
      resolve(null);
      socket.destroy();
    });
  });
}
