import {execFileSync} from 'node:child_process';
import {mkdir, readdir, symlink, writeFile} from 'node:fs/promises';
import {parseEnv} from 'node:util';
import fc from 'fast-check';
import {listOf} from '../../src/options/types.js';
import {allOptions, optionsOfBattle, optionsOfTable, optionsOfTransport} from '../../src/settings/index.js';
import {transportNamed} from '../../src/transports/index.js';
import {Workplace} from '../integration/support/workplace.js';

/**
 * @import {Arbitrary} from 'fast-check'
 * @import {Option} from '../../src/options/contract.js'
 * @import {Part, Torture} from './part.js'
 *
 * @typedef {object} BadInput
 * @property {string} kind
 * @property {string} [script] battle by default
 * @property {string[]} flags
 * @property {Record<string, string>} [environment]
 * @property {string | Buffer} [envFile]
 * @property {'pipe' | 'folder' | '/dev/zero' | 'loop'} [envFileIs]
 * @property {string} names what the message must name
 */

const secret = 'S3cr3t';
const runsOfLongForm = 1200;
const runsOfShortForm = 12;
const maxMessageLength = 2000;

/**
 * Whatever a person types wrong is refused before anything starts.
 * @type {Part}
 */
export const badInput = {
  name: 'bad-input',
  summary:
    'options, variables and files that are not allowed: exit code 2, one clear sentence, nothing written?',
  run: refuseAll,
};

/** @param {Torture} torture */
async function refuseAll({isLong, seed, log}) {
  const inputs = fc.sample(badInputs, {seed, numRuns: isLong ? runsOfLongForm : runsOfShortForm});
  /** @type {Record<string, number>} */
  const refused = {};
  /** @type {string[]} */
  const failures = [];
  const waiting = inputs.entries();
  const worker = async () => {
    for (const [index, input] of waiting) {
      const mistake = await tryInput(input);
      if (mistake === null) refused[input.kind] = (refused[input.kind] ?? 0) + 1;
      else {
        failures.push(`${describe(input)}: ${mistake}`);
        log(failures[failures.length - 1]);
      }
      if (index % 100 === 99) log(`${index + 1} of ${inputs.length}, ${failures.length} failures`);
    }
  };
  await Promise.all([worker(), worker()]);
  return {counts: {'bad inputs': inputs.length, ...refused}, failures};
}

/** @param {BadInput} input @returns {Promise<string | null>} what is wrong with how it was refused */
async function tryInput({script = 'battle', flags, environment = {}, envFile, envFileIs, names}) {
  const workplace = await Workplace.make();
  try {
    await prepareFiles(workplace);
    if (envFile !== undefined) await writeFile(workplace.file('.env'), envFile);
    if (envFileIs) await symlink(envFileIs, workplace.file('.env'));
    const before = await readdir(workplace.path, {recursive: true});
    // The variable of all tests would hide a bad value in .env.
    const all = {PB_CORES: undefined, ...environment};
    const {code, stdout, stderr} = await workplace.start(script, flags, all, {patienceMs: 60_000}).ended;
    const after = await readdir(workplace.path, {recursive: true});
    if (code !== 2) return `exit code ${code}: ${stderr.slice(0, 300)}`;
    if (stdout !== '') return `it printed ${stdout.slice(0, 300)}`;
    if (/\n\s+at |node:internal|\[object|undefined/.test(stderr))
      return `no sentence: ${stderr.slice(0, 500)}`;
    if (!/^(perf-battle|Error): \S.*[.?]\n$/ms.test(stderr)) return `no sentence: ${stderr.slice(0, 500)}`;
    if (stderr.length > maxMessageLength) return `a message of ${stderr.length} characters`;
    if (stderr.includes(secret)) return `the secret is shown: ${stderr.slice(0, 500)}`;
    if (!stderr.includes(names)) return `the message does not name ${names}: ${stderr.slice(0, 500)}`;
    return after.join() === before.join() ? null : `it wrote ${after.join()}`;
  } catch (error) {
    return /** @type {Error} */ (error).message.slice(0, 500);
  } finally {
    await workplace.clear();
  }
}

/** What options may name instead of a file. @param {Workplace} workplace */
async function prepareFiles(workplace) {
  execFileSync('mkfifo', [workplace.file('pipe')]);
  await mkdir(workplace.file('folder'));
  await symlink('loop', workplace.file('loop'));
  await writeFile(workplace.file('empty'), '');
  await writeFile(workplace.file('garbage'), Buffer.from([0, 255, 10, 13, 7, 200]));
  await writeFile(
    workplace.file('broken.pem'),
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
  );
}

/** @param {BadInput} input */
function describe({script = '', flags, environment, envFile, envFileIs}) {
  return [script, ...flags, environment && JSON.stringify(environment), envFile?.toString(), envFileIs]
    .filter(Boolean)
    .join(' ')
    .slice(0, 200);
}

/** Never runs a battle, even if an input should be allowed. */
const harmless = ['--dry-run'];

const word = fc.stringMatching(/^[a-z][a-z-]{0,20}[a-z]$/);

const nastyText = fc.oneof(
  fc.constantFrom(
    ...[
      '0',
      '-1',
      '1e999',
      '1.5',
      'NaN',
      '٣',
      '0x10',
      '1,2',
      '1,,2',
      ',',
      '1..',
      '..',
      '5..1',
      '1..2+0',
      '10 KB',
    ],
    ...[
      '2k',
      '10',
      '5 s',
      '-5s',
      '99h',
      '101%',
      'on off',
      'maybe',
      '../..',
      'a\nb',
      '\u001b[31m',
      '%s%n',
      '\\',
    ],
    ...[
      'http://x',
      '1 2',
      '$(id)',
      '`id`',
      ';ls',
      '|',
      '::1]',
      'a..b',
      '-x',
      '{}',
      '[]',
      'null',
      'http:',
      'amqp:',
    ],
    ...[`u:${secret}@h`, `amqp://u:${secret}@`, `ampq://u:${secret}@h/`, 'x'.repeat(20_000), '9'.repeat(400)],
  ),
  fc.string({maxLength: 30}),
  fc.string({unit: 'binary', maxLength: 10}),
);

/** @type {Arbitrary<BadInput>} */
const unknownFlags = fc
  .tuple(word, fc.constantFrom([], ['table'], ['ec2', 'status'], ['ec2', 'run']))
  .filter(
    ([name]) => !['help', 'version', ...allOptions.map((one) => one.name)].includes(name.replace(/^no-/, '')),
  )
  .map(([name, command]) => ({kind: 'unknown flags', flags: [...command, `--${name}`], names: `--${name}`}));

/** @type {Arbitrary<BadInput>} */
const unknownCommands = fc
  .tuple(word, fc.boolean())
  .filter(([name]) => !['battle', 'table', 'ec2'].includes(name))
  .map(([name, isArgument]) => ({
    kind: 'unknown commands and arguments',
    flags: isArgument ? ['table', name] : [name],
    names: JSON.stringify(name),
  }));

/** @type {Arbitrary<BadInput>} */
const unknownVariables = word
  .map((name) => `PB_${name.toUpperCase().replaceAll('-', '_')}`)
  .filter((name) => allOptions.every((option) => option.environmentName !== name))
  .map((name) => ({kind: 'unknown names in .env', flags: harmless, envFile: `${name}=1\n`, names: name}));

/** @type {Arbitrary<BadInput>} */
const malformedValues = fc
  .tuple(fc.constantFrom(...optionsOfBattle), nastyText, fc.constantFrom('flag', 'environment', '.env'))
  // The flag that makes a run harmless would win.
  .filter(([{name}, , source]) => name !== 'dry-run' || source === 'flag')
  .filter(([option, text, source]) => isRefused(option, text, {several: true}) && canStandIn(source, text))
  .map(([{name, environmentName}, text, source]) => {
    if (source === 'flag')
      return {
        kind: 'malformed values of flags',
        flags: [`--${name}=${text}`, ...harmless],
        names: `--${name}`,
      };
    if (source === 'environment')
      return {
        kind: 'malformed variables',
        flags: harmless,
        environment: {[environmentName]: text},
        names: environmentName,
      };
    return {
      kind: 'malformed values in .env',
      flags: harmless,
      envFile: `${environmentName}=${text}\n`,
      names: `${environmentName} in .env`,
    };
  });

/** @type {Arbitrary<BadInput>} */
const malformedValuesOfScripts = fc
  .tuple(
    fc.constantFrom(...['tcp', 'http', 'websocket', 'rabbitmq', 'nats']),
    fc.constantFrom('client', 'server'),
    fc.nat(),
    nastyText,
  )
  .map(([name, role, index, text]) => {
    const options = optionsOfTransport(transportNamed(/** @type {any} */ (name)));
    return {name, role, text, option: options[index % options.length]};
  })
  .filter(({option, text}) => isRefused(option, text, {several: false}) && canStandIn('environment', text))
  // These two are needed before anything else is read.
  .filter(({option}) => !['output', 'stdin'].includes(option.name))
  .map(({name, role, text, option: {environmentName}}) => ({
    kind: 'malformed variables of scripts by hand',
    script: `${name}-${role}`,
    flags: [],
    environment: {[environmentName]: text},
    names: environmentName,
  }));

const fileOptions = optionsOfBattle.filter(({type}) => type.file);

/** @type {Arbitrary<BadInput>} */
const badFiles = fc
  .tuple(
    fc.constantFrom(...fileOptions),
    fc.constantFrom('pipe', 'folder', 'loop', '/dev/zero', '/dev/null', 'none', 'empty/x', 'x'.repeat(300)),
    fc.boolean(),
  )
  .map(([{name, environmentName}, path, isFlag]) => ({
    kind: 'files that are none',
    flags: isFlag ? [`--${name}`, path, ...harmless] : harmless,
    environment: isFlag ? {} : {[environmentName]: path},
    names: isFlag ? `--${name}` : environmentName,
  }));

/** @type {Arbitrary<BadInput>} */
const badPemFiles = fc
  .tuple(
    fc.constantFrom('tls-cert-file', 'tls-key-file', 'tls-ca-file', 'rabbitmq-ca-file'),
    fc.constantFrom('empty', 'garbage', 'broken.pem', '/etc/hosts'),
  )
  .map(([name, path]) => ({
    kind: 'certificates and keys that are none',
    flags: ['--tls', 'on', `--${name}`, path, ...harmless],
    names: `--${name}`,
  }));

/** @type {Arbitrary<BadInput>} */
const badEnvFiles = fc.oneof(
  fc
    .constantFrom(/** @type {const} */ ('pipe'), 'folder', '/dev/zero', 'loop')
    .map((envFileIs) => ({kind: '.env that cannot be read', flags: harmless, envFileIs, names: '.env'})),
  fc.constantFrom(/** @type {const} */ ('utf16le'), 'latin1').map((encoding) => ({
    kind: '.env that cannot be read',
    flags: harmless,
    envFile: Buffer.from('# Zürich\nPB_SEED=7\n', encoding),
    names: '.env',
  })),
);

/** @type {Arbitrary<BadInput>} */
const contradictions = fc
  .constantFrom(
    ...[
      ['--precision', '--precision', '2%', '--rounds', '7'],
      ['--rounds', '--rounds', '2', '--rounds', '3'],
      ['--window', '--window', '16'],
      ['--scale', '--scale', '0.5'],
      ['--arrivals', '--arrivals', 'poisson'],
      ['--server-address', '--server-address', 'h'],
      ['--broker-nodes', '--broker-nodes', '3', '--delivery-mode', '2', '--broker', 'amqp://h'],
      ['--check', 'table', '--check'],
      ['--json', 'table', '--json', '--detail'],
      ['--resume', '--resume'],
      ['--results', '--results', 'results.ndjson'],
      ['--workload', '--workload', 'queue', '--transport', 'http'],
      ['--tls-cert-file', '--tls-ca-file', 'none'],
      ['-transport', '-transport', 'http'],
      ['KB', '--payload', '10', 'KB'],
    ].map(([names, ...flags]) => ({names: names === '--tls-cert-file' ? '--tls-ca-file' : names, flags})),
  )
  .map(({names, flags}) => ({kind: 'contradictions', flags, names}));

/** @type {Arbitrary<BadInput>} */
const malformedValuesOfTable = fc
  .tuple(fc.constantFrom(...optionsOfTable), nastyText)
  .filter(([option, text]) => isRefused(option, text, {several: false}) && canStandIn('flag', text))
  .map(([{name}, text]) => ({
    kind: 'malformed values of table',
    flags: ['table', `--${name}=${text}`],
    names: `--${name}`,
  }));

const badInputs = fc.oneof(
  {arbitrary: malformedValues, weight: 10},
  {arbitrary: malformedValuesOfScripts, weight: 4},
  {arbitrary: malformedValuesOfTable, weight: 1},
  {arbitrary: unknownFlags, weight: 2},
  {arbitrary: unknownCommands, weight: 1},
  {arbitrary: unknownVariables, weight: 1},
  {arbitrary: badFiles, weight: 2},
  {arbitrary: badPemFiles, weight: 1},
  {arbitrary: badEnvFiles, weight: 1},
  {arbitrary: contradictions, weight: 1},
);

/**
 * Whether the type of an option does not allow a text. What the program makes of that is tested.
 * @param {Option} option
 * @param {string} text
 * @param {{several: boolean}} how
 */
function isRefused({type, list}, text, {several}) {
  try {
    return (several && list ? listOf(type) : type).parse(text.trim()) === undefined;
  } catch {
    return true;
  }
}

/** Whether a text can get there unchanged. @param {string} source @param {string} text */
function canStandIn(source, text) {
  // A text that is not well formed would become another one on its way.
  if (text.includes('\0') || Buffer.from(text).toString() !== text) return false;
  if (source === 'flag') return true;
  if (text === '') return false;
  return source === 'environment' || parseEnv(`X=${text}\n`).X === text;
}
