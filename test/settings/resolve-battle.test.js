import assert from 'node:assert/strict';
import {test} from 'node:test';
import {automaticWarmUp} from '../../src/measure/warm-up.js';
import {readCommandLine} from '../../src/options/command-line.js';
import {resolveOptions} from '../../src/options/resolve.js';
import {allOptions, optionsOfBattle} from '../../src/settings/index.js';
import {resolveBattle} from '../../src/settings/resolve-battle.js';

/** @import {Settings} from '../../src/options/contract.js' */

/**
 * What a command line asks for, unchangeable.
 * @param {string} commandLine
 * @param {Record<string, string>} environment
 */
function ask(commandLine, environment = {}) {
  const {flags} = readCommandLine(optionsOfBattle, commandLine.split(' ').filter(Boolean));
  return freeze(resolveOptions(allOptions, {scope: 'battle', mine: optionsOfBattle, flags, environment}));
}

/** @template Whole @param {Whole} value @returns {Whole} */
function freeze(value) {
  for (const part of Object.values(/** @type {object} */ (value)))
    if (typeof part === 'object' && part !== null) freeze(part);
  return Object.freeze(value);
}

/** @type {{given: string, environment?: Record<string, string>, values: Record<string, unknown>, origins?: Record<string, string>}[]} */
const settled = [
  {
    given: '',
    values: {
      rounds: null,
      precision: 0.05,
      budgetMs: 300_000,
      durationMs: null,
      workload: ['rtt'],
      brokerNodes: 1,
      deliveryMode: [1, 2],
    },
    origins: {queueType: 'default', rounds: 'default'},
  },
  {given: '', values: {seed: 7}, origins: {seed: 'drawn'}},
  {given: '--seed 5', values: {seed: 5}, origins: {seed: '--seed'}},
  {
    given: '--quick',
    values: {rounds: null, precision: 0.1, budgetMs: 23_000, durationMs: 200},
    origins: {precision: '--quick', budgetMs: '--quick', durationMs: '--quick'},
  },
  {
    given: '--rounds 7',
    values: {rounds: 7, precision: null, budgetMs: null},
    origins: {budgetMs: '--rounds'},
  },
  {given: '--rounds 7 --budget 10m', values: {rounds: 7, precision: null, budgetMs: 600_000}},
  {given: '--precision 2%', values: {rounds: null, precision: 0.02, budgetMs: 300_000}},
  {given: '--preset coralmq --precision 2%', values: {rounds: null, precision: 0.02, budgetMs: 300_000}},
  {given: '--preset coralmq --budget 1m', values: {rounds: 2, precision: null, budgetMs: 60_000}},
  {given: '--quick --budget 30s', values: {rounds: null, precision: 0.05, budgetMs: 30_000, durationMs: 200}},
  {
    given: '--quick --rounds 7',
    values: {rounds: 7, precision: null, budgetMs: null, durationMs: 200},
    origins: {rounds: '--rounds'},
  },
  {given: '--quick', environment: {PB_DURATION: '2s'}, values: {precision: 0.1, durationMs: 2000}},
  {given: '--samples 100', values: {samples: 100, durationMs: null}, origins: {durationMs: '--samples'}},
  {given: '--quick --samples 100', values: {precision: 0.1, samples: 100, durationMs: null}},
  {given: '--samples 100 --duration 2s', values: {samples: 100, durationMs: 2000}},
  {
    given: '--find-max-rate 5ms',
    values: {workload: ['max-rate'], maxP99Ms: [5]},
    origins: {workload: '--find-max-rate'},
  },
  {given: '--find-max-rate 5ms --workload pipeline', values: {workload: ['pipeline']}},
  {
    given: '--preset endurox-03',
    values: {clients: [5], servers: [5], rounds: 1},
    origins: {clients: '--preset endurox-03', payloadBytes: '--preset endurox-03'},
  },
  {given: '--preset endurox-03 --clients 2 --rounds 5', values: {clients: [2], servers: [5], rounds: 5}},
  {
    given: '--preset endurox-03 --client-on a,b',
    values: {clients: [2], servers: [5]},
    origins: {clients: '--client-on'},
  },
  {given: '--preset coralmq --quick', values: {rounds: 2}, origins: {rounds: '--preset coralmq'}},
  {
    given: '--client-on a,b --server-on c,d,e',
    values: {clients: [2], servers: [3]},
    origins: {clients: '--client-on', servers: '--server-on'},
  },
  {given: '--client-on a', values: {clients: [1]}, origins: {clients: 'default'}},
  {
    given: '--payload-file f',
    values: {payloadBytes: [4321]},
    origins: {payloadBytes: '--payload-file'},
  },
  {given: '--payload-file f --preset coralmq', values: {payloadBytes: [4321]}},
  {
    given: '--url http=http://a/ --url-method GET',
    values: {payloadBytes: [1024]},
    origins: {payloadBytes: 'requests without a payload'},
  },
  {
    given: '--url http=http://a/ --url-method GET --transport all',
    values: {payloadBytes: [1024], window: [16]},
    origins: {payloadBytes: 'requests without a payload'},
  },
  {
    given: '--url http=http://a/ --url-method GET --transport all --payload 2kb,3kb',
    values: {payloadBytes: [2048, 3072]},
  },
  {
    given: '--url http=http://a/ --url-method GET --payload-file f',
    values: {payloadBytes: [4321]},
    origins: {payloadBytes: '--payload-file'},
  },
  {given: '--url http=http://a/ --url-method GET --payload 2kb,3kb', values: {payloadBytes: [2048, 3072]}},
  {
    given: '--url http=http://a/',
    values: {payloadBytes: [1024, 102_400, 512_000, 1_024_000]},
    origins: {payloadBytes: 'default'},
  },
  {
    given: '--broker-nodes 3',
    values: {brokerNodes: 3, queueType: ['quorum'], deliveryMode: [2]},
    origins: {queueType: '--broker-nodes', deliveryMode: '--broker-nodes'},
  },
  {
    given: '--broker-nodes 3 --rabbitmq-queue-type classic',
    values: {queueType: ['classic'], deliveryMode: [1, 2]},
    origins: {queueType: '--rabbitmq-queue-type', deliveryMode: 'default'},
  },
  {
    given: '--broker-nodes 3 --rabbitmq-queue-type classic,quorum',
    values: {queueType: ['classic', 'quorum'], deliveryMode: [1, 2]},
    origins: {deliveryMode: 'default'},
  },
  {
    given: '--broker-on alpha,beta,gamma',
    values: {brokerNodes: 3, brokerOn: ['alpha', 'beta', 'gamma'], queueType: ['quorum']},
    origins: {brokerNodes: '--broker-on'},
  },
  {
    given: '--broker-on alpha,beta --broker-nodes 5 --broker-address 10.0.0.3,10.0.0.4',
    values: {brokerNodes: 5, brokerAddress: ['10.0.0.3', '10.0.0.4']},
    origins: {brokerNodes: '--broker-nodes'},
  },
  {
    given: '--transport http-family',
    values: {transport: ['http', 'http2', 'grpc', 'sse', 'websocket', 'socketio'], workload: ['rtt']},
  },
  {given: '--transport default', values: {transport: ['tcp', 'http', 'websocket', 'rabbitmq']}},
  {
    given: '--transport local,tcp',
    values: {transport: ['unix', 'posix-mq', 'shared-memory', 'worker', 'tcp']},
  },
  {
    given: '--transport all',
    values: {workload: ['rtt', 'pipeline'], window: [16], payloadBytes: [1024, 102_400], budgetMs: 690_000},
    origins: {workload: '--transport all'},
  },
  {
    given: '--transport all',
    values: {
      ...{quick: true, durationMs: 200},
      warmUp: {...automaticWarmUp, requests: 3000, maximumMs: 3000},
    },
    origins: {quick: '--transport all', budgetMs: '--transport all', durationMs: '--quick'},
  },
  {given: '--transport all --rate 100', values: {quick: false, window: null, budgetMs: 300_000}},
  {given: '--transport all --preset coralmq', values: {quick: false, budgetMs: null}},
  {
    given: '--transport ALL,http --window 4 --workload stream --payload 2kb --budget 1m',
    values: {workload: ['stream'], window: [4], payloadBytes: [2048], budgetMs: 60_000},
  },
  {
    given: '--broker-on alpha',
    values: {brokerNodes: 1, queueType: ['classic']},
    origins: {brokerNodes: 'default'},
  },
];

for (const {given, environment, values, origins = {}} of settled) {
  const shown = [given, ...Object.entries(environment ?? {}).map((pair) => pair.join('='))].join(' ').trim();
  test(`the settings of a battle follow from ${shown || 'nothing'}`, () => {
    const asked = ask(given, environment);
    const payloadFileBytes = asked.values.payloadFile === null ? null : 4321;
    /** @type {Settings} */
    const settings = resolveBattle(asked, {payloadFileBytes, seed: 7});
    for (const [key, value] of Object.entries(values)) assert.deepEqual(settings.values[key], value, key);
    for (const [key, name] of Object.entries(origins)) assert.equal(settings.origins[key].name, name, key);
  });
}

/** @type {[string, RegExp][]} */
const refused = [
  ['--precision 2% --rounds 7', /^--precision and --rounds exclude each other/],
  ['--payload-file f --payload 1kb', /^--payload-file and --payload exclude each other/],
  ['--preset socketpro-queue --transport http', /^--preset socketpro-queue needs the transport rabbitmq/],
  ['--broker-on a,b --broker-nodes 1', /^--broker-on names 2 hosts and --broker-nodes asks for 1 node:/],
  ['--broker-on a --broker amqp://h', /^--broker-on starts a private broker and --broker names another/],
  ['--transport nats --nats-password p', /^--nats-password .* needs --nats-username/],
  ['--transport nats --nats-username u --nats-token t', /^--nats-token .* excludes --nats-username/],
  ['--broker-nodes 3 --rabbitmq-host h', /^--broker-nodes starts .* and --rabbitmq-host names another/],
  ['--broker-on a --broker-address 10.0.0.1,10.0.0.2', /^--broker-address must name one address per host/],
];

for (const [given, message] of refused) {
  test(`a battle cannot have ${given}`, () => {
    const payloadFileBytes = given.includes('payload-file') ? 4321 : null;
    assert.throws(() => resolveBattle(ask(given), {payloadFileBytes, seed: 7}), {code: 'PB_USAGE', message});
  });
}
