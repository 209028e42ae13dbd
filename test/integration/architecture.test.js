import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {after, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {additions} from '../support/architecture-page.js';
import {transport, workload} from './support/additions.js';

/** @import {Addition} from './support/additions.js' */

/**
 * Follows CONTRIBUTING.md: adds a transport and a workload to a copy of the project, in just the files that the page names, and has
 * the copy check, plan and run them.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));
const copy = mkdtempSync(join(tmpdir(), 'perf-battle-architecture-'));
after(() => rmSync(copy, {recursive: true, force: true}));

for (const name of [
  'bin',
  'src',
  'docs',
  'scripts',
  'infra',
  'types',
  '.env.example',
  'CONTRIBUTING.md',
  'package.json',
  'tsconfig.json',
])
  cpSync(join(root, name), join(copy, name), {recursive: true});
for (const name of ['structure.test.js', 'names.test.js', 'support'])
  cpSync(join(root, 'test', name), join(copy, 'test', name), {recursive: true});
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));

/** @param {string} path of a file of the copy @param {...string} words */
function node(path, ...words) {
  const {status, stdout, stderr} = spawnSync(process.execPath, [join(copy, path), ...words], {
    cwd: copy,
    encoding: 'utf8',
    env: {PATH: process.env.PATH, HOME: copy, TMPDIR: copy},
  });
  return {status, stdout, output: `${stdout}${stderr}`};
}

/**
 * Creates and edits what the page says, and nothing else.
 * @param {string} what as the page calls it
 * @param {Addition} addition
 */
function add(what, {name, files, registered, isDefault}) {
  const steps = additions().get(what);
  assert.ok(steps);
  const create = steps.create.map((path) => path.replaceAll('<name>', name));
  assert.deepEqual(create, Object.keys(files));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(copy, path)), {recursive: true});
    writeFileSync(join(copy, path), text);
  }
  assert.equal(steps.edit.length, 1);
  const [registry] = steps.edit;
  const before = readFileSync(join(copy, registry), 'utf8');
  const from = `./${create[0].slice(dirname(registry).length + 1)}`;
  const edited = before.replace(
    /^const registry = \[([^\]]*)\];/m,
    (_line, listed) => `const registry = [${listed.replace(/,\s*$/, '')}, ${registered}];`,
  );
  assert.notEqual(edited, before);
  writeFileSync(
    join(copy, registry),
    `import ${isDefault ? registered : `{${registered}}`} from '${from}';\n${edited}`,
  );
  assert.equal(steps.then, 'npm run generate');
}

test('a transport and a workload are added in the files that the page names, and nowhere else', () => {
  add('a transport', transport);
  add('a workload', workload);
  const generated = node('scripts/generate.js');
  assert.equal(generated.status, 0, generated.output);
});

test('the copy passes the type check and the tests of structure and names', () => {
  for (const [path, ...words] of [
    ['node_modules/typescript/bin/tsc', '--noEmit', '-p', '.'],
    ['test/structure.test.js'],
    ['test/names.test.js'],
  ]) {
    const {status, output} = node(path, ...words);
    assert.equal(status, 0, output);
  }
});

test('help, options page and plan know them', () => {
  const help = node('bin/perf-battle.js', '--help').stdout;
  for (const text of ['--hexline-case', '--double-pause', 'double: two requests, timed together'])
    assert.ok(help.replace(/\s+/g, ' ').includes(text), text);
  const options = readFileSync(join(copy, 'docs/options.md'), 'utf8');
  for (const flag of ['--hexline-case', '--double-pause']) assert.ok(options.includes(`\`${flag}\``), flag);
  assert.match(
    readFileSync(join(copy, 'docs/how-it-measures.md'), 'utf8'),
    /`double` +\| mean time of two requests/,
  );
  const words = [
    '--transport',
    'hexline',
    '--workload',
    'double',
    '--payload',
    '1kb',
    '--double-pause',
    '0,1',
  ];
  const plan = node('bin/perf-battle.js', '--dry-run', ...words);
  assert.equal(plan.status, 0, plan.output);
  assert.match(plan.stdout, /Hex lines \(1 ms pause\)/);
});

test('a battle runs them, and shows them as they declare', () => {
  const words = ['--transport', 'hexline,tcp', '--workload', 'rtt,double', '--hexline-case', 'lower,upper'];
  const short = ['--payload', '1kb', '--samples', '50', '--warmup', '20', '--rounds', '1'];
  const battle = node('bin/perf-battle.js', ...words, ...short);
  assert.equal(battle.status, 0, battle.output);
  assert.match(battle.stdout, /^Mean times of two requests in ms ± 95 % interval, local/m);
  assert.match(battle.stdout, /Hex lines \(upper case\)/);
  const journal = readFileSync(join(copy, 'results.ndjson'), 'utf8').trim().split('\n');
  const cells = journal.map((line) => JSON.parse(line)).filter(({kind}) => kind === 'cell');
  assert.deepEqual(
    cells.map(({transport: of, workload: asked, outcome}) => `${of} ${asked} ${outcome}`).sort(),
    ['hexline double', 'hexline double', 'hexline rtt', 'hexline rtt', 'tcp double', 'tcp rtt'].map(
      (cell) => `${cell} completed`,
    ),
  );
  const table = readFileSync(join(copy, 'results.md'), 'utf8');
  assert.match(table, /<!-- perf-battle:results:double -->/);
  assert.match(table, /\| double +\| Hex lines \(upper case(, suspect)?\)/);
  // Whoever runs a battle in a checkout can run the tests after it.
  const check = node('scripts/generate.js', '--check');
  assert.equal(check.status, 0, check.output);
});
