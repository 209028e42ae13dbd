import {UsageError} from '../errors.js';
import {pauseUsage, readInstead, readUsage, resumeUsage, usageSince} from '../measure/usage.js';
import {loadRole} from '../workloads/load.js';
import {consumedBy} from './script.js';

/**
 * @import {ServerSettings} from '../messages.js'
 * @import {Serve, ServeSettings, Server, Transport} from '../transports/transport.js'
 * @import {Handler} from '../workloads/workload.js'
 * @import {Control} from './control-channel.js'
 * @import {Output, Role} from './script.js'
 */

/** How often a server by hand checks for something to report. */
const reportEveryMs = 250;

/**
 * Serves until stopped. The workload handles each request. Each further configuration gets a new handler on the same server.
 * @param {Role<ServerSettings & ServeSettings>} role @param {Pick<Transport, 'label'>} transport @param {Serve} serve
 */
export async function runServer({options, output, control, signal}, transport, serve) {
  const {server: loadHandler} = await loadRole(options.workload);
  if (!loadHandler) throw new UsageError(`The workload ${options.workload} has no server.`);
  const makeHandler = await loadHandler();
  const makeOwn = (/** @type {ServerSettings & ServeSettings} */ own) =>
    makeHandler({options: own, ...(control && {onConsumed: consumedBy(output)})});
  /** @type {Served} */
  const served = {count: 0, handler: await makeOwn(options)};
  const server = await serve({...options, ending: signal}, (request, reply) => {
    served.count += 1;
    served.handler.onRequest(request, reply);
  });
  if (control) reportToBattle(control, output, served, server);
  const reporting = control ? undefined : setInterval(() => reportByHand(output, served), reportEveryMs);
  const place = server.address ?? 'through its broker';
  const emitReady = () =>
    output.emit(
      {
        event: 'ready',
        address: server.address,
        pid: process.pid,
        details: server.details ?? {},
        certificate: server.certificate ?? null,
      },
      `${transport.label} server ready: ${place}. It serves until stopped (Ctrl-C).`,
    );
  const serveFurtherCells = async (/** @type {NonNullable<typeof control>} */ line) => {
    for (;;) {
      const {options: next} = await line.configurations.next();
      served.handler = await makeOwn(next);
      emitReady();
    }
  };
  emitReady();
  await untilStopped(server, signal, control && serveFurtherCells(control));
  clearInterval(reporting);
}

/** @typedef {{count: number, handler: Handler}} Served count: number of requests so far; handler: handler of the current cell */

/** @param {Output} output @param {Served} served */
function reportByHand(output, {handler}) {
  handler.reportByHand?.((text, report) =>
    output.emit({event: 'progress', phase: 'received', ...report}, text),
  );
}

/**
 * Answers each mark with the resources used and the requests served since the previous mark.
 * @param {Control<unknown>} control @param {Output} output @param {Served} served @param {Server} server
 */
function reportToBattle(control, output, served, {retransmissions, threads}) {
  if (threads) readInstead(threads);
  let before = readUsage();
  let servedBefore = served.count;
  let retransmittedBefore = retransmissions?.() ?? 0;
  let isPaused = false;
  control.onSlice = (isCounted) => {
    isPaused = !isCounted;
    (isPaused ? pauseUsage : resumeUsage)(before);
  };
  control.onMark = () => {
    const {handler} = served;
    const now = readUsage();
    const usage = usageSince(before, now);
    const report = handler.report?.() ?? null;
    const moments = handler.moments?.() ?? null;
    const requests = served.count - servedBefore;
    const retransmitted = retransmissions?.() ?? 0;
    output.emit({
      ...{event: 'progress', phase: 'mark', usage, served: requests, report, moments},
      retransmissions: retransmissions ? retransmitted - retransmittedBefore : null,
    });
    retransmittedBefore = retransmitted;
    before = now;
    if (isPaused) pauseUsage(before);
    servedBefore = served.count;
    handler.reset?.();
  };
  control.onCount = () => {
    const received = served.handler.received?.() ?? served.count - servedBefore;
    output.emit({event: 'progress', phase: 'count', received});
  };
}

/** @param {Server} server @param {AbortSignal} signal @param {Promise<never> | null} serving rejects when serving fails */
async function untilStopped(server, signal, serving) {
  try {
    await Promise.race([server.closed, aborted(signal), ...(serving ? [serving] : [])]);
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
