import assert from 'node:assert/strict';
import {readdir, writeFile} from 'node:fs/promises';
import {describe, it} from 'node:test';
import {run} from '../../../src/cli/index.js';
import {UsageError} from '../../../src/errors.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';

/** @import {Workplace} from '../support/workplace.js' */

/** @type {{flags: string[], environment?: Record<string, string>, envFile?: string, configFile?: string, message: RegExp[]}[]} */
const refused = [
  {flags: ['fight'], message: [/"fight" is not a command/, /battle, table/]},
  {flags: ['--nosuch'], message: [/--nosuch is not an option/]},
  {flags: ['--confirms', 'on'], message: [/--confirms is not .*Did you mean --rabbitmq-confirms\?/]},
  {flags: ['--pay', '1kb'], message: [/--pay is not .*Did you mean --payload\?/]},
  {flags: ['--zzzz'], message: [/^--zzzz is not an option of this command\. See --help/]},
  {flags: ['-x'], message: [/^-x is not an option of this command\. See --help/]},
  {flags: ['-transport', 'http'], message: [/-transport is not an option\. Did you mean --transport\?/]},
  {flags: ['tabel'], message: [/"tabel" is not a command\. Did you mean table\?/]},
  {flags: ['rabbit'], message: [/"rabbit" is not a command\. Did you mean --transport rabbitmq\?/]},
  {flags: ['rabbitmq'], message: [/"rabbitmq" is not a command\. Did you mean --transport rabbitmq\?/]},
  {flags: ['all'], message: [/"all" is not a command\. Did you mean --transport all\?/]},
  {flags: ['quick'], message: [/"quick" is not a command\. Did you mean --quick\?/]},
  {
    flags: ['--url', 'http://host:1/x'],
    message: [/The transport is missing before the URL: write http=http:/],
  },
  {flags: ['pipelin'], message: [/"pipelin" is not a command\. Did you mean --workload pipeline\?/]},
  {
    flags: ['http://host/x'],
    message: [
      /not a command\. perf-battle --url http=http:\/\/host\/x --url-method GET --transport tcp measures /,
    ],
  },
  {
    flags: ['grpc://host:1/a.B/C'],
    message: [/perf-battle --url grpc=grpc:\/\/host:1\/a\.B\/C --payload 1kb --transport tcp measures /],
  },
  {
    flags: ['localhost:8080'],
    message: [
      /perf-battle --url http=http:\/\/localhost:8080 --url-method GET --transport tcp measures that server.* a POST of --payload bytes/s,
    ],
  },
  {
    flags: ['--quick', 'wss://host/x'],
    message: [/perf-battle --url websocket=wss:\/\/host\/x --payload 1kb --transport tcp measures /],
  },
  {flags: ['amqp://me:T0p-secret@host'], message: [/perf-battle --broker amqp:\S+@host uses that broker/]},
  {flags: ['ftp://host/x'], message: [/"ftp:\/\/host\/x" is not a command\. The commands are: /]},
  {flags: ['--hlep'], message: [/^--hlep is not an option of this command\. Did you mean --help\?/]},
  {flags: ['--vesion'], message: [/Did you mean --version\?/]},
  {flags: ['--transport', 'tcp,htpp'], message: [/it is "tcp,htpp"\. Did you mean http\?/]},
  {flags: ['--workload', 'rrt'], message: [/it is "rrt"\. Did you mean rtt\?/]},
  {flags: ['help', 'tabel'], message: [/There is no help on "tabel"\. Did you mean table\?/]},
  {flags: ['--payload', '10', 'KB'], message: [/given "KB"\. Write the value in one word: --payload 10KB\./]},
  {flags: ['--rate', '2k'], message: [/--rate must be .*; it is "2k"\. Write 2000\./]},
  {flags: ['--samples', '1.5M'], message: [/--samples must be .*; it is "1\.5M"\. Write 1500000\./]},
  {flags: ['--payload', 'x'.repeat(20_000)], message: [/; it is "x{80}… \(20000 characters\)"\.$/m]},
  {flags: [`--${'x'.repeat(20_000)}`], message: [/^--x{80}… \(20000 characters\) is not an option/]},
  {flags: ['--environment', 'x'.repeat(20_000)], message: [/--environment must be .*"x{80}… /]},
  {flags: ['--server-address', 'http://x'], message: [/--server-address must be a host name.*"http:\/\/x"/]},
  {flags: ['--server-address', '1 2'], message: [/--server-address must be a host name .*; it is "1 2"/]},
  {
    flags: ['--rabbitmq-host', '$(id)'],
    message: [/--rabbitmq-host must be a host name .*; it is "\$\(id\)"/],
  },
  {flags: ['--nats-host', 'h:4222'], message: [/--nats-host must be .*without a port; it is "h:4222"/]},
  ...[
    ['--rabbitmq-url', 'T0p-secret'],
    ['--rabbitmq-host', 'u:T0p-secret@h'],
    ['--rabbitmq-host', 'T0p-secret@h'],
    ['--nats-url', 'T0p-secret'],
    ['--client-on', 'u:T0p-secret@h'],
    ['--broker', 'u:T0p-secret@h'],
    ['--nats-port', 'nats://u:T0p-secret@h'],
  ].map((flags) => ({flags: [...flags, '--print-config'], message: [/ must be .*; it is ".*\*\*\*/]})),
  {
    flags: ['table', '--json', '--detail'],
    message: [/--json prints whole records, so --detail has no effect/],
  },
  {flags: ['--raunds', '2'], message: [/--raunds is not an option.*--rounds/]},
  {flags: ['--delivery-mode', '3'], message: [/^--delivery-mode must be .*1 .*2.*; it is "3"/]},
  {flags: [], environment: {PB_RABBITMQ_DELIVERY_MODE: '0'}, message: [/PB_RABBITMQ_DELIVERY_MODE.*"0"/]},
  {
    flags: [],
    environment: {PB_PAYLOAD_BYTES: '64q'},
    message: [/^PB_PAYLOAD_BYTES must be .*a number of bytes.*; it is "64q"/],
  },
  {flags: [], envFile: 'PB_PAYLOAD_BYTES=64q\n', message: [/PB_PAYLOAD_BYTES in \.env must be .*"64q"/]},
  {flags: ['--dry-run'], envFile: 'PB_ROUNDS 3\n', message: [/^\.env, line 1, must be NAME=VALUE/]},
  {flags: ['--dry-run'], configFile: '{bad', message: [/^perf-battle\.config\.json, line 1, cannot be used/]},
  {
    flags: ['choose', '-t', 'http', '--rate', '9', '--p99', '9ms', '--dry-run'],
    configFile: '{"rounds": 3}',
    message: [/^perf-battle\.config\.json may have scenarios and transports; it has "rounds"/],
  },
  {
    flags: [],
    envFile: 'PB_PAYLAOD_BYTES=64\n',
    message: [/PB_PAYLAOD_BYTES in \.env is not .*PB_PAYLOAD_BYTES/],
  },
  {flags: ['--payload', '0'], message: [/--payload must be .*from 1 to .*; it is "0"/]},
  {flags: ['--payload', '129mb'], message: [/--payload must be .*131072kb.*; it is "129mb"/]},
  {flags: ['--payload', '134217729'], message: [/--payload must be .*; it is "134217729"/]},
  {flags: ['--payload', '1kb,,2kb'], message: [/--payload must be .*; it is "1kb,,2kb"/]},
  {flags: ['--payload='], message: [/--payload needs a value: .*a number of bytes/]},
  {flags: ['--transport'], message: [/--transport needs a value: .*tcp, http/]},
  {flags: ['--transport', '--quick'], message: [/--transport needs a value: .*tcp, http/]},
  {
    flags: ['--preset', 'x'],
    message: [/--preset must be .*; it is "x"\. perf-battle --list-presets describes them\./],
  },
  {flags: ['table', '--preset', 'x'], message: [/it is "x"\. perf-battle --list-presets describes them\./]},
  {
    flags: ['--p99', '5ms'],
    message: [/^--p99 is not an option of this command\. perf-battle choose has it\. See /],
  },
  {flags: ['table', '--history'], message: [/--history is not an option .*\. perf-battle report has it\./]},
  {flags: ['-v'], message: [/^-v is not an option of this command\. Did you mean --version\?/]},
  {flags: ['version'], message: [/"version" is not a command\. Did you mean --version\?/]},
  {flags: ['run'], message: [/"run" is not a command\. A battle needs no command: perf-battle --quick\./]},
  {
    flags: ['list'],
    message: [/"list" is not a command\. perf-battle table shows .*perf-battle --list-presets/],
  },
  {flags: ['constructor'], message: [/"constructor" is not a command\. The commands are: /]},
  {flags: ['--samples', 'abc'], message: [/--samples must be a whole number.*; it is "abc"/]},
  {
    flags: ['--duration', '10'],
    message: [/--duration must be a time with its unit.*; it is "10"\. A time needs a unit: 10ms or 10s/],
  },
  {
    flags: ['--find-max-rate', '10'],
    message: [/--find-max-rate must be .*; it is "10"\. A time needs a unit/],
  },
  {
    flags: ['--window', '16'],
    message: [/--window 16 has no effect here: it needs a workload with several messages/],
  },
  {
    flags: ['--arrivals', 'poisson', '--pairwise'],
    message: [/--arrivals poisson has no effect here/, /--pairwise on has no effect/],
  },
  {flags: ['--pin', '0'], message: [/--pin must be auto, main, none, or lists of cores .*; it is "0"/]},
  {flags: [], environment: {PB_PIN: '0/x'}, message: [/PB_PIN must be auto, main, none.*; it is "0\/x"/]},
  {flags: ['--pin', '0/8000'], message: [/--pin names core 8000, which processes may not use on this host/]},
  {flags: ['--rounds', '0'], message: [/--rounds must be .*from 1 .*; it is "0"/]},
  {flags: ['--rounds', '2', '--rounds', '3'], message: [/--rounds takes one value; it was given 2 times/]},
  {flags: ['--quick=maybe'], message: [/--quick must be on or off.*; it is "maybe"/]},
  {
    flags: ['--transport', 'carrier-pigeon'],
    message: [/--transport must be .*tcp, http, .*websocket/],
  },
  {flags: ['--workload', 'nosuch'], message: [/--workload must be /]},
  {flags: ['--precision', '2%', '--rounds', '7'], message: [/--precision and --rounds exclude each other/]},
  {
    flags: ['--payload-file', 'no-such-file'],
    message: [/--payload-file must be .*: no-such-file does not exist/],
  },
  {
    flags: ['--payload-file', '.'],
    message: [/--payload-file must be .*: \. is a directory, not a regular file/],
  },
  {
    flags: ['--http-etag', 'on', '--http-server', 'node'],
    message: [/--http-etag on needs --http-server express: node:http sends no ETag/],
  },
  {
    flags: ['--http-etag', 'on', '--http-server', 'fastify'],
    message: [/--http-etag on needs --http-server express: Fastify sends no ETag/],
  },
  {flags: ['--broker', 'somewhere'], message: [/--broker must be auto.*private/]},
  {
    flags: [],
    environment: {PB_RABBITMQ_URL: 'ampq://user:T0p-secret@localhost/'},
    message: [/PB_RABBITMQ_URL must be .*amqp:\/\//],
  },
  {
    flags: [],
    environment: {PB_RABBITMQ_URL: 'amqp://user:T0p-secret/T0p-secret@localhost/'},
    message: [/PB_RABBITMQ_URL must be /],
  },
  {
    flags: [],
    environment: {PB_RABBITMQ_URL: 'amqp://user:T0p-secret@localhost/a/b'},
    message: [/PB_RABBITMQ_URL must be /, /%2F/],
  },
  {
    flags: [],
    environment: {PB_BROKER: 'amqp://user:T0p-secret@localhost/a/b'},
    message: [/PB_BROKER must be /],
  },
  {
    flags: ['--broker-nodes', '0'],
    message: [/--broker-nodes must be a whole number from 1 to 15; it is "0"/],
  },
  {flags: [], environment: {PB_BROKER_NODES: '2.5'}, message: [/PB_BROKER_NODES must be .*; it is "2\.5"/]},
  {
    flags: ['--broker-nodes', '3', '--broker', 'amqp://user:T0p-secret@localhost/'],
    message: [/--broker-nodes starts a private cluster and --broker names another broker/],
  },
  {
    flags: ['--broker-nodes', '3'],
    environment: {PB_RABBITMQ_HOST: 'elsewhere'},
    message: [/--broker-nodes starts .* and PB_RABBITMQ_HOST names another broker/],
  },
  {
    flags: ['--broker-on', 'alpha,beta'],
    environment: {PB_RABBITMQ_PORT: '5673'},
    message: [/--broker-on starts a private cluster and PB_RABBITMQ_PORT names another broker/],
  },
  {
    flags: ['--broker-on', 'alpha,beta,gamma', '--broker-nodes', '2'],
    message: [/--broker-on names 3 hosts and --broker-nodes asks for 2 nodes/],
  },
  {
    flags: ['--broker-on', 'alpha,beta', '--broker-address', '10.0.0.3'],
    message: [/--broker-address must name one address per host .*: there are 2 hosts, and it names 1/],
  },
  {
    flags: ['--broker-nodes', '3', '--delivery-mode', '1'],
    message: [/--delivery-mode 1 is not supported by quorum queues/],
  },
  {flags: [], envFile: '\uFEFFPB_ROUNDS=abc\n', message: [/PB_ROUNDS in \.env must be .*"abc"/]},
  {
    flags: [],
    envFile: `${[...'PB_SEED=1'].join('\u0000')}\u0000`,
    message: [/\.env is not UTF-8 text\. Convert it to UTF-8/],
  },
  {flags: ['--results', 'results.ndjson'], message: [/--results must be .* not end in \.ndjson/]},
  {flags: ['table', '--results', 'a/results.NDJSON'], message: [/--results must be .* not end in \.ndjson/]},
  {
    flags: ['--tls', 'on', '--tls-ca-file', '/etc/hosts'],
    message: [/--tls-ca-file must be .*: \/etc\/hosts contains no certificate/],
  },
  {flags: ['--ssh-config', '.'], message: [/--ssh-config must be .*: \. is a directory/]},
  {flags: ['--resume'], message: [/--resume found no interrupted battle in .*results\.ndjson/]},
  {flags: ['--payload', '10..5'], message: [/--payload .*The range 10\.\.5 is empty/]},
  {
    flags: ['--payload', '1..10+0'],
    message: [/--payload .*The step of the range 1\.\.10\+0 must be greater than 0/],
  },
  {
    flags: ['--workload', 'pipeline', '--window', '0'],
    message: [/--window must be .*from 1 to 100000; it is "0"/],
  },
  {
    flags: ['--clients', '9999', '--servers', '9999'],
    message: [/--clients 9999 and --servers 9999 need \d+ open files/],
  },
  {flags: ['--rate', '2000000'], message: [/--rate must be .*the clock does not resolve.*"2000000"/]},
  {flags: ['--rabbitmq-queue', 'amq.mine'], message: [/--rabbitmq-queue must be .*amq\..*"amq\.mine"/]},
  {
    flags: ['--workload', 'queue', '--transport', 'http'],
    message: [/--workload queue is not supported by --transport http, which cannot store/],
  },
  {
    flags: ['--workload', 'pipeline', '--window', '100000', '--payload', '1mb'],
    message: [/--window 100000 .* would hold .* in flight/],
  },
  {
    flags: ['--tls', 'on', '--tls-key-file', '/etc/hosts'],
    message: [/--tls-key-file must be the path of .*: \/etc\/hosts contains no private key/],
  },
  {flags: ['--preset', 'socketpro-queue', '--transport', 'http'], message: [/socketpro-queue.*rabbitmq/]},
  {flags: ['--preset', 'nosuch'], message: [/--preset must be .*coralmq.*"nosuch"/]},
  {
    flags: ['--transport', 'shared-memory', '--server-on', 'beta'],
    message: [/--transport shared-memory needs clients and servers on one host; .* on this host, beta\./],
  },
];

/** A part of each kind of place that a setting comes from, as a person sees it. */
const printed = ['--nosuch', '--rabbitmq-host u:T0p-secret@h', 'PB_BROKER=', 'PB_PAYLAOD_BYTES=', '--resume'];

describe('what cannot be', {timeout: 1_200_000}, () => {
  for (const {flags, environment = {}, envFile, configFile, message} of refused) {
    const shown = [
      ...flags,
      ...Object.entries(environment).map((pair) => pair.join('=')),
      envFile?.trim().replaceAll('\u0000', ''),
      configFile,
    ]
      .filter(Boolean)
      .join(' ');
    const title = shown.replaceAll('T0p-secret', '…');

    it(
      `is refused before anything starts: ${title}`,
      inAWorkplace(async (workplace) => {
        const written = [
          ['.env', envFile],
          ['perf-battle.config.json', configFile],
        ].filter(([, text]) => text);
        for (const [name = '', text = ''] of written) await writeFile(workplace.file(name), text);
        const refusal = await refusalOf(workplace, flags, environment);
        for (const pattern of message) assert.match(refusal, pattern);
        assert.doesNotMatch(refusal, /T0p-secret/);
        const files = written.map(([name]) => name);
        assert.deepEqual((await readdir(workplace.path)).toSorted(), [...files, 'tmp']);
      }),
    );

    if (printed.some((part) => shown.startsWith(part)))
      it(
        `ends with 2, one message and no process: ${title}`,
        inAWorkplace(async (workplace) => {
          if (envFile) await writeFile(workplace.file('.env'), envFile);
          const {code, stdout, stderr} = await workplace.battle(flags, environment);
          assert.deepEqual({code, stdout}, {code: 2, stdout: ''}, stderr);
          assert.match(stderr, /^perf-battle: .*\n$/);
          for (const pattern of message) assert.match(stderr.slice('perf-battle: '.length), pattern);
          assert.doesNotMatch(stderr, /T0p-secret/);
          assert.deepEqual(await workplace.leftovers(), []);
        }),
      );
  }
});

/**
 * Runs the command line in this process, because a process for each would take a good part of the time of all tests.
 * @param {Workplace} workplace
 * @param {readonly string[]} flags
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Promise<string>} the message
 */
async function refusalOf(workplace, flags, environment) {
  const {env} = process;
  const folder = process.cwd();
  process.chdir(workplace.path);
  process.env = {PATH: env.PATH, HOME: workplace.path, TMPDIR: workplace.temporary, ...environment};
  try {
    const code = await run(flags, new AbortController().signal);
    return assert.fail(`It ended with ${code}.`);
  } catch (error) {
    assert.ok(error instanceof UsageError, String(error));
    assert.equal(error.exitCode, 2);
    return error.message;
  } finally {
    process.chdir(folder);
    process.env = env;
  }
}

describe('what only asks', {timeout: 1_200_000, concurrency: 2}, () => {
  for (const flags of [
    ['--help'],
    ['-h'],
    ['-V'],
    ['table', '-V'],
    ['table', '--help'],
    ['--help', 'all'],
    ['-h', 'rabbitmq'],
    ['table', '--help', 'into'],
    ['help'],
    ['help', 'ci'],
    ['help', 'ec2', 'run'],
    ['choose', 'help'],
    ['call', 'help'],
    ['help', 'table', '--into'],
    ['help', 'Rounds', 'and', 'time'],
    ['--version'],
    ['battle', '--dry-run'],
    ['--print-config'],
    ['--list-presets'],
    ['--preset', 'all', '--scale', 'auto', '--dry-run'],
  ]) {
    it(
      `answers ${flags.join(' ')} and writes nothing`,
      inAWorkplace(async (workplace) => {
        const {code, stdout, stderr} = await workplace.battle(flags);
        assert.deepEqual({code, stderr}, {code: 0, stderr: ''});
        assert.match(stdout, /version|-V/.test(flags.join(' ')) ? /^\d+\.\d+\.\d+\n$/ : /\w+/);
        assert.deepEqual(await readdir(workplace.path), ['tmp']);
      }),
    );
  }
});
