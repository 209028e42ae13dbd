import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {appendFile, cp, readFile, writeFile} from 'node:fs/promises';
import {text} from 'node:stream/consumers';
import {before, describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {compare as compareByProgram} from '../../../src/api/index.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {withGithub} from '../support/github-api.js';
import {Workplace} from '../support/workplace.js';

const script = fileURLToPath(new URL('../../../infra/github/compare.js', import.meta.url));

const short = '--payload 1kb --samples 40 --warmup 10 --rounds 3 --transport websocket'.split(' ');

/** The cells of one real battle. @type {any[]} */
let cells;
before(async () => {
  const workplace = await Workplace.make();
  try {
    const {code, stdout, stderr} = await workplace.battle([...short, '--json', '--quiet']);
    assert.equal(code, 0, stderr);
    cells = JSON.parse(stdout).cells;
  } finally {
    await workplace.clear();
  }
});

/**
 * Adds the cells of that battle to the workplace's journal, with figures of a quiet host.
 * @param {Workplace} workplace
 * @param {string} battleId
 * @param {Record<string, number>} means of the trials, by transport, in ms
 * @param {string} [outcome] of the cells that are not of raw TCP
 */
async function addBattle(workplace, battleId, means, outcome = 'completed') {
  const lines = cells
    .map((cell) => asMeasured(cell, battleId, means[cell.transport]))
    .map((cell) => (cell.transport === 'tcp' ? cell : withOutcome(cell, outcome)))
    .flatMap((cell) => (cell === null ? [] : JSON.stringify(cell)));
  await appendFile(workplace.file('results.ndjson'), `${lines.join('\n')}\n`);
}

/** @param {any} cell @param {string} outcome @returns {any} null for a cell that is missing */
function withOutcome(cell, outcome) {
  if (outcome === 'completed') return cell;
  if (outcome === 'missing') return null;
  const figures = ['rtt', 'latencies', 'throughput', 'counts', 'trials', 'verdict', 'floor', 'vsFastest'];
  const identity = Object.fromEntries(Object.entries(cell).filter(([key]) => !figures.includes(key)));
  const error = {code: 'PB_RUN', message: 'It went wrong.'};
  return {...identity, outcome, ...(outcome === 'failed' && {error})};
}

/** @param {any} cell @param {string} battleId @param {number} meanMs */
function asMeasured(cell, battleId, meanMs) {
  const interval = [0.99 * meanMs, 1.01 * meanMs];
  return {
    ...cell,
    battleId,
    id: `${battleId}-${cell.transport}`,
    rtt: {...cell.rtt, meanMs, ci95Ms: interval, p50Ms: meanMs, ci95: {...cell.rtt.ci95, p50Ms: interval}},
    trials: cell.trials.map((/** @type {any} */ trial, /** @type {number} */ index) => ({
      ...trial,
      used: true,
      meanMs: meanMs * (1 + 0.002 * (index - 1)),
    })),
    verdict: {status: 'valid', warnings: []},
  };
}

describe('an expectation', () => {
  it(
    'that cannot be judged ends a battle with 5, after its rows are appended, and is in the JSON document',
    inAWorkplace(async (workplace) => {
      const expectation = 'websocket 1kb p99.999 < 1s';
      const {code, stdout, stderr} = await workplace.battle([...short, '--json', '--expect', expectation]);
      assert.equal(code, 5, stderr);
      const {expectations, cells} = JSON.parse(stdout);
      assert.deepEqual(
        expectations.map((/** @type {any} */ one) => [one.expectation, one.cell, one.outcome]),
        [[expectation, cells[1].id, 'cannot tell']],
      );
      assert.match(
        stderr,
        /Expectations:\ncannot tell +Web Sockets, 1kb: p99\.999 is not known: \d+ samples/,
      );
      assert.equal((await workplace.rows()).length, 2);
    }),
  );

  it(
    'is refused before anything starts if it cannot be read, or chooses no cell',
    inAWorkplace(async (workplace) => {
      for (const [expectation, message] of /** @type {const} */ ([
        ['websocket p99 < 5', /--expect must be .* it is "websocket p99 < 5"\. The limit of p99 is a time/],
        ['http p99 < 5ms', /The expectation "http p99 < 5ms" chooses no cell of this battle/],
      ])) {
        const {code, stderr} = await workplace.battle([...short, '--expect', expectation]);
        assert.equal(code, 2);
        assert.match(stderr, message);
      }
    }),
  );

  it(
    'of stored records ends table with 0, 4 or 5, and is an annotation on GitHub',
    inAWorkplace(async (workplace) => {
      await addBattle(workplace, 'quiet', {tcp: 0.1, websocket: 2});
      const table = (/** @type {string[]} */ expectations, environment = {}) =>
        workplace.battle(['table', ...expectations.flatMap((text) => ['--expect', text])], environment);
      const held = await table(['websocket 1kb mean < 5ms', 'tcp p50 < 1ms']);
      assert.equal(held.code, 0, held.stderr);
      assert.match(
        held.stdout,
        /\nholds +Web Sockets, 1kb: mean is 2\.00 ms \[1\.98, 2\.02\], expected < 5ms\n/,
      );
      assert.equal((await table(['websocket mean < 2ms'])).code, 5);
      const failed = await table(['websocket mean < 2ms; mean < 1ms'], {GITHUB_ACTIONS: 'true'});
      assert.equal(failed.code, 4);
      assert.match(failed.stdout, /\n::error title=perf-battle::fails: Web Sockets, 1kb: mean is 2\.00 ms/);
      assert.match(failed.stdout, /\n::warning title=perf-battle::cannot tell: Web Sockets, 1kb: mean/);
      assert.equal((await table(['http mean < 1ms'])).code, 5, 'there is no such cell');
    }),
  );
});

describe('perf-battle choose', () => {
  const question = ['choose', '--rate', '200', '--p99', '50ms'];

  it(
    'says of each transport but raw TCP whether it sustains the rate, and stores what it measured',
    inAWorkplace(async (workplace) => {
      const length = [
        '--transport',
        'http,websocket',
        '--rounds',
        '2',
        '--duration',
        '250ms',
        '--warmup',
        '20',
      ];
      const {code, stdout, stderr} = await workplace.battle([...question, ...length, '--json']);
      const {cells, choices} = JSON.parse(stdout);
      assert.deepEqual(
        cells.map((/** @type {any} */ {variant}) => variant.rate),
        [200, 200, 200, 200],
      );
      assert.ok(cells.every((/** @type {any} */ {config}) => config.p99Ms === 50));
      const outcomes = choices.map((/** @type {any} */ {outcome}) => outcome);
      assert.equal(outcomes.length, 3);
      // A busy host cannot tell, and p99 needs more samples than these.
      const expected = outcomes.includes('holds') ? 0 : outcomes.includes('cannot tell') ? 5 : 4;
      assert.equal(code, expected, stderr);
      assert.match(stderr, /\nWhich transport sustains 200\/s of 1 KB with a p99 of at most 50 ms\?\n/);
      for (const name of ['Web Sockets', 'HTTP \\(Express\\)', 'HTTP \\(node:http\\)'])
        assert.match(stderr, new RegExp(`^${name}(?: holds it:| does not:|: cannot tell;) `, 'm'));
      assert.equal((await workplace.rows()).length, 4);
      assert.equal((await workplace.battle(['report'])).code, 0);
      const page = await readFile(workplace.file('report.html'), 'utf8');
      assert.match(page, /<h1>Which transport sustains 200\/s of 1 KB with a p99 of at most 50 ms\?<\/h1>/);
      assert.match(page, /--p99/);
    }),
  );

  it(
    'shows its own option with --print-config, too',
    inAWorkplace(async (workplace) => {
      const text = await workplace.battle([...question, '--print-config']);
      assert.match(text.stdout, /^--p99 +PB_P99 +50ms +--p99$/m);
      const {stdout} = await workplace.battle([...question, '--print-config', '--json']);
      assert.deepEqual(JSON.parse(stdout).settings.p99, {value: 50, origin: '--p99'});
    }),
  );

  it(
    'needs one rate, a p99 and one payload size, and takes no other workload',
    inAWorkplace(async (workplace) => {
      for (const [words, message] of /** @type {[string[], RegExp][]} */ ([
        [['choose', '--rate', '200'], /choose needs one --rate and a --p99, such as/],
        [['choose', '--p99', '5ms'], /choose needs one --rate and a --p99/],
        [[...question, '--rate', '300'], /choose needs one --rate/],
        [[...question, '--payload', '1kb,2kb'], /one payload size/],
        [[...question, '--workload', 'stream'], /so --workload cannot be given/],
        [[...question, '--expect', 'p99 < 1s'], /so --expect cannot be given/],
        [['choose', '--rate', '200', '--p99', '5'], /A time needs a unit/],
      ])) {
        const {code, stderr} = await workplace.battle(words);
        assert.equal(code, 2, words.join(' '));
        assert.match(stderr, message);
      }
    }),
  );
});

describe('a gate does not pass a cell that it cannot see', () => {
  for (const outcome of ['failed', 'aborted', 'missing'])
    it(
      `${outcome} on the new side, however the sides are named`,
      inAWorkplace(async (workplace) => {
        await addBattle(workplace, 'aaaa', {tcp: 0.1, websocket: 2});
        await cp(workplace.file('results.ndjson'), workplace.file('old.ndjson'));
        await addBattle(workplace, 'bbbb', {tcp: 0.1, websocket: 2}, outcome);
        const lines = (await readFile(workplace.file('results.ndjson'), 'utf8')).trim().split('\n');
        const sides = ['aaaa', 'bbbb'].map((id) =>
          lines.map((line) => JSON.parse(line)).filter(({battleId}) => battleId === id),
        );
        for (const [index, name] of ['old', 'new'].entries())
          await writeFile(workplace.file(`${name}.json`), JSON.stringify({battle: {}, cells: sides[index]}));
        const newLines = sides[1].map((cell) => `${JSON.stringify(cell)}\n`);
        await writeFile(workplace.file('new.ndjson'), newLines.join(''));

        const names = [
          ...[[], ['aaaa', 'bbbb'], ['old.json', 'new.json'], ['old.ndjson', 'new.ndjson']],
          ...(outcome === 'missing' ? [] : [['old.ndjson', 'results.ndjson']]),
        ];
        for (const words of names) {
          const {code, stdout} = await workplace.battle(['compare', ...words, '--fail-if-slower', '5%']);
          assert.equal(code, 5, `${words} ${stdout}`);
          assert.match(
            stdout,
            /\ncannot tell +Web Sockets, 1kb: (it (failed|aborted) on the new side|only the old side has it)\n/,
          );
        }
        const [path, objects, arrays] = await Promise.all([
          compareByProgram(workplace.file('old.json'), workplace.file('new.json')),
          compareByProgram({cells: sides[0]}, {cells: sides[1]}),
          compareByProgram(sides[0], outcome === 'missing' ? sides[1] : sides.flat()),
        ]);
        assert.deepEqual(path.cells, objects.cells);
        assert.deepEqual(path.cells, arrays.cells);
        assert.ok(path.cells.some(({result}) => result === 'not comparable'));

        const judged = await workplace.battle(['table', '--expect', 'websocket mean < 5ms']);
        assert.equal(judged.code, outcome === 'missing' ? 0 : 5, judged.stdout);
      }),
    );
});

describe('perf-battle compare', () => {
  it(
    'names the newest battles with figures after one that was interrupted',
    inAWorkplace(async (workplace) => {
      for (const battle of ['aaaaaaaa', 'bbbbbbbb'])
        await addBattle(workplace, battle, {tcp: 1, websocket: 2});
      const aborted = cells.map((cell) => withOutcome({...cell, battleId: 'cccccccc'}, 'aborted'));
      await appendFile(
        workplace.file('results.ndjson'),
        `${aborted.map((cell) => JSON.stringify(cell)).join('\n')}\n`,
      );
      const {code, stderr} = await workplace.battle(['compare']);
      assert.equal(code, 0, stderr);
      assert.match(stderr, /^Warning: battle cccccccc of .* has no completed cell\.$/m);
      assert.match(stderr, /^The newest battles with figures: perf-battle compare aaaaaaaa bbbbbbbb$/m);
      assert.equal((await workplace.battle(['compare', 'aaaa', 'bbbb'])).stderr, '');
    }),
  );

  it(
    'says what changed between two battles, and ends with 4 if a cell is slower than it may be',
    inAWorkplace(async (workplace) => {
      await addBattle(workplace, 'aaaa', {tcp: 0.1, websocket: 2});
      await addBattle(workplace, 'bbbb', {tcp: 0.1, websocket: 2.4});
      const compare = (/** @type {string[]} */ ...words) => workplace.battle(['compare', ...words]);

      const newest = await compare();
      assert.equal(newest.code, 0, newest.stderr);
      assert.match(
        newest.stdout,
        /^Old: battle aaaa of results\.ndjson, .*\nNew: battle bbbb .*\n1 cell: 1 slower\.\n/,
      );
      assert.match(newest.stdout, /\n1kb +TCP .*no diff\. shown\n/);
      assert.match(
        newest.stdout,
        /\n1kb +Web Sockets +2\.00 ms +2\.40 ms +1\.20× \[1\.\d+, 1\.\d+\] +slower\n/,
      );
      for (const line of newest.stdout.split('\n')) assert.ok(line.length <= 80, line);

      const slower = await compare('--fail-if-slower', '5%');
      assert.equal(slower.code, 4);
      assert.match(slower.stdout, /\nfails +Web Sockets, 1kb: it takes 1\.20× \[.*\] as long as before\n/);
      assert.equal((await compare('--fail-if-slower', '50%')).code, 0);
      assert.equal((await compare('bbbb', 'aaaa', '--fail-if-slower', '5%')).code, 0);

      const {stdout} = await compare('aa', 'latest', '--json');
      const [tcp, websocket] = JSON.parse(stdout).cells;
      assert.deepEqual([tcp.result, websocket.result], ['no difference shown', 'slower']);
      assert.ok(Math.abs(websocket.ratio - 1.2) < 1e-9 && websocket.ratioCi95[0] > 1.19);
      assert.deepEqual([websocket.old, websocket.new], ['aaaa-websocket', 'bbbb-websocket']);

      const {stdout: markdown} = await compare('--markdown');
      assert.match(markdown, /^\*\*1 cell: 1 slower\.\*\*\n\nOld: /);
      assert.match(markdown, /\n\| 1kb +\| Web Sockets \|/);
      const gate = await compare('--markdown', '--fail-if-slower', '5%');
      assert.match(gate.stdout, /slower\.\*\*\n\n\*\*fails\*\*: Web Sockets, 1kb: it takes 1\.20× /);
    }),
  );

  it(
    'reads journals, results files, documents of --json, and battles of other journals',
    inAWorkplace(async (workplace) => {
      await writeFile(workplace.file('new.json'), JSON.stringify({battle: {}, cells}));
      await writeFile(workplace.file('results.md'), '# Results\n');
      await addBattle(workplace, 'aaaa', {tcp: 0.1, websocket: 2});
      await cp(workplace.file('results.ndjson'), workplace.file('other/results.ndjson'));
      await cp(workplace.file('results.md'), workplace.file('other/results.md'));
      for (const sides of [
        ['results.md', 'new.json'],
        ['./results.ndjson', 'new.json'],
        ['new.json', 'results.ndjson#aaaa'],
        ['new.json', 'aaaa'],
        ['other/results.md', 'results.md'],
        ['other/results.ndjson#aaaa', 'aaaa'],
      ]) {
        const compared = await workplace.battle(['compare', ...sides, '--json']);
        assert.equal(compared.code, 0, compared.stderr);
        assert.equal(JSON.parse(compared.stdout).cells.length, 2);
      }
    }),
  );

  it(
    'refuses sides that are not there, with the battles that are',
    inAWorkplace(async (workplace) => {
      const missing = await workplace.battle(['compare', 'a', 'b']);
      assert.equal(missing.code, 2);
      assert.match(missing.stderr, /"a" is not a file, and there is no journal results\.ndjson\./);
      await addBattle(workplace, 'aaaa', {tcp: 0.1, websocket: 2});
      await writeFile(workplace.file('other.json'), '[]');
      for (const [sides, message] of /** @type {[string[], RegExp][]} */ ([
        [[], /results\.ndjson has a single battle, \w+, so there is none before it/],
        [['nosuch', 'latest'], /"nosuch" is neither .* Its newest battles: \w+ \(.* UTC, 2 cells\)\./],
        [['latest', 'latest'], /Both sides are battle/],
        [['./results.ndjson', 'results.ndjson'], /Both sides are \.\/results\.ndjson/],
        [['x#latest', 'latest'], /"x" is not a file/],
        [['other.json', 'latest'], /other\.json is not a document that --json printed/],
        [
          ['results.ndjson', 'results.ndjson#latest', '--results', 'x.md'],
          /--results x\.md has no effect here/,
        ],
        [['a', 'b', 'c'], /it was also given "c"/],
        [['latest', 'results.md', '--json', '--markdown'], /exclude each other/],
      ])) {
        const {code, stdout, stderr} = await workplace.battle(['compare', ...sides]);
        assert.deepEqual([code, stdout], [2, ''], stderr);
        assert.match(stderr, message);
        assert.doesNotMatch(stderr, /\n\s+at /);
      }
    }),
  );
});

describe('the action that compares two sides on GitHub', () => {
  it(
    'writes the comparison into the summary of the run, and ends with its exit code',
    inAWorkplace(async (workplace) => {
      await addBattle(workplace, 'aaaa', {tcp: 0.1, websocket: 2});
      await addBattle(workplace, 'bbbb', {tcp: 0.1, websocket: 2.4});
      const failed = await runAction(workplace, {FAIL_IF_SLOWER: '5%', GITHUB_ACTIONS: 'true'});
      assert.equal(failed.code, 4, failed.output);
      assert.match(failed.output, /^::error title=perf-battle::fails: Web Sockets, 1kb/m);
      assert.equal((await runAction(workplace, {})).code, 0);
      assert.match(await readFile(workplace.file('summary.md'), 'utf8'), /^\*\*1 cell: 1 slower\.\*\*/);
      assert.equal((await runAction(workplace, {OLD: 'nosuch'})).code, 2);
    }),
  );

  it(
    'may pass a comparison that cannot tell',
    inAWorkplace(async (workplace) => {
      await addBattle(workplace, 'aaaa', {tcp: 0.1, websocket: 2});
      await addBattle(workplace, 'bbbb', {tcp: 0.3, websocket: 2.4});
      const asked = {FAIL_IF_SLOWER: '5%'};
      assert.equal((await runAction(workplace, asked)).code, 5);
      const allowed = await runAction(workplace, {...asked, ALLOW_UNKNOWN: 'true'});
      assert.equal(allowed.code, 0);
      assert.match(allowed.output, /^::warning title=perf-battle::Not all of it can be judged\./m);
    }),
  );

  it(
    'comments on the pull request, and replaces only the comment of the same job',
    inAWorkplace(async (workplace) => {
      await addBattle(workplace, 'aaaa', {tcp: 0.1, websocket: 2});
      await addBattle(workplace, 'bbbb', {tcp: 0.1, websocket: 2.4});
      // Two pages of other comments come first.
      const comments = Array.from({length: 120}, (_, id) => ({id, body: `I agree ${id} times.`}));
      const event = workplace.file('event.json');
      await writeFile(event, JSON.stringify({pull_request: {number: 7}}));
      await withGithub({comments}, async (address) => {
        const comment = {GITHUB_EVENT_PATH: event, GITHUB_API_URL: address, GITHUB_JOB: 'compare'};
        const first = await runAction(workplace, comment);
        assert.equal(first.code, 0, first.output);
        assert.equal(comments.length, 121);
        assert.match(comments[120].body, /^<!-- perf-battle compare [\da-f]{16} -->\n\*\*1 cell: 1 slower/);
        comments[120].body += 'once more';
        await runAction(workplace, comment);
        assert.equal(comments.length, 121);
        assert.doesNotMatch(comments[120].body, /once more/);
        await runAction(workplace, {...comment, GITHUB_JOB: 'another'});
        assert.equal(comments.length, 122);
        await runAction(workplace, {...comment, NAME: 'on ARM'});
        assert.equal(comments.length, 123);
        const refused = await runAction(workplace, {...comment, GH_TOKEN: 'of a fork'});
        assert.equal(refused.code, 0);
        assert.match(
          refused.output,
          /^::notice .*GitHub answered 403 to PATCH \/repos\/me\/mine\/issues\/comments\/120/m,
        );
        assert.equal(comments.length, 123);
      });
    }),
  );
});

/**
 * Runs the script of the action as GitHub does.
 * @param {Workplace} workplace
 * @param {Record<string, string>} environment
 * @returns {Promise<{code: number | null, output: string}>}
 */
async function runAction(workplace, environment) {
  const child = spawn(process.execPath, [script], {
    cwd: workplace.path,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...{PATH: process.env.PATH, GITHUB_STEP_SUMMARY: workplace.file('summary.md')},
      ...{GITHUB_REPOSITORY: 'me/mine', GITHUB_WORKFLOW: 'CI', GH_TOKEN: 'mine'},
      ...{OLD: 'previous', NEW: 'latest', ALLOW_UNKNOWN: 'false', COMMENT: 'true', ...environment},
    },
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return {code, output: stdout + stderr};
}
