import {setTimeout as sleep} from 'node:timers/promises';
import {UnavailableError} from '../errors.js';
import {SshConnection} from '../hosts/ssh-connection.js';

const pollMs = 5000;
const timeoutMs = 10 * 60_000;
/** A host that boots may refuse a key for a moment. After this many refusals in a row, booting is not the cause. */
const maxLastingFailures = 3;
/** Prints the files in which the user data of a host reports. */
const readReport =
  'cd /run/perf-battle 2>/dev/null || exit 0; for file in ready failed; do [ -e $file ] && echo $file && cat $file; done; exit 0';

/**
 * Waits until the set-up of a booting host is complete.
 * @param {string} name of the host in the ssh configuration
 * @param {string} config the ssh configuration file
 * @param {AbortSignal} signal
 * @returns {Promise<{hasBroker: boolean}>} whether the broker is installed there
 * @throws {UnavailableError} when the set-up failed or did not finish in time
 */
export async function waitUntilReady(name, config, signal) {
  const deadline = performance.now() + timeoutMs;
  let lastingFailures = 0;
  for (;;) {
    const {report, error, isLasting} = await fetchReport(name, config, signal);
    signal.throwIfAborted();
    const [status, ...lines] = report.split('\n');
    if (status === 'ready') return {hasBroker: lines.includes('broker installed')};
    if (status === 'failed') throw unavailable(name, `failed to set itself up: ${lines.join(' ').trim()}`);
    lastingFailures = isLasting ? lastingFailures + 1 : 0;
    if (error && lastingFailures >= maxLastingFailures) throw error;
    if (performance.now() >= deadline) {
      const last = error?.message ?? 'Its set-up has not finished.';
      throw unavailable(name, `was not ready after ${timeoutMs / 60_000} minutes. ${last}`);
    }
    await sleep(pollMs, undefined, {signal}).catch(() => signal.throwIfAborted());
  }
}

/**
 * @param {string} name @param {string} config @param {AbortSignal} signal
 * @returns {Promise<{report: string, error: Error | null, isLasting: boolean}>} error: why the host cannot be reached; isLasting: another
 *   attempt would fail, too
 */
async function fetchReport(name, config, signal) {
  const connection = new SshConnection(name, config);
  try {
    await connection.open(signal);
    return {report: (await connection.run(readReport, {signal})).stdout, error: null, isLasting: false};
  } catch (error) {
    return {report: '', error: /** @type {Error} */ (error), isLasting: connection.failsAlways};
  } finally {
    await connection.close();
  }
}

/** @param {string} name @param {string} failure */
function unavailable(name, failure) {
  return new UnavailableError(`The host ${name} ${failure}`, {code: 'PB_HOST_UNAVAILABLE'});
}
