import {readFile} from 'node:fs/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import {freePort} from '../integration/support/ports.js';
import {Workplace} from '../integration/support/workplace.js';
import {beHostile, clientHostilities} from './hostile-clients.js';
import {serverHostilities, startHostileServer} from './hostile-servers.js';

/**
 * @import {Program} from '../integration/support/program.js'
 * @import {Part, Torture} from './part.js'
 *
 * @typedef {{transport: string, library: string, environment: Record<string, string>}} Script
 * @typedef {{what: string, peakMebibytes: number, faults: string[]}} Met what became of a script that met a hostile peer
 */

const maxMebibytes = 300;
const mebibyte = 1024 ** 2;
/** A client gives up after three timeouts, and may try to connect again after each. */
const maxSeconds = 20;

/** @type {readonly Script[]} */
const clients = [
  {transport: 'tcp', library: '', environment: {}},
  {transport: 'websocket', library: '', environment: {}},
  ...['undici', 'node', 'fetch'].map((library) => ({
    ...{transport: 'http', library},
    environment: {PB_HTTP_CLIENT: library},
  })),
];

/** @type {readonly Script[]} */
const servers = [
  {transport: 'tcp', library: '', environment: {}},
  {transport: 'websocket', library: '', environment: {}},
  ...['express', 'node'].map((library) => ({
    ...{transport: 'http', library},
    environment: {PB_HTTP_SERVER: library},
  })),
];

/**
 * A hostile peer ends a client with a clear error, and harms no server. Neither takes much memory.
 * @type {Part}
 */
export const peers = {
  name: 'peers',
  summary: `servers and clients that boast, flood, fall silent, hang up, do not read: does a script take ${maxMebibytes} MB?`,
  run: meetAll,
};

/** @param {Torture} torture */
async function meetAll({isLong, log}) {
  const workplace = await Workplace.make();
  /** @type {Met[]} */
  const all = [];
  const note = (/** @type {Met} */ met) => {
    log(`${met.what}: ${met.peakMebibytes} MB ${met.faults.join(' ')}`);
    all.push(met);
  };
  try {
    for (const [client, hostility] of pairsOf(clients, serverHostilities, isLong)) {
      const server = await startHostileServer(client.transport, hostility);
      note(await clientMeets(workplace, client, {hostility, port: server.port}));
      server.close();
    }
    for (const [server, hostility] of pairsOf(servers, clientHostilities, isLong))
      note(await serverMeets(workplace, server, {hostility, isLong}));
  } finally {
    await workplace.clear();
  }
  return {
    counts: {
      'hostile servers': all.filter(({what}) => what.includes('-client')).length,
      'hostile clients': all.filter(({what}) => what.includes('-server')).length,
      'largest peak of memory': `${Math.max(...all.map(({peakMebibytes}) => peakMebibytes))} MB`,
    },
    failures: all.flatMap(({what, faults}) => faults.map((fault) => `${what}: ${fault}`)),
  };
}

/**
 * @template Hostility
 * @param {readonly Script[]} scripts
 * @param {readonly Hostility[]} hostilities
 * @param {boolean} isLong each with each; otherwise each once
 * @returns {[Script, Hostility][]}
 */
function pairsOf(scripts, hostilities, isLong) {
  if (isLong) return scripts.flatMap((script) => hostilities.map((hostility) => [script, hostility]));
  return hostilities.map((hostility, index) => [scripts[index % scripts.length], hostility]);
}

/**
 * @param {Workplace} workplace
 * @param {Script} client
 * @param {{hostility: string, port: number}} server
 * @returns {Promise<Met>}
 */
async function clientMeets(workplace, {transport, library, environment}, {hostility, port}) {
  const program = workplace.start(`${transport}-client`, [], {
    ...environment,
    ...{PB_SERVER_PORT: String(port), PB_SERVER_HOST: '127.0.0.1', PB_TIMEOUT: '500ms'},
    ...{PB_CONNECT_TIMEOUT: '0', PB_SAMPLES: '50', PB_PAYLOAD_BYTES: '100kb'},
  });
  const peak = watchMemory(program);
  const ended = await Promise.race([program.ended, sleep(maxSeconds * 1000, null, {ref: false})]);
  if (!ended) program.child.kill('SIGKILL');
  const faults = ended
    ? [
        ...(ended.code === 1 ? [] : [`ended with exit code ${ended.code}`]),
        ...(/^perf-battle: [^\n]+\n$/.test(ended.stderr)
          ? []
          : [`said ${JSON.stringify(ended.stderr.slice(0, 300))}`]),
      ]
    : [`still ran after ${maxSeconds} s`];
  return judge(`${transport}-client ${library} whose server ${hostility}`, await peak, faults);
}

/**
 * @param {Workplace} workplace
 * @param {Script} server
 * @param {{hostility: typeof clientHostilities[number], isLong: boolean}} client
 * @returns {Promise<Met>}
 */
async function serverMeets(workplace, {transport, library, environment}, {hostility, isLong}) {
  const port = await freePort();
  const shared = {...environment, PB_SERVER_PORT: String(port)};
  const program = workplace.start(`${transport}-server`, [], shared);
  const peak = watchMemory(program);
  await program.says(/server ready/);
  for (let times = 0; times < (isLong ? 5 : 1); times += 1)
    await beHostile(transport, hostility, {port, maxBytes: (isLong ? 600 : 400) * mebibyte});
  const good = await workplace.run(`${transport}-client`, [], {
    ...{PB_SERVER_PORT: String(port), PB_SERVER_HOST: '127.0.0.1', PB_CONNECT_TIMEOUT: '0'},
    ...{PB_SAMPLES: '20', PB_WARMUP: '5'},
  });
  program.child.kill('SIGTERM');
  await program.ended;
  const faults = good.code === 0 ? [] : [`serves no more: ${good.stderr}`];
  return judge(`${transport}-server ${library} whose client ${hostility}`, await peak, faults);
}

/** @param {string} what @param {number} peakBytes @param {string[]} faults @returns {Met} */
function judge(what, peakBytes, faults) {
  const peakMebibytes = Math.round(peakBytes / mebibyte);
  const isLarge = peakMebibytes >= maxMebibytes;
  return {
    what: what.replace('  ', ' '),
    peakMebibytes,
    faults: [...faults, ...(isLarge ? [`took ${peakMebibytes} MB`] : [])],
  };
}

/** @param {Program} program @returns {Promise<number>} the largest resident memory, in bytes */
async function watchMemory({child, pid}) {
  let peakBytes = 0;
  while (child.exitCode === null && child.signalCode === null) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
    if (kibibytes !== undefined) peakBytes = Math.max(peakBytes, Number(kibibytes) * 1024);
    await sleep(10);
  }
  return peakBytes;
}
