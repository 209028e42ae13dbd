import {randomBytes} from 'node:crypto';
import {createInterface} from 'node:readline';

/**
 * What perf-battle expects of two programs, a server and a client: JSON lines on standard input and output (perf-battle help adapter-contract).
 *
 *     import {run, served} from './perf-battle.js';
 *     run({serve, connect});
 *
 * serve(host, port) starts a server and resolves with its address and port; the server calls served() for each request. connect(host, port, timeoutMs)
 * resolves with a function that sends a request, a Buffer, and resolves with its reply.
 */

let count = 0;

export function served() {
  count += 1;
}

/**
 * @typedef {(request: Buffer) => Promise<Buffer>} Ask
 *
 * @param {{
 *   serve: (host: string | undefined, port: number) => Promise<{address: string, port: number}>,
 *   connect: (host: string, port: number, timeoutMs: number) => Promise<Ask>,
 * }} program
 */
export async function run(program) {
  try {
    await answer(program);
    process.exit(0);
  } catch (error) {
    write('error', {message: String(error)});
    process.exitCode = 1;
    process.stdin.destroy();
    setTimeout(() => process.exit(1), 1000).unref();
  }
}

/** @param {string} event @param {object} [fields] */
function write(event, fields = {}) {
  process.stdout.write(`${JSON.stringify({event, ...fields})}\n`);
}

/** Ends this program with its input, and after 5 s without a line: then the battle is gone. */
async function* control() {
  const lines = createInterface({input: process.stdin});
  const end = () => process.exit(0);
  let timer = setTimeout(end, 6000);
  /** @type {any[]} */
  const messages = [];
  let wake = () => {};
  lines.on('line', (line) => {
    clearTimeout(timer);
    timer = setTimeout(end, 6000);
    messages.push(JSON.parse(line));
    wake();
  });
  lines.on('close', end);
  for (;;) {
    while (messages.length > 0) yield messages.shift();
    await new Promise((resolve) => {
      wake = () => resolve(null);
    });
  }
}

/** @param {{address: string, port: number}} of a server, whose address may be of IPv6 */
const join = ({address, port}) => `${address.includes(':') ? `[${address}]` : address}:${port}`;

/** @param {Parameters<typeof run>[0]} program */
async function answer({serve, connect}) {
  const isServer = process.argv[2] === 'server';
  /** @type {any} */
  let settings = null;
  /** @type {string | null} */
  let address = null;
  /** @type {Ask | null} */
  let ask = null;
  let discarded = 0;
  for await (const {type, options} of control()) {
    if (type === 'stop') return;
    if (type === 'configure') {
      if (options.workload !== 'rtt' || (options.reply ?? 'echo') !== 'echo')
        throw new Error('this program measures round trips with echoes only');
      settings = options;
      if (isServer) {
        address ??= join(await serve(options.listenAddress ?? undefined, options.serverPort));
        write('ready', {address});
      } else {
        const [, host, port] = /^\[?(.*?)\]?:(\d+)$/.exec(options.servers[0]) ?? [];
        ask ??= await connect(host, Number(port), options.timeoutMs);
        write('ready');
      }
    } else if (type === 'mark') {
      write('progress', {phase: 'mark', served: count});
      count = 0;
    } else if (type === 'start' && ask) {
      discarded = 0;
      for (const part of settings.warmUp) discarded += (await exchange(ask, part)).samplesNs.length;
      write('progress', {phase: 'warm'});
    } else if (type === 'go' && ask) {
      const {samplesNs, corrupted} = await exchange(ask, settings);
      write('progress', {phase: 'measured'});
      const received = samplesNs.length;
      write('result', {samplesNs, received, verified: received, corrupted, discarded});
    }
  }
}

/**
 * Round trips one after the other. Only the request and its reply are timed; every byte of a reply is compared.
 * @param {Ask} ask
 * @param {{samples: number | null, durationMs: number | null, payloadBytes: number}} part
 */
async function exchange(ask, {samples, durationMs, payloadBytes}) {
  const end = performance.now() + (durationMs ?? Number.POSITIVE_INFINITY);
  const samplesNs = [];
  let corrupted = 0;
  while (samplesNs.length < (samples ?? Number.POSITIVE_INFINITY) && performance.now() < end) {
    const request = randomBytes(payloadBytes);
    const before = process.hrtime.bigint();
    const reply = await ask(request);
    samplesNs.push(Number(process.hrtime.bigint() - before));
    if (!request.equals(reply)) corrupted += 1;
  }
  return {samplesNs, corrupted};
}
