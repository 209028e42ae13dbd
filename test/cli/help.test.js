import assert from 'node:assert/strict';
import {readdirSync, readFileSync} from 'node:fs';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {helpOn, partNames, screenOf, topicNames, wholeOf} from '../../src/cli/help.js';
import {helpPages} from '../../src/cli/help-pages.js';
import {errorCodes} from '../../src/errors.js';
import {flagText} from '../../src/options/show-option.js';
import {allOptions} from '../../src/settings/index.js';
import {warnings} from '../../src/verdict/warnings.js';
import {isQuick} from '../support/effort.js';
import {literalsOf} from '../support/string-literals.js';

const source = fileURLToPath(new URL('../../src/', import.meta.url));
const commands = Object.keys(helpPages);
const maxLines = 40;
const width = 80;

for (const command of commands)
  test(`the first help of ${command} is one screen`, () => {
    const lines = screenOf(command, width).split('\n');
    assert.ok(lines.length <= maxLines, `${lines.length} lines`);
    assert.deepEqual(
      lines.filter((line) => line.length > width),
      [],
    );
  });

test('the first screen names each command, and says what the program is before it shows how to call it', () => {
  const screen = screenOf('battle', width);
  assert.match(
    screen,
    /^perf-battle measures [^.]*\. [^.]*\. New here\? Read perf-battle help start\.\n\nUsage: perf-battle /s,
  );
  const [, list] = screen.split('Usage: ');
  for (const command of commands.filter((name) => name !== 'battle'))
    assert.match(list, new RegExp(`^  (?:.*, )?${command}\\b`, 'm'));
});

test('a first screen names options that its command has', () => {
  for (const [command, {first = [], options}] of Object.entries(helpPages)) {
    const unknown = first.filter((name) => name !== 'url' && !options.some((option) => option.name === name));
    assert.deepEqual(unknown, [], command);
  }
});

/** @param {string} command */
const pointerOf = (command) =>
  command === 'battle' ? ': perf-battle help all):' : `: perf-battle ${command} --help all):`;

test('a first screen that leaves options out says where they are', () => {
  for (const command of commands) {
    const screen = screenOf(command, width);
    const isShort = helpPages[command].options.some((option) => !screen.includes(flagText(option)));
    assert.equal(screen.includes(pointerOf(command)), isShort, command);
  }
});

test('the whole help of a battle has each of its options', () => {
  const whole = wholeOf('battle');
  for (const option of helpPages.battle.options)
    assert.ok(whole.includes(`\n  ${flagText(option)}`), option.name);
});

test('each topic is explained', () => {
  for (const topic of topicNames()) assert.ok(helpOn(topic, 'battle').length > 20, topic);
});

test('a group of transports lists its members', () => {
  assert.match(
    helpOn('brokers', 'battle').replace(/\s+/g, ' '),
    /--transport brokers runs rabbitmq, .*kafka\. /,
  );
  assert.match(helpOn('default', 'battle').replace(/\s+/g, ' '), /runs tcp, http, websocket, rabbitmq\. /);
});

test('each word of the tables and each code leads to what the pages say about it', () => {
  const words = [...warnings.map(({code}) => code), ...Object.keys(errorCodes)];
  for (const word of words) assert.match(helpOn(word, 'battle'), /perf-battle help [a-z-]+$/, word);
  for (const [word, text] of /** @type {const} */ ([
    ['run-delay', /^run-delay\n {2}When: .*\n\nrun-delay\n {2}What to do: stop other programs\./s],
    ['suspect', /^suspect\n {2}Meaning: the figure may be wrong\n.*\n\n## Everything is suspect\n/s],
    ['verdict', /^## Verdicts\n/],
    [
      'PB_BROKER_UNAVAILABLE',
      /^PB_BROKER_UNAVAILABLE\n {2}Exit code: 3\n {2}Meaning: no broker was available\n/,
    ],
    ['masked in JavaScript', /"masked in JavaScript".*perf-battle help transports$/s],
  ]))
    assert.match(helpOn(word, 'battle'), text);
  assert.throws(() => helpOn('suspekt', 'battle'), /There is no help on "suspekt"/);
});

test('a word that is in a list leads to its item alone', () => {
  const text = helpOn('floor', 'battle');
  assert.match(text, /^- \*\*Floor\*\*: raw TCP in the same battle/);
  assert.doesNotMatch(text, /\*\*Percentile\*\*/);
});

test('a part has the options that belong to it', () => {
  for (const [topic, flags] of /** @type {const} */ ([
    ['rabbitmq', ['--delivery-mode 1|2,…', '--rabbitmq-confirms on|off,…', '--rabbitmq-url URL']],
    ['amqp1', ['--transport amqp1', '--amqp1-settled on|off,…', '--delivery-mode 1|2,…']],
    ['rabbitmq-stream', ['--transport rabbitmq-stream', '--rabbitmq-stream-batch N,…']],
    ['stomp', ['--transport stomp', '--stomp-receipts on|off,…', '--delivery-mode 1|2,…']],
    ['Rounds and time', ['--rounds N', '--budget TIME']],
    ['rounds-and-time', ['--rounds N', '--budget TIME']],
    ['queue', ['--pairwise on|off,…', '--workload queue']],
    ['nats', ['--transport nats', '--nats-url URL']],
    ['kafka', ['--transport kafka', '--kafka-acks 0|1|all,…', '--kafka-url URL']],
    ['redis', ['--transport redis', '--redis-via list|stream|pubsub,…', '--redis-url URL']],
  ]))
    for (const flag of flags) assert.ok(helpOn(topic, 'battle').includes(flag), `${topic}: ${flag}`);
  assert.doesNotMatch(helpOn('rabbitmq', 'battle'), /--nats-url/);
});

for (const given of ['payload', '--payload', '-p', 'PB_PAYLOAD_BYTES'])
  test(`an option is explained in full: ${given}`, () => {
    const text = helpOn(given, 'battle');
    assert.match(text, /^-p, --payload SIZE,…\n\nSize of the request and of its reply\.\n/);
    assert.match(text, /^Default: 1kb,100kb,500kb,1000kb; by hand 1kb$/m);
    assert.match(text, /^Variable: PB_PAYLOAD_BYTES$/m);
    assert.match(text, /^Commands: battle, .*ec2.*call$/m);
  });

test('a secret default of an option is not shown', () => {
  assert.doesNotMatch(helpOn('--rabbitmq-password', 'battle'), /Default|guest/);
});

test('a page is printed as it is, from any folder of docs; its path names it where a command has its name', () => {
  for (const [topic, path] of /** @type {const} */ ([
    ['how-it-measures', 'how-it-measures.md'],
    ['docs/how-it-measures.md', 'how-it-measures.md'],
    ['accuracy', 'evidence/accuracy.md'],
    ['evidence/accuracy.md', 'evidence/accuracy.md'],
    ['architecture', 'contributing/architecture.md'],
    ['compare.md', 'compare.md'],
  ])) {
    const page = readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8');
    assert.equal(helpOn(topic, 'battle'), page, topic);
  }
  assert.match(helpOn('compare', 'battle'), /\nThe page: perf-battle help compare\.md$/);
});

test('an anchor leads to a section of a page, with the sections below it', () => {
  for (const topic of [
    'troubleshooting.md#everything-is-suspect',
    'docs/troubleshooting#everything-is-suspect',
  ])
    assert.match(
      helpOn(topic, 'battle'),
      /^## Everything is suspect\n[^#]*even in a suspect row\.\n$/,
      topic,
    );
  assert.match(
    helpOn('evidence/documents.md#http-websocket-and-rabbitmq-2016', 'battle'),
    /^## HTTP, WebSocket /,
  );
});

test('the plural of a part, and its label in two words, lead to it', () => {
  for (const topic of ['websockets', 'WebSockets', 'Web Sockets', 'pipelines'])
    assert.match(helpOn(topic, 'battle'), /--transport websocket\b|--workload pipeline\b/, topic);
});

for (const [topic, advice] of /** @type {const} */ ([
  [
    'troubleshooting.md#nope',
    /^The page troubleshooting has no section "nope"\. Its sections are: everything-is-suspect, figures-/,
  ],
  ['no-such-page.md#nope', /There is no help on "no-such-page\.md#nope"/],
  ['rabitmq', /"rabitmq"\. Did you mean rabbitmq\?/],
  ['tabel', /Did you mean table\?/],
  ['--paylod', /Did you mean --payload\?/],
  ['how-it-measure', /Did you mean how-it-measures\?/],
  ['../../package.json', /There is no help on "\.\.\/\.\.\/package\.json"\./],
  ['docs/../README.md', /There is no help on /],
  ['', /There is no help on ""\./],
  ['*', /There is no help on "\*"\./],
  ['****', /There is no help on "\*\*\*\*"\./],
  ['run', /There is no help on "run"\./],
]))
  test(`there is no help on ${topic}`, () => {
    assert.throws(() => helpOn(topic, 'battle'), {code: 'PB_USAGE', message: advice});
  });

test('each topic that a text of the program names exists, and no text names the path of a page', {
  skip: isQuick,
}, () => {
  const paths = readdirSync(source, {recursive: true, encoding: 'utf8'}).filter((path) =>
    path.endsWith('.js'),
  );
  const texts = paths.flatMap((path) =>
    literalsOf(readFileSync(`${source}${path}`, 'utf8')).map((text) => ({path, text})),
  );
  const named = texts.flatMap(({path, text}) =>
    Array.from(text.matchAll(/perf-battle help ([a-z][\w.-]*\w)/g), ([, topic]) => ({path, topic})),
  );
  assert.ok(named.length > 15, `${named.length}`);
  const isTopic = (/** @type {string} */ topic) => {
    try {
      return helpOn(topic, 'battle') !== '';
    } catch {
      return false;
    }
  };
  // "perf-battle help lists the commands" is a sentence on the command itself.
  assert.deepEqual(
    named.filter(({topic}) => topic !== 'lists' && !isTopic(topic)),
    [],
  );
  assert.deepEqual(
    texts.filter(({text}) => /(?<!https:\S*)\bdocs\/[\w/-]+\.md/.test(text)),
    [],
  );
});

test('groups of options, transports and workloads are parts', () => {
  const names = partNames();
  for (const {group} of allOptions)
    assert.ok(names.includes(group.toLowerCase().replaceAll('/', '').replaceAll(' ', '-')), group);
});
