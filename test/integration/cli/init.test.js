import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {readFile, writeFile} from 'node:fs/promises';
import {it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {allOptions} from '../../../src/settings/index.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';

it(
  'init writes settings that a battle takes, and leaves files that exist',
  inAWorkplace(async (workplace) => {
    await writeFile(workplace.file('.env'), 'PB_ROUNDS=2\n');
    const {code, stdout} = await workplace.battle(['init']);
    assert.equal(code, 0);
    assert.match(stdout, /^\.env exists and stays as it is\.\nWritten: perf-battle\.config\.json\n/);
    assert.equal(await readFile(workplace.file('.env'), 'utf8'), 'PB_ROUNDS=2\n');
    const shown = await workplace.battle(['--scenario', 'nightly', '--print-config', '--quiet']);
    assert.equal(shown.code, 0, shown.stderr);
    assert.match(shown.stdout, /^--quiet +PB_QUIET +on +--quiet$/m);
    assert.match(shown.stdout, /^--rounds +PB_ROUNDS +2 +PB_ROUNDS in \.env$/m);
    assert.match(
      shown.stdout,
      /^--payload +PB_PAYLOAD_BYTES +1kb,10kb +payload in scenario "nightly" of perf-battle\.config\.json$/m,
    );
  }),
);

it(
  'init writes a short .env, which says where all settings are listed, and what it advises next runs',
  inAWorkplace(async (workplace) => {
    const {stdout} = await workplace.battle(['init']);
    const [, advice] = /^Next: npx perf-battle (.*)$/m.exec(stdout) ?? [];
    const {code, stdout: plan, stderr} = await workplace.battle([...advice.split(' '), '--dry-run']);
    assert.equal(code, 0, stderr);
    assert.match(plan, /Web Sockets/);
    const lines = (await readFile(workplace.file('.env'), 'utf8')).split('\n');
    assert.ok(lines.some((line) => line.startsWith('#PB_PAYLOAD_BYTES=')));
    assert.ok(lines.every((line) => line === '' || line.startsWith('#')));
    assert.ok(lines.length <= 10, `${lines.length}`);
    const known = new Set(allOptions.map(({environmentName}) => environmentName));
    for (const line of lines.filter((one) => one.startsWith('#PB_'))) {
      const [, name] = /^#(\w+)=/.exec(line) ?? [];
      assert.ok(known.has(name), line);
    }
    const uncommented = lines.map((line) => line.replace(/^#(?=PB_)/, '')).join('\n');
    await writeFile(workplace.file('.env'), uncommented);
    const used = await workplace.battle(['--print-config']);
    assert.equal(used.code, 0, used.stderr);
    assert.match(lines.join('\n'), /perf-battle help options/);
    assert.match((await workplace.battle(['help', 'options'])).stdout, /PB_PAYLOAD_BYTES/);
  }),
);

it(
  'init transport writes a transport that works and passes its checks, and leaves files that exist',
  inAWorkplace(async (workplace) => {
    const first = await workplace.start('battle', ['init', 'transport', 'two-lines']).ended;
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stdout, /^Written: two-lines\/README\.md\n/);
    assert.match(first.stdout, /\nNext: npx perf-battle --transport \.\/two-lines\n$/);
    const short = ['--rounds', '1', '--samples', '30', '--payload', '1kb', '--two-lines-encoding', 'hex'];
    const battle = await workplace.start('battle', ['--transport', './two-lines', ...short]).ended;
    assert.equal(battle.code, 0, battle.stderr);
    assert.match(battle.stdout, /Two lines \(hex/);
    const checked = await workplace.start('battle', ['check-transport', './two-lines']).ended;
    assert.equal(checked.code, 0, checked.stdout);
    await writeFile(workplace.file('two-lines/index.js'), '// mine\n');
    const second = await workplace.start('battle', ['init', 'transport', 'two-lines']).ended;
    assert.match(second.stdout, /two-lines\/index\.js exists and stays as it is\./);
    assert.equal(await readFile(workplace.file('two-lines/index.js'), 'utf8'), '// mine\n');
  }),
);

it(
  'init transport writes tests that npm runs with this perf-battle, and without a registry',
  inAWorkplace(async (workplace) => {
    await workplace.battle(['init', 'transport', 'two-lines']);
    const npm = (/** @type {string[]} */ ...words) =>
      promisify(execFile)('npm', words, {
        cwd: workplace.file('two-lines'),
        env: {...process.env, NODE_TEST_CONTEXT: undefined},
      });
    await npm('install', '--offline', '--no-audit', '--no-fund');
    const {stdout} = await npm('test');
    assert.match(stdout, /# pass [1-9]/);
  }),
);

for (const language of ['node', 'python', 'go'])
  it(
    `init adapter writes programs in ${language} that keep the contract`,
    {timeout: 240_000},
    inAWorkplace(async (workplace) => {
      const {code, stdout, stderr} = await workplace.battle([
        'init',
        'adapter',
        'mine',
        '--language',
        language,
      ]);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^Written: mine\/adapter\.|^Written: mine\/go\.mod$/m);
      const [, next] = /^Next: (.*)$/m.exec(stdout) ?? [];
      const program = fileURLToPath(new URL('../../../bin/perf-battle.js', import.meta.url));
      const command = next.replaceAll('npx perf-battle', `"${process.execPath}" "${program}"`);
      const environment = {...process.env, HOME: workplace.path, GOCACHE: workplace.file('.go')};
      const checked = await promisify(execFile)('bash', ['-c', command], {
        cwd: workplace.path,
        env: environment,
      });
      assert.match(checked.stdout, /^All checks hold\.$/m);
    }),
  );

for (const [words, message] of /** @type {[string[], RegExp][]} */ ([
  [['transport'], /init transport must be followed by a name: .* It was given none/],
  [['transport', 'Not one'], /It was given "Not one"/],
  [['transport', '../up'], /It was given "\.\.\/up"/],
  [['transport', 'udp'], /perf-battle has a transport named "udp"/],
  [['adaptor'], /init takes nothing, or "transport" or "adapter" and a name; it was given "adaptor"/],
  [['adapter'], /init adapter must be followed by a name: .* It was given none/],
  [['adapter', 'mine', '--language', 'cobol'], /--language must be node, python or go; it is "cobol"/],
  [['transport', 'mine', '--language', 'go'], /--language belongs to an adapter/],
]))
  it(
    `init ${words.join(' ')} is refused`,
    inAWorkplace(async (workplace) => {
      const {code, stdout, stderr} = await workplace.battle(['init', ...words]);
      assert.deepEqual({code, stdout}, {code: 2, stdout: ''});
      assert.match(stderr, message);
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );
