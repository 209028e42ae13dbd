/** A small transport and a small workload, as someone would add them: the files by their path, and what the registry lists. */

/**
 * @typedef {object} Addition
 * @property {string} name
 * @property {Record<string, string>} files new ones, by path
 * @property {string} registered the name of the declaration
 * @property {boolean} isDefault whether it is the default export of its file
 */

/** Messages as lines of hexadecimal digits over TCP. @type {Addition} */
export const transport = {
  name: 'hexline',
  registered: 'hexline',
  isDefault: true,
  files: {
    'src/transports/hexline/index.js': `
import {option} from '../../options/option.js';
import {oneOf} from '../../options/types.js';

/** @import {Transport} from '../transport.js' */

/** @satisfies {Transport} */
const hexline = {
  name: /** @type {const} */ ('hexline'),
  label: 'Hex lines',
  options: [
    option('hexline-case', {
      key: 'hexlineCase',
      type: oneOf(['lower', 'upper']),
      default: 'lower',
      list: true,
      label: (value) => \`\${value} case\`,
      help: 'Case of the digits that the client sends.',
      group: 'Hex lines',
    }),
  ],
  capabilities: ['request'],
  broker: null,
  libraries: [],
  client: () => import('./client.js'),
  server: () => import('./server.js'),
};

export default hexline;
`,
    'src/transports/hexline/server.js': `
import {createServer} from 'node:net';
import {createInterface} from 'node:readline';
import {listen} from '../../net/listen.js';

/** @import {OnRequest, ServeSettings, Server} from '../transport.js' */

/** @param {ServeSettings} options @param {OnRequest} onRequest @returns {Promise<Server>} */
export async function serve(options, onRequest) {
  const server = createServer({noDelay: options.noDelay});
  const listening = await listen(server, options);
  server.on('connection', (socket) => {
    const write = (/** @type {Buffer} */ chunk) => socket.write(\`\${chunk.toString('hex')}\\n\`);
    createInterface({input: socket}).on('line', (line) =>
      onRequest(Buffer.from(line, 'hex'), {
        write,
        drained: async () => {},
        end: (chunk) => chunk && write(chunk),
      }),
    );
    socket.on('error', () => socket.destroy());
  });
  return listening;
}
`,
    'src/transports/hexline/client.js': `
import {once} from 'node:events';
import {connect as connectSocket} from 'node:net';
import {createInterface} from 'node:readline';
import {splitAddress} from '../../net/address.js';
import {PendingReplies, promised} from '../pending-replies.js';

/** @import {Client, ConnectSettings, Waiting} from '../transport.js' */

/** @param {ConnectSettings & {hexlineCase: 'lower' | 'upper'}} options @returns {Promise<Client>} */
export async function connect(options) {
  const socket = connectSocket({...splitAddress(options.servers[0]), noDelay: options.noDelay});
  await once(socket, 'connect');
  const pending = new PendingReplies('The server closed the connection.', options.correlation);
  createInterface({input: socket}).on('line', (line) => pending.take(Buffer.from(line, 'hex')));
  socket.on('error', (error) => pending.fail(error));
  socket.on('close', () => pending.fail());
  const ask = (/** @type {Buffer} */ payload, /** @type {Waiting} */ waiting) => {
    const digits = payload.toString('hex');
    socket.write(\`\${options.hexlineCase === 'upper' ? digits.toUpperCase() : digits}\\n\`);
    pending.add(payload, waiting);
  };
  return {
    ask,
    request: promised(ask),
    closed: pending.closed,
    async close() {
      pending.finish();
      socket.destroy();
    },
  };
}
`,
  },
};

/** Two requests, one after the other, timed together. @type {Addition} */
export const workload = {
  name: 'double',
  registered: 'double',
  isDefault: false,
  files: {
    'src/workloads/double/index.js': `
import {meanTable} from '../../columns/tables.js';
import {option} from '../../options/option.js';
import {integer} from '../../options/types.js';
import {clients, contentGroup, everyRole, reply, servers} from '../shared-options.js';
import {role} from './role.js';

/** @import {OwnSettings, Workload} from '../workload.js' */

const times = meanTable('double', {what: 'Mean times of two requests'});

const options = [
  clients,
  servers,
  reply,
  option('double-pause', {
    key: 'doublePauseMs',
    type: integer({minimum: 0, maximum: 1000}),
    default: 0,
    list: true,
    label: (value) => \`\${value} ms pause\`,
    help: 'Pause between two pairs of requests.',
    group: contentGroup,
  }),
];

/** @satisfies {Workload<OwnSettings<typeof options>>} */
export const double = {
  name: /** @type {const} */ ('double'),
  ...role,
  summary: 'two requests, timed together',
  options,
  figure: 'latency',
  figureNote: 'mean time of two requests',
  sharesPair: () => true,
  table: () => times,
  cpu: () => everyRole,
  cpuNote: 'all roles',
  floorNote: 'two requests over raw TCP',
  busyRoles: () => [],
  dimensions: () => ({doublePauseMs: [0], answer: ['echo']}),
};
`,
    'src/workloads/double/role.js': `
/** @import {WorkloadRole} from '../workload.js' */

/** @satisfies {WorkloadRole} */
export const role = {
  needs: ['request'],
  hasServer: true,
  concurrency: () => 1,
  client: async () => (await import('./client.js')).measureDouble,
  server: async () => (await import('../answer-server.js')).makeAnswerHandler,
};
`,
    'src/workloads/double/client.js': `
import {performance} from 'node:perf_hooks';
import {setTimeout as sleep} from 'node:timers/promises';
import {noCounts} from '../../measure/counts.js';
import {Recorder} from '../../measure/recorder.js';
import {readUsage, usageSince} from '../../measure/usage.js';
import {boundsOf, warmUpBy} from '../load.js';

/**
 * @import {PayloadRing} from '../../payload/ring.js'
 * @import {WorkloadContext, WorkloadResult} from '../workload.js'
 * @import {Until} from '../workload.js'
 */

/** @param {WorkloadContext<{doublePauseMs: number}>} context @returns {Promise<WorkloadResult>} */
export async function measureDouble(context) {
  const {connection, options} = context;
  const recorder = new Recorder();
  const run = async (/** @type {PayloadRing} */ ring, /** @type {Until} */ until) => {
    const request = () => connection.client.request(ring.next());
    while (recorder.count < until.samples && performance.now() < until.atMs) {
      const before = performance.now();
      await request();
      await request();
      recorder.record(performance.now() - before);
      if (options.doublePauseMs > 0) await sleep(options.doublePauseMs);
    }
  };
  const warmUp = await warmUpBy(context, async (ring, until) => {
    recorder.reset();
    await run(ring, until);
    return recorder.count;
  });
  await context.warmedUp();
  recorder.reset();
  const before = readUsage();
  await run(context.ring, boundsOf(options));
  const usage = usageSince(before);
  context.onMeasured();
  const latency = recorder.finish();
  return {
    latency,
    windows: recorder.windows(),
    timed: {messages: latency.count, ms: (latency.mean * latency.count) / 1e6},
    counts: {...noCounts, sent: latency.count, received: latency.count},
    warmUp,
    usage,
  };
}
`,
  },
};
