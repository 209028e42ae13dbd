import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {existsSync} from 'node:fs';
import {mkdir, readFile, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {mean} from 'simple-statistics';
import {cellRecord} from '../../../src/results/record-schema.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {pythonPath} from '../support/python.js';
import {registry} from '../support/registry.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);
const length = ['--samples', '300', '--warmup', '100'];
const short = ['--rounds', '1', ...length];

describe('perf-battle ab', {timeout: 1_200_000}, () => {
  it(
    'finds that one server is slower, in the same rounds, fails for it, and keeps the sides out of the table',
    inAWorkplace(async (workplace) => {
      // A handshake for each request takes some ten times as long: no hour of a busy host hides that.
      const sides = ['--a', '--http-server node', '--b', '--http-server node --http-keep-alive off --tls on'];
      const {code, stdout, stderr} = await workplace.battle([
        'ab',
        '--transport',
        'http',
        ...sides,
        // A verdict needs five rounds.
        ...['--rounds', '5', '--samples', '60', '--warmup', '50'],
        ...['--json', '--fail-if-slower', '1%'],
      ]);
      const document = JSON.parse(stdout);
      const [{result, b}] = document.sides;
      assert.ok(result === 'slower' || result === 'cannot tell', result);
      const [{outcome, sentence}] = document.expectations;
      assert.deepEqual([code, outcome], result === 'slower' ? [4, 'fails'] : [5, 'cannot tell'], stderr);
      if (result === 'slower') assert.match(sentence, /: it takes .*× .* as long as side a$/);
      assert.match(stderr, /^a: .*\n(.*\n)*b: .*TLS/m);
      const cells = document.cells.map((/** @type {unknown} */ cell) => cellRecord.parse(cell));
      assert.deepEqual(
        cells.map((/** @type {any} */ {variant}) => variant.side ?? 'floor'),
        ['floor', 'a', 'a again', 'b'],
      );
      assert.equal(cells[3].id, b);
      assertCompared(document);
      assert.ok(cells[3].trials.length >= 5 && cells[3].floor !== null);
      assert.equal(existsSync(workplace.file('results.md')), false);
      assert.doesNotMatch((await workplace.battle(['table'])).stdout, /side/);
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'runs a version of a library from npm, and the scripts of another folder',
    inAWorkplace(async (workplace) => {
      const folder = workplace.file('changed');
      await mkdir(folder);
      for (const name of ['node_modules', 'package.json'])
        await symlink(join(root, name), join(folder, name));
      await symlink(join(root, 'src'), join(folder, 'src'));
      const sides = ['--a', 'ws@8.18.0', '--b', 'folder=changed'];
      const flags = ['ab', '--transport', 'websocket', ...sides, ...short];
      const {code, stdout, stderr} = await workplace.battle(flags, registry);
      assert.equal(code, 0, stderr);
      assert.match(stderr, /^Fetching ws@8\.18\.0 from npm\.$/m);
      assert.match(stdout, /\na: ws@8\.18\.0\nb: folder=/);
      const [, a, , b] = await workplace.cells();
      assert.equal(b.variant.folder, folder);
      const installed = join(String(a.variant.folder), 'node_modules/ws/package.json');
      assert.equal(JSON.parse(await readFile(installed, 'utf8')).version, '8.18.0');
      const again = await workplace.battle([
        'ab',
        '--transport',
        'websocket',
        '--b',
        'ws@8.18.0',
        '--dry-run',
      ]);
      assert.doesNotMatch(again.stderr, /Fetching/);
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'runs the scripts of a commit, and refuses one that does not exist before anything starts',
    inAWorkplace(async (workplace) => {
      const flags = ['ab', '--transport', 'websocket', ...short];
      const {code, stdout, stderr} = await workplace.battle([...flags, '--b', 'git=HEAD'], registry);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /\na: as it is\nb: git=HEAD\n/);
      const folder = String((await workplace.cells()).at(-1)?.variant.folder);
      const {stdout: commit} = await run('git', ['-C', root, 'rev-parse', 'HEAD']);
      assert.match(folder, new RegExp(`/commit-${commit.slice(0, 12)}-`));
      const ofCommit = await run('git', ['-C', root, 'show', 'HEAD:src/transports/index.js']);
      assert.equal(await readFile(join(folder, 'src/transports/index.js'), 'utf8'), ofCommit.stdout);
      const refused = await workplace.battle([...flags, '--b', 'git=no-such-commit']);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /git="no-such-commit" needs a commit of perf-battle .* git finds none in/);
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'runs the Node.js that a side names for its server alone, and resumes',
    inAWorkplace(async (workplace) => {
      const node = workplace.file('other-node');
      await writeFile(
        node,
        `#!/bin/sh\necho "$@" >> '${workplace.file('used')}'\nexec '${process.execPath}' "$@"\n`,
        {mode: 0o755},
      );
      const sides = ['--b', `node=${node} only=server`, '--rounds', '2', ...length];
      const flags = ['ab', '--transport', 'websocket', ...sides];
      const first = workplace.start('battle', flags);
      await workplace.untilFirstTrial(first);
      first.child.kill('SIGINT');
      assert.equal((await first.ended).code, 130);
      const {code, stdout, stderr} = await workplace.battle(['--resume']);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /\na: as it is\nb: node=/);
      const used = (await readFile(workplace.file('used'), 'utf8')).trim().split('\n');
      assert.ok(used.length >= 2);
      for (const line of used) assert.match(line, /\/src\/roles\/program\.js websocket-server$/);
      assert.equal((await workplace.journal()).filter(({kind}) => kind === 'trial').length, 8);
    }),
  );

  it(
    'says what it cannot fetch or compare, before anything is measured',
    inAWorkplace(async (workplace) => {
      await mkdir(workplace.file('other/src'), {recursive: true});
      for (const {words, exitCode, message} of [
        {
          words: ['--b', 'ws@99.99'],
          exitCode: 3,
          message: /npm could not install ws@99\.99: ETARGET: No matching version found/,
        },
        {words: ['--b', 'ws@8', '--server-on', 'x'], exitCode: 2, message: /runs on this host alone/},
        {words: ['--b', 'ws@8', '--preset', 'coralmq'], exitCode: 2, message: /--preset cannot be given/},
        {
          words: ['--b', '--rabbitmq-confirms on'],
          exitCode: 2,
          message: /--rabbitmq-confirms on has no effect here/,
        },
        {words: [], exitCode: 2, message: /ab needs --b/},
        {
          words: ['--b', 'folder=other'],
          exitCode: 2,
          message: /folder .*other of side b has no server of websocket, so/,
        },
      ]) {
        const {code, stdout, stderr} = await workplace.battle(
          ['ab', '--transport', 'websocket', ...words],
          registry,
        );
        assert.deepEqual({code, stdout}, {code: exitCode, stdout: ''}, stderr);
        assert.match(stderr, message);
        assert.doesNotMatch(stderr, /\n\s+at /);
        assert.equal(existsSync(workplace.file('results.ndjson')), false);
      }
    }),
  );

  it(
    'starts programs of --external in a folder, and as a commit of it has them',
    inAWorkplace(async (workplace) => {
      const git = (/** @type {string[]} */ ...words) =>
        run('git', ['-c', 'user.name=x', '-c', 'user.email=x@localhost', ...words], {cwd: workplace.path});
      const program = workplace.file('echo.py');
      const text = await readFile(join(root, 'examples/adapters/python/echo.py'), 'utf8');
      const python = pythonPath('python');
      const external = ['--external', `Echo=${python} echo.py server,${python} echo.py client`];
      const ask = ['ab', ...external, ...short, '--json'];
      await writeFile(program, text);
      await git('init', '--quiet');
      await mkdir(workplace.file('within'));
      const description = {name: 'within', version: '1.0.0'};
      await writeFile(workplace.file('within/package.json'), JSON.stringify(description));
      await writeFile(
        workplace.file('within/package-lock.json'),
        JSON.stringify({...description, lockfileVersion: 3, packages: {'': description}}),
      );
      await git('add', 'echo.py', 'within');
      await git('commit', '--quiet', '--message', 'As it is');
      await writeFile(program, text.replace(/^def receive\(connection\):\n/m, '$&    time.sleep(0.003)\n'));
      const sides = ['--a', 'programs-git=HEAD', '--b', 'programs=.'];
      const environment = {XDG_CACHE_HOME: workplace.file('cache')};
      const {stdout, stderr} = await workplace.battle([...ask, ...sides], environment);
      assertCompared(JSON.parse(stdout));
      assert.match(stderr, /^a: programs-git=HEAD\nb: programs=\.$/m);

      // Another folder of the same commit has packages of its own.
      const within = run(process.execPath, [join(root, 'bin/perf-battle.js'), ...ask, ...sides], {
        cwd: workplace.file('within'),
        env: {...process.env, ...environment},
      });
      await assert.rejects(within, ({stderr: said}) => /Fetching the packages of HEAD from npm/.test(said));

      const unplanned = await workplace.battle(['ab', '--b', 'git=nosuch', '--dry-run'], environment);
      assert.deepEqual([unplanned.code, unplanned.stdout], [2, '']);
      assert.match(unplanned.stderr, /git="nosuch" needs a commit of perf-battle/);
      const unknown = await workplace.battle(
        [...ask, '--b', 'programs-git=nosuch', '--dry-run'],
        environment,
      );
      assert.equal(unknown.code, 2);
      assert.match(unknown.stderr, /programs-git="nosuch" needs a commit of the repository of this folder/);
      const others = await workplace.battle(['ab', '--transport', 'http', '--b', 'programs=.']);
      assert.equal(others.code, 2);
      assert.match(
        others.stderr,
        /--b has a folder of programs, and http runs none\. Name a --transport that does: external/,
      );
    }),
  );
});

/**
 * The ratios are those of the means, which a busy host may move to anywhere. It cannot make the fastest round trip faster.
 * @param {any} document
 */
function assertCompared({sides: [{ratio, equalRatio}], cells}) {
  const [, a, again, b] = cells;
  const counting = (/** @type {any} */ {trials}) => trials.filter((/** @type {any} */ {used}) => used);
  const meansBy = (/** @type {any} */ record) =>
    new Map(counting(record).map((/** @type {any} */ {round, meanMs}) => [round, meanMs]));
  /** A disturbed trial does not count, nor do the others of its round, unless few rounds are left. */
  const ratioOf = (/** @type {any} */ one, /** @type {any} */ other) => {
    const sides = [one, other].map(meansBy);
    const common = [...sides[0].keys()].filter((round) => sides[1].has(round));
    const means = sides.map((side) =>
      mean(common.length < 3 ? [...side.values()] : common.map((round) => side.get(round))),
    );
    return means[0] / means[1];
  };
  assert.ok(Math.abs(ratio / ratioOf(b, a) - 1) < 1e-9, String(ratio));
  assert.ok(Math.abs(equalRatio / ratioOf(again, a) - 1) < 1e-9, String(equalRatio));
  const fastest = Math.min(a.rtt.minMs, again.rtt.minMs);
  assert.ok(b.rtt.minMs > 2 * fastest, `${b.rtt.minMs} ${fastest}`);
}
