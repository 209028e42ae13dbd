import assert from 'node:assert/strict';
import {readFile, writeFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {checkPrograms} from '../../../src/conformance/check-programs.js';
import {checks} from '../../../src/conformance/program-checks.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {listenHere} from '../support/listen.js';

const program = fileURLToPath(new URL('faulty.js', import.meta.url));
/** What a terminal acts on. */
const unsafe = /[\p{Bidi_Control}\u2028\u2029]|[^\P{Cc}\n\t]|\\u00[0189]|\\[bfr]/u;
const short = ['--payload', '1kb', '--rounds', '1', '--samples', '20', '--warmup', '5'];

/** @param {string} name @param {string} server its fault @param {string} [client] */
function pairOf(name, server, client = 'none') {
  const command = `"${process.execPath}" "${program}"`;
  return {name, server: `${command} "${server}" server`, client: `${command} "${client}" client`};
}

/** @param {readonly ReturnType<typeof pairOf>[]} pairs */
function external(pairs) {
  return pairs.flatMap(({name, server, client}) => ['--external', `${name}=${server},${client}`]);
}

/**
 * @param {ReturnType<typeof pairOf>} programs
 * @param {{check?: RegExp, broker?: object | null}} [more] check: those with such names
 */
async function textsOf(programs, {check = /become ready/, broker = null} = {}) {
  const selected = checks.filter(({name}) => check.test(name));
  const texts = [];
  for await (const {text} of checkPrograms({programs, broker}, new AbortController().signal, selected))
    texts.push(text);
  return texts;
}

/** Each fault, and what is said of it. @type {[string, RegExp][]} */
const faults = [
  ['without an end of line', /The server wrote a line of more than 32 MiB\./],
  ['writing what nobody asked for', /The server wrote 1000 events that it was not asked for/],
  ['of endless details', /details: has more than 4096 characters/],
  ['failing in colours', /The server program reported: broken +\[2J/],
  ['dying in colours', /The server ended with exit code 3\. Its last output: the last words +\[2J/],
  ['dying with a child', /The server ended with exit code 7/],
  ['coloured in details', /v +\[2J/],
];

/** Those whose figures cannot be true, and what is said of them. @type {[string, RegExp][]} */
const liars = [
  ['claiming an hour', /samplesNs: 100 samples of together 360000000 ms do not fit into/],
  ['faster than light', /samplesNs\.0: Too small/],
  ['giving up too often', /timedOut: 99999 requests timed out, but 0 of 100 had no reply/],
  ['corrupted beyond measure', /corrupted: 101 of 100/],
  ['encoding zeros', /encoded\.minMs: it is 0/],
  ['encoding min above max', /encoded\.minMs: .* is above maxMs/],
];

describe('programs of --external that misbehave', {concurrency: 2, timeout: 600_000}, () => {
  for (const [fault, message] of faults)
    it(`are refused in a safe sentence: ${fault}`, async () => {
      const [text] = await textsOf(pairOf('Mine', fault));
      assert.match(text, message);
      assert.doesNotMatch(text, unsafe);
    });

  for (const [fault, message] of liars)
    it(`have no figures that cannot be true: ${fault}`, async () => {
      const [text] = await textsOf(pairOf('Mine', 'none', fault), {check: /server counts each/});
      assert.match(text, message);
    });

  it(
    'fail alone in a battle, the others are measured, and nothing of them is left, in whatever session',
    inAWorkplace(async (workplace) => {
      const pairs = [
        pairOf('Zeros', 'none', 'encoding zeros'),
        pairOf('Blue', 'dying in colours'),
        pairOf('Child', 'leaving a child'),
        pairOf('Orphan', 'leaving an orphan', 'coloured in details'),
      ];
      const {code, stdout, stderr} = await workplace.battle([
        ...['--transport', 'external', ...external(pairs), ...short],
      ]);
      assert.equal(code, 1);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'external');
      assert.deepEqual(cells.map(({labels, outcome}) => [labels.facilitator, outcome]).sort(), [
        ['Blue', 'failed'],
        ['Child', 'completed'],
        ['Orphan', 'completed'],
        ['Zeros', 'failed'],
      ]);
      const journal = await readFile(workplace.file('results.ndjson'), 'utf8');
      for (const text of [journal, stdout, stderr]) assert.doesNotMatch(text, unsafe);
      assert.match(journal, /encoded\.minMs: it is 0/);
      assert.deepEqual(await workplace.leftoversWithin(3000), []);
    }),
  );

  for (const fault of [
    'failing with its password',
    'dying with its password',
    'with its password in details',
    'showing its password',
  ])
    it(`do not show the password of their broker, ${fault}`, async () => {
      const password = 's3cret/"of: mine';
      const broker = {protocol: 'amqp', hostname: 'localhost', username: 'me', password};
      const texts = await textsOf(pairOf('Mine', fault, fault), {
        check: /become ready|server counts each/,
        broker,
      });
      assert.equal(texts.length, 2);
      assert.match(texts.join('\n'), /\*\*\*/);
      assert.doesNotMatch(texts.join('\n'), /s3cret/);
    });
});

describe('what others say', {concurrency: 2, timeout: 300_000}, () => {
  const escapes = '\u001b[2J\u009b31m\u202eturned\u2028\r';

  it(
    'an HTTP server cannot clear the screen by its reply',
    inAWorkplace(async (workplace) => {
      const server = await listenHere(
        createServer((_, response) => response.writeHead(500).end(`no${escapes}`)),
      );
      const environment = {PB_SERVER_PORT: String(server.port), PB_SERVER_HOST: '127.0.0.1', PB_SAMPLES: '5'};
      const {code, stderr} = await workplace.run('http-client', [], environment);
      server.close();
      assert.equal(code, 1);
      assert.match(stderr, /answered 500: no +\[2J/);
      assert.doesNotMatch(stderr, unsafe);
    }),
  );

  it(
    'nor a journal by its names',
    inAWorkplace(async (workplace) => {
      const battle = ['--transport', 'external', ...external([pairOf('Mine', 'none')]), ...short];
      const {code, stdout, stderr} = await workplace.battle(battle);
      assert.equal(code, 0, stdout + stderr);
      const journal = await readFile(workplace.file('results.ndjson'), 'utf8');
      const name = JSON.stringify(`Mine${escapes}`).slice(1, -1);
      await writeFile(
        workplace.file('foreign.ndjson'),
        journal.replaceAll('"Mine"', `"${name}"`).replaceAll('"local"', `"${name}"`),
      );
      for (const words of [
        ['table', '--results', 'foreign.md'],
        ['table', '--results', 'foreign.md', '--json'],
        ['table', '--results', 'foreign.md', '--csv'],
        ['compare', 'foreign.ndjson', 'results.ndjson'],
        ['report', '--results', 'foreign.md'],
      ]) {
        const shown = await workplace.battle(words);
        assert.match(`${shown.stdout}${shown.stderr}`, /Mine|html/, words.join(' '));
        for (const text of [shown.stdout, shown.stderr])
          assert.doesNotMatch(text.replaceAll('\r\n', '\n'), unsafe, words.join(' '));
      }
    }),
  );
});
