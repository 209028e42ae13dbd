import {readUsage, usageSince} from '../measure/usage.js';
import {runScript} from './script.js';

/**
 * Runs a server's script: serve, echo every request, until stopped.
 *
 * @param {string} scriptUrl
 * @param {import('../transports/index.js').Transport} transport
 * @param {(options: any, onRequest: import('../transports/index.js').OnRequest) => Promise<import('../transports/index.js').Server>} serve
 */
export async function runServerScript(scriptUrl, transport, serve) {
  await runScript(scriptUrl, transport, async ({options, output, control, signal}) => {
    const served = {count: 0};
    const server = await serve(options, (request, reply) => {
      served.count += 1;
      reply.end(request);
    });
    if (control) reportUsage(control, output, served);
    const place = server.address ?? 'its queue on the broker';
    output.emit(
      'ready',
      {address: server.address, pid: process.pid, details: server.details ?? {}},
      `${transport.label} server ready: ${place}. It serves until stopped (Ctrl-C).`,
    );
    await untilAsked(server, signal);
  });
}

/**
 * Each mark on the control line tells what was used, and how many requests were served, since the mark before.
 * @param {import('./control-line.js').ControlLine} control
 * @param {import('./output.js').Output} output
 * @param {{count: number}} served
 */
function reportUsage(control, output, served) {
  let before = readUsage();
  let servedBefore = served.count;
  control.onMark = () => {
    const now = readUsage();
    const usage = usageSince(before, now);
    output.emit('progress', {phase: 'mark', usage, served: served.count - servedBefore});
    before = now;
    servedBefore = served.count;
  };
}

/** @param {import('../transports/index.js').Server} server @param {AbortSignal} signal */
async function untilAsked(server, signal) {
  try {
    await Promise.race([server.closed, aborted(signal)]);
  } finally {
    await server.close();
  }
}

/** @param {AbortSignal} signal @returns {Promise<void>} */
function aborted(signal) {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), {once: true});
  });
}
