import {setTimeout as sleep} from 'node:timers/promises';
import {UnavailableError} from '../errors.js';
import {SshConnection} from '../hosts/ssh-connection.js';

const pollMs = 5000;
const patienceMs = 10 * 60_000;
/** Where the user data of a host reports. */
const look =
  'cd /run/perf-battle 2>/dev/null || exit 0; for file in ready failed; do [ -e $file ] && echo $file && cat $file; done; exit 0';

/**
 * Waits until a host that boots has set itself up.
 * @param {string} name as ssh knows it
 * @param {string} config for ssh
 * @param {AbortSignal} signal
 * @returns {Promise<{hasBroker: boolean}>} whether RabbitMQ is installed there
 * @throws {UnavailableError} when it failed, or is not ready in time
 */
export async function untilReady(name, config, signal) {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const report = await ask(name, config, signal);
    signal.throwIfAborted();
    const [word, ...rest] = report instanceof Error ? [] : report.split('\n');
    if (word === 'ready') return {hasBroker: rest.includes('broker installed')};
    if (word === 'failed') throw unavailable(name, `could not set itself up: ${rest.join(' ').trim()}`);
    if (performance.now() >= deadline) {
      const minutes = patienceMs / 60_000;
      const last = report instanceof Error ? report.message : 'It has not reported that it is.';
      throw unavailable(name, `was not ready after ${minutes} minutes. ${last}`);
    }
    await sleep(pollMs, undefined, {signal}).catch(() => signal.throwIfAborted());
  }
}

/**
 * @param {string} name @param {string} config @param {AbortSignal} signal
 * @returns {Promise<string | Error>} what it reports; an error while it cannot be reached
 */
async function ask(name, config, signal) {
  const connection = new SshConnection(name, config);
  try {
    await connection.open(signal);
    return (await connection.run(look, {signal})).stdout;
  } catch (error) {
    return /** @type {Error} */ (error);
  } finally {
    await connection.close();
  }
}

/** @param {string} name @param {string} what */
function unavailable(name, what) {
  return new UnavailableError(`The host ${name} ${what}`, {code: 'PB_HOST_UNAVAILABLE'});
}
