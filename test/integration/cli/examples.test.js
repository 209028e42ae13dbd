import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {helpPages} from '../../../src/cli/help-pages.js';
import {run} from '../../../src/cli/index.js';
import {PerfBattleError} from '../../../src/errors.js';
import {makeCertificates} from '../support/certificates.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const docs = (await readdir(join(root, 'docs'), {recursive: true})).filter((name) => name.endsWith('.md'));
const pages = ['README.md', ...docs.map((name) => join('docs', name))];

/** Commands that plan a battle: what they plan is shown, and nothing is measured. */
const planned = new Set(['battle', 'ab', 'choose', 'faults']);
/** Those whose tests have a cloud, programs in another language, or a process of its own for each half. */
const elsewhere = new Set(['ec2', 'check-adapter', 'check-transport', 'serve', 'call']);
const isVariable = /^PB_\w+=/;
/** What a name of the pages stands for here. */
const standsFor = {'3f2a91c0': 'previous', './mine': './lines', $enduro: './echo'};

/**
 * The examples of a page, each once, without `npx perf-battle`: lines, and commands with options within a sentence or a cell. Lines of help have a
 * description after two blanks, those of other pages a comment.
 * @param {string} text
 */
function examplesIn(text) {
  const lines =
    text.replace(/\\\n */g, ' ').match(/^(?: {2}|\$ )?(?:PB_\w+=\S+ )*npx perf-battle.*$/gm) ?? [];
  const inText = Array.from(text.matchAll(/`npx perf-battle ([^`]*--[^`]*)`/g), ([, words]) =>
    words.replace(/\s+/g, ' '),
  );
  const ofLines = lines.map((line) =>
    line
      .replace(/^(?: {2}|\$ )?((?:PB_\w+=\S+ )*)npx perf-battle ?/, '$1')
      .split(/ {2,}(?![-'"])| #| [|>] /)[0]
      .replace(/ +/g, ' ')
      .trim(),
  );
  return new Set([...ofLines, ...inText]);
}

/** As a shell splits them. @param {string} line */
function wordsOf(line) {
  return Array.from(line.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g), ([word]) => {
    const plain = word.replace(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double);
    return Object.entries(standsFor).reduce((text, [name, meant]) => text.replaceAll(name, meant), plain);
  });
}

const texts = await Promise.all(pages.map((page) => readFile(join(root, page), 'utf8')));
const ofHelp = Object.values(helpPages).map((page) => page.examples);
const examples = [...new Set([...ofHelp, ...texts].flatMap((text) => [...examplesIn(text)]))];

describe('the examples of README, docs and help', {timeout: 600_000}, () => {
  let folder = '';
  const startedIn = process.cwd();

  /** @param {readonly string[]} words @returns {Promise<{code: number, printed: string}>} */
  async function runHere(words) {
    const streams = [process.stdout, process.stderr];
    const writes = streams.map((stream) => stream.write);
    let printed = '';
    // What the test runner reports is no text.
    for (const [index, stream] of streams.entries())
      stream.write = /** @type {any} */ (
        (/** @type {string | Uint8Array} */ text) => {
          if (typeof text !== 'string') return writes[index].call(stream, text);
          printed += text;
          return true;
        }
      );
    try {
      return {code: await run(words, new AbortController().signal), printed};
    } catch (error) {
      if (!(error instanceof PerfBattleError)) throw error;
      return {code: error.exitCode, printed: error.message};
    } finally {
      for (const [index, stream] of streams.entries()) stream.write = writes[index];
    }
  }

  before(async () => {
    const home = await mkdtemp(join(tmpdir(), 'perf-battle-examples-'));
    folder = join(home, 'here');
    for (const name of ['here', 'here/old', 'here/other']) await mkdir(join(home, name));
    for (const name of ['changed', 'perf-battle-changed']) await symlink(root, join(home, name));
    process.chdir(folder);
    const short = ['--transport', 'tcp,websocket', '--payload', '1kb', '--rounds', '3', '--samples', '200'];
    for (const file of ['base.json', 'new.json']) {
      const {code, printed} = await runHere([...short, '--warmup', '50', '--json', '--quiet']);
      assert.equal(code, 0, printed);
      await writeFile(file, printed);
    }
    for (const name of ['old', 'other'])
      for (const file of ['results.md', 'results.ndjson']) await cp(file, join(name, file));
    await writeFile('README.md', '<!-- perf-battle:begin -->\n\n<!-- perf-battle:end -->\n');
    for (const file of ['01_tpcall.txt', '04_tpacall.txt'])
      await writeFile(file, '"Configuration" "MsgSize" "CallsPerSec"\n"here" 1 1000\n"here" 2 900\n');
    await makeCertificates('.');
    await cp(join(root, 'examples/transports/lines'), 'lines', {recursive: true});
    await cp('lines', 'node_modules/hexagon', {recursive: true});
    const declaration = await readFile('lines/index.js', 'utf8');
    await writeFile('node_modules/hexagon/index.js', declaration.replaceAll('lines', 'hexagon'));
    await writeFile('node_modules/hexagon/package.json', '{"name": "hexagon", "type": "module"}');
    await runHere(['init']);
    // A side of `ab` may be a commit of the repository of this folder.
    const git = promisify(execFile);
    await git('git', ['init', '-q', '-b', 'main']);
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@b.invalid'];
    await git('git', [...author, 'commit', '-q', '--allow-empty', '-m', 'Begin']);
  });

  after(async () => {
    process.chdir(startedIn);
    await rm(join(folder, '..'), {recursive: true, force: true});
  });

  for (const [words, field] of /** @type {const} */ ([
    [['--dry-run', '--payload', '1kb'], 'plan'],
    [['--print-config', '--rabbitmq-password', 'T0p-secret'], 'settings'],
    [['--list-presets'], 'presets'],
    [['report'], 'bytes'],
    [['chart'], 'charts'],
  ]))
    it(`${words.join(' ')} prints one JSON document with --json, without passwords`, async () => {
      const {code, printed} = await runHere([...words, '--json']);
      assert.equal(code, 0, printed);
      assert.ok(field in JSON.parse(printed));
      assert.doesNotMatch(printed, /T0p-secret/);
    });

  it('are found', () => {
    assert.ok(examples.length > 80, `${examples.length}`);
  });

  for (const example of examples) {
    const all = wordsOf(example);
    const words = all.filter((word) => !isVariable.test(word));
    const variables = all.filter((word) => isVariable.test(word)).map((word) => word.split(/=(.*)/));
    const command = words[0] === undefined || words[0].startsWith('-') ? 'battle' : words[0];
    // Nothing was interrupted here.
    if (elsewhere.has(command) || words[0] === '--resume') continue;
    it(`npx perf-battle ${example}`, async () => {
      const isShown = planned.has(command) && !words.includes('--dry-run');
      Object.assign(process.env, Object.fromEntries(variables));
      const {code, printed} = await runHere(isShown ? [...words, '--dry-run'] : words);
      for (const [name] of variables) delete process.env[name];
      // 1: a check or an expectation that differs, 4 and 5: what was expected does not hold, or cannot be told.
      assert.ok([0, ...(planned.has(command) ? [] : [1, 4, 5])].includes(code), `${code}: ${printed}`);
    });
  }
});
