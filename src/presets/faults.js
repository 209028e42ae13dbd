import {publishedSources} from '../results/published/figures.js';

/** @import {FaultPreset} from './types.js' */

const calls = {transport: ['rabbitmq'], workload: ['rtt'], deliveryMode: [1], confirms: [false], tries: 3};

/** @type {readonly FaultPreset[]} */
export const faultPresets = [
  {
    name: 'endurox-ha-main',
    document: 'endurox-vs-rabbitmq',
    summary: 'the broker is killed while calls go through it',
    settings: {...calls, fault: [{name: 'kill-broker', at: null}]},
    published: [
      'RabbitMQ: beam.smp was killed, and the client ended with an error.',
      'Enduro/X: ndrxd was killed, and calls went on, because they do not pass through it.',
    ],
    differs: [
      'The broker is started again after --restart-after, and client and server connect anew, so the outage has a length.',
      'Calls of programs are one at a time, without a rate.',
    ],
    programs: {
      fault: 'kill-daemon',
      without:
        'Enduro/X is not part of this run. Build it (bash infra/endurox/build.sh ~/endurox; enduro="env ENDUROX_DAEMON=1 $HOME/endurox/bin/perf-battle-endurox"), and add --external "Enduro/X=$enduro server,$enduro client".',
    },
  },
  {
    name: 'endurox-ha-servers',
    document: 'endurox-vs-rabbitmq',
    summary: 'one of two servers is killed and started again, and calls are tried again',
    settings: {
      ...calls,
      servers: [2],
      resend: [true],
      timeoutMs: 1000,
      fault: [{name: 'kill-server', at: null}],
    },
    published: [
      'RabbitMQ: calls went on with the other server.',
      'Enduro/X: calls went on; one in progress waited for its timeout of 90 s and was tried again.',
    ],
    differs: ['A call waits for --timeout, 1 s.', 'Enduro/X is not part of this run.'],
    programs: null,
  },
];

/**
 * The settings of `perf-battle faults --table`. With this timeout, a request that a killed server had taken from its broker ends before the next try.
 */
export const wholeTable = {
  transport: ['rabbitmq', 'nats', 'http', 'websocket'],
  allSettings: true,
  servers: [1, 2],
  resend: [false, true],
  timeoutMs: 2000,
};

export const faultPresetNames = faultPresets.map(({name}) => name);

/** @param {string | null} name */
export function faultPresetNamed(name) {
  return faultPresets.find((one) => one.name === name) ?? null;
}

/**
 * Describes the published experiment of a preset and the differences here.
 * @param {FaultPreset} preset @param {{hasPrograms: boolean}} run hasPrograms: whether programs of --external took part
 * @returns {string[]} lines
 */
export function describeFaultPreset({document, published, differs, programs}, {hasPrograms}) {
  const {title, url} = publishedSources[document];
  const missing = programs && !hasPrograms ? [programs.without] : [];
  return [`Published: ${title}, ${url}`, ...published, `Here: ${[...differs, ...missing].join(' ')}`];
}
