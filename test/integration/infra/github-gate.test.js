import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {chmod, mkdir, mkdtemp, readdir, readFile, writeFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import {join} from 'node:path';
import {before, describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {withGithub} from '../support/github-api.js';
import {listenHere} from '../support/listen.js';
import {environmentOf} from '../support/program.js';
import {Workplace} from '../support/workplace.js';

const run = promisify(execFile);
const script = (/** @type {string} */ name) =>
  fileURLToPath(new URL(`../../../infra/github/${name}.js`, import.meta.url));

/** What a real battle printed. @type {{battle: any, cells: any[]}} */
let printed;
before(async () => {
  const workplace = await Workplace.make();
  try {
    const short = '--payload 1kb --samples 40 --warmup 10 --rounds 4 --transport websocket --json --quiet';
    const {code, stdout, stderr} = await workplace.battle(short.split(' '));
    assert.equal(code, 0, stderr);
    printed = JSON.parse(stdout);
  } finally {
    await workplace.clear();
  }
});

/**
 * A document of that battle, with figures of a quiet host.
 * @param {string} id of the battle
 * @param {{websocketMs?: number, label?: string, machine?: string}} [changes]
 */
function documentOf(id, {websocketMs = 2, label = 'a'.repeat(40), machine = printed.battle.machine} = {}) {
  const cells = printed.cells.map((cell) => {
    const meanMs = cell.transport === 'tcp' ? 0.1 : websocketMs;
    const trials = cell.trials.map((/** @type {any} */ trial, /** @type {number} */ index) => ({
      ...{...trial, used: true, meanMs: meanMs * (1 + 0.002 * (index - 1))},
    }));
    return {
      ...{
        ...cell,
        id: `${id}-${cell.transport}`,
        battleId: id,
        machine,
        trials,
        config: {...cell.config, label},
      },
      rtt: {...cell.rtt, meanMs, ci95Ms: [0.99 * meanMs, 1.01 * meanMs]},
      verdict: {status: 'valid', warnings: []},
    };
  });
  return {battle: {...printed.battle, id, machine}, cells};
}

const push = {GITHUB_EVENT_NAME: 'push', GITHUB_REF: 'refs/heads/main'};
const pull = {GITHUB_EVENT_NAME: 'pull_request', GITHUB_REF: 'refs/pull/7/merge'};

/**
 * Runs a step of the action as GitHub does, after one that measured.
 * @param {Workplace} workplace
 * @param {string} name of the script
 * @param {{document?: object | string, exitCode?: number, environment?: Record<string, string>, pullRequest?: object}} what
 */
async function runStep(workplace, name, {document = {}, exitCode = 0, environment = {}, pullRequest}) {
  const folder = environment.FOLDER ?? (await mkdtemp(workplace.file('measured-')));
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  const event = {repository: {default_branch: 'main'}, ...(pullRequest && {pull_request: pullRequest})};
  await writeFile(join(folder, 'battle.json'), text);
  await writeFile(join(folder, 'exit-code'), String(exitCode));
  await writeFile(join(folder, 'event.json'), JSON.stringify(event));
  for (const file of ['summary.md', 'output']) await writeFile(join(folder, file), '');
  const env = environmentOf({
    ...{cwd: workplace.path, temporary: workplace.temporary},
    environment: {
      ...{
        FOLDER: folder,
        NAME: 'results',
        BASELINE: 'branch',
        BASELINE_BRANCH: 'perf-battle',
        FAIL_IF_SLOWER: '20%',
      },
      ...{ALLOW_UNKNOWN: 'false', COMMENT: 'true', GH_TOKEN: 'mine', GITHUB_SHA: 'b'.repeat(40)},
      ...{
        GITHUB_REPOSITORY: 'me/mine',
        GITHUB_SERVER_URL: `file://${workplace.path}`,
        GITHUB_ACTIONS: 'true',
      },
      ...{GITHUB_EVENT_PATH: join(folder, 'event.json'), GITHUB_STEP_SUMMARY: join(folder, 'summary.md')},
      ...{GITHUB_OUTPUT: join(folder, 'output'), GITHUB_WORKFLOW: 'CI', GITHUB_JOB: 'latency'},
      ...environment,
    },
  });
  const ended = await run(process.execPath, [script(name)], {cwd: workplace.path, env}).then(
    (outputs) => ({code: 0, ...outputs}),
    (error) => /** @type {{code: number, stdout: string, stderr: string}} */ (error),
  );
  return {
    ...{code: ended.code, log: ended.stdout + ended.stderr, folder},
    summary: await readFile(join(folder, 'summary.md'), 'utf8'),
    output: await readFile(join(folder, 'output'), 'utf8'),
  };
}

/** @param {Workplace} workplace @param {...string} words */
async function git(workplace, ...words) {
  const env = {PATH: process.env.PATH, HOME: workplace.path};
  const {stdout} = await run('git', ['-C', workplace.file('me/mine.git'), ...words], {env});
  return stdout.trim();
}

/** @param {Workplace} workplace */
async function makeOrigin(workplace) {
  await mkdir(workplace.file('me/mine.git'), {recursive: true});
  await git(workplace, 'init', '--quiet', '--bare', '--initial-branch=main');
}

/** @param {Workplace} workplace */
async function battlesOfBranch(workplace) {
  const lines = (await git(workplace, 'show', 'perf-battle:results.ndjson')).split('\n');
  return lines.map((line) => JSON.parse(line)).flatMap(({kind, id}) => (kind === 'battle' ? [id] : []));
}

describe('the gate of the action', {concurrency: 2, timeout: 600_000}, () => {
  it(
    'fails a pull request by the comparison alone, and says so in the summary when the token of a fork may not comment',
    inAWorkplace(async (workplace) => {
      await makeOrigin(workplace);
      const kept = await runStep(workplace, 'gate', {document: documentOf('aaaa'), environment: push});
      assert.equal(kept.code, 0, kept.log);
      /** @type {{id: number, body: string}[]} */
      const comments = [];
      await withGithub({comments}, async (address) => {
        const document = documentOf('bbbb', {websocketMs: 2.6});
        const environment = {...pull, GITHUB_API_URL: address, GH_TOKEN: 'of a fork'};
        const slower = await runStep(workplace, 'gate', {document, environment, pullRequest: {number: 7}});
        assert.equal(slower.code, 4, slower.log);
        assert.match(
          slower.summary,
          /\n\*\*1 cell: 1 slower\.\*\*\n\n\*\*fails\*\*: Web Sockets, 1kb: it takes 1\.30× /,
        );
        assert.match(slower.log, /^::notice .*There is no comment on the pull request: GitHub answered 403/m);
        assert.deepEqual(comments, []);
        const document2 = documentOf('cccc', {websocketMs: 2.02});
        const equal = await runStep(workplace, 'gate', {
          document: document2,
          environment,
          pullRequest: {number: 7},
        });
        assert.equal(equal.code, 0, equal.log);
        const silent = {...environment, GH_TOKEN: 'mine', COMMENT: 'false'};
        await runStep(workplace, 'gate', {
          document: document2,
          environment: silent,
          pullRequest: {number: 7},
        });
        assert.deepEqual(comments, []);
      });
    }),
  );

  it(
    'adds its records to those of a run that pushed first',
    inAWorkplace(async (workplace) => {
      await makeOrigin(workplace);
      await runStep(workplace, 'gate', {document: documentOf('aaaa'), environment: push});
      // Another run pushes between the reading and the writing of this one, once.
      const hook = workplace.file('me/mine.git/hooks/update');
      await writeFile(
        hook,
        `#!/bin/sh
if mkdir "$GIT_DIR/pushed" 2>/dev/null; then
  export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com
  other=$(git commit-tree -p "$2" -m first "$2^{tree}")
  git update-ref refs/heads/perf-battle "$other"
fi
`,
      );
      await chmod(hook, 0o755);
      const late = await runStep(workplace, 'gate', {document: documentOf('bbbb'), environment: push});
      assert.equal(late.code, 0, late.log);
      assert.deepEqual(await battlesOfBranch(workplace), ['aaaa', 'bbbb']);
      assert.equal(
        await git(workplace, 'log', '--format=%s', 'perf-battle'),
        'Records of bbbbbbbbbb [skip ci]\nfirst\nRecords of bbbbbbbbbb [skip ci]',
      );

      const ids = ['cccc', 'dddd', 'eeee'];
      const several = await Promise.all(
        ids.map((id) => runStep(workplace, 'gate', {document: documentOf(id), environment: push})),
      );
      for (const {code, log} of several) assert.equal(code, 0, log);
      assert.deepEqual((await battlesOfBranch(workplace)).toSorted(), ['aaaa', 'bbbb', ...ids]);
    }),
  );

  it(
    'compares with the newest battle of the same kind of machine, and says when there is none',
    inAWorkplace(async (workplace) => {
      await makeOrigin(workplace);
      for (const [id, machine, label] of [
        ['aaaa', 'fast', 'build 1'],
        ['bbbb', 'slow', 'build 2'],
      ])
        await runStep(workplace, 'gate', {document: documentOf(id, {machine, label}), environment: push});
      const same = await runStep(workplace, 'gate', {
        document: documentOf('cccc', {machine: 'fast'}),
        environment: pull,
      });
      assert.match(
        same.summary,
        /The baseline is build 1, measured [\d :-]+ UTC on fast, \d+ cores?, local\.\n\n/,
      );
      assert.doesNotMatch(same.summary, /do not compare|differ in: --machine/);
      const another = await runStep(workplace, 'gate', {
        document: documentOf('dddd', {machine: 'new'}),
        environment: pull,
      });
      assert.match(
        another.summary,
        /The baseline is build 2, .* on slow, .*This battle ran on new, \d+ cores?, local, where no baseline was measured: figures of two hosts do not compare\./,
      );
      assert.match(another.summary, /The sides differ in: --machine: slow → new/);
      const page = await git(workplace, 'show', 'perf-battle:index.html');
      assert.match(page, /<li>build 2, [\d :-]+ UTC: from fast, .* to slow, .*<\/li>/);
    }),
  );

  it(
    'keeps several journals on one branch, and one page of all of them',
    inAWorkplace(async (workplace) => {
      await makeOrigin(workplace);
      for (const name of ['one', 'two'])
        await runStep(workplace, 'gate', {document: documentOf(name), environment: {...push, NAME: name}});
      assert.equal(
        await git(workplace, 'ls-tree', '--name-only', 'perf-battle'),
        '.nojekyll\nindex.html\none.ndjson\ntwo.ndjson',
      );
      const page = await git(workplace, 'show', 'perf-battle:index.html');
      for (const name of ['one', 'two'])
        assert.match(page, new RegExp(`<h3>${name}, Web Sockets, 1 KB</h3>`));
    }),
  );

  it(
    'refuses a branch of others, a name that is no name, and results that are none',
    inAWorkplace(async (workplace) => {
      await makeOrigin(workplace);
      const document = documentOf('aaaa');
      for (const {environment, message, code = 1, ...what} of [
        {
          environment: {BASELINE_BRANCH: 'main'},
          message: /The baseline cannot be kept on main, which is the default branch/,
        },
        {environment: {NAME: '../x'}, message: /The input name must be .*"\.\.\/x"/},
        {
          environment: {BASELINE: 'cache'},
          message: /The input baseline must be branch or artifact or none; it is "cache"/,
        },
        {
          environment: {GITHUB_SERVER_URL: `file://${workplace.path}/nosuch`},
          message: /The records are not kept\. .*nosuch/,
        },
        {environment: {}, document: '', exitCode: 2, code: 2, message: /^/},
        {environment: {}, document: 'transport,name\n', code: 2, message: /^/},
      ]) {
        const ended = await runStep(workplace, 'gate', {
          document,
          environment: {...push, ...environment},
          ...what,
        });
        assert.equal(ended.code, code, ended.log);
        assert.match(ended.log, message);
        assert.doesNotMatch(ended.log, /\n\s+at /);
        if (code === 2)
          assert.match(ended.summary, /without results\. The log|printed no results\. It cannot have --csv/);
      }
      assert.equal(await git(workplace, 'branch', '--list'), '');
    }),
  );

  it(
    'shows its token to the repository, and says what it lacks without it',
    inAWorkplace(async (workplace) => {
      /** @type {Set<string | undefined>} */
      const seen = new Set();
      const server = createServer((request, response) => {
        seen.add(request.headers.authorization);
        response.writeHead(403).end();
      });
      const {port, close} = await listenHere(server);
      try {
        const environment = {...push, GITHUB_SERVER_URL: `http://127.0.0.1:${port}`, GH_TOKEN: 'a-secret'};
        const {code, log} = await runStep(workplace, 'gate', {document: documentOf('aaaa'), environment});
        assert.equal(code, 1);
        assert.match(log, /^::error .*The records are not kept\. .*403/m);
        const basic = Buffer.from('x-access-token:a-secret').toString('base64');
        assert.deepEqual([...seen], [`basic ${basic}`]);
        assert.ok(!log.includes('a-secret') && !log.includes(basic), log);
        const compared = await runStep(workplace, 'gate', {
          ...{document: documentOf('aaaa'), environment: {...environment, ...pull}},
        });
        assert.equal(compared.code, 1);
        assert.match(compared.summary, /\n\nThe baseline could not be read: .*403.*\n\n/);
        assert.match(compared.summary, /\| Web Sockets +\|/);
      } finally {
        close();
      }
    }),
  );

  it(
    'leaves a page of others as it is',
    inAWorkplace(async (workplace) => {
      await makeOrigin(workplace);
      const site = workplace.file('site');
      await run('git', ['clone', '--quiet', workplace.file('me/mine.git'), site]);
      await writeFile(join(site, 'index.html'), '<!doctype html><title>Mine</title>');
      const own = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
      await run('git', ['-C', site, 'add', 'index.html']);
      await run('git', ['-C', site, ...own, 'commit', '--quiet', '--message', 'mine']);
      await run('git', ['-C', site, 'push', '--quiet', 'origin', 'HEAD:gh-pages']);
      const environment = {...push, BASELINE_BRANCH: 'gh-pages'};
      const {code, log} = await runStep(workplace, 'gate', {document: documentOf('aaaa'), environment});
      assert.equal(code, 1);
      assert.match(log, /The baseline has an index\.html that is not of perf-battle/);
      assert.equal(await git(workplace, 'ls-tree', '--name-only', 'gh-pages'), 'index.html');
    }),
  );

  it(
    'passes on the exit code of the battle, and lets what cannot be judged pass if it is asked to',
    inAWorkplace(async (workplace) => {
      const environment = {...pull, BASELINE: 'none'};
      for (const [exitCode, allowed, code] of /** @type {const} */ ([
        [0, 'false', 0],
        [1, 'true', 1],
        [3, 'true', 3],
        [4, 'true', 4],
        [5, 'false', 5],
        [5, 'true', 0],
        [143, 'true', 1],
      ])) {
        const what = {
          document: documentOf('aaaa'),
          exitCode,
          environment: {...environment, ALLOW_UNKNOWN: allowed},
        };
        const ended = await runStep(workplace, 'gate', what);
        assert.equal(ended.code, code, ended.log);
        assert.match(ended.summary, /\| Web Sockets +\|/);
      }
    }),
  );
});

describe('a baseline that is an artifact', {timeout: 600_000}, () => {
  it(
    'is that of the newest run for the default branch of this repository, and goes on from there',
    inAWorkplace(async (workplace) => {
      const of = (
        /** @type {number} */ id,
        /** @type {object} */ changes = {},
        /** @type {object} */ runChanges = {},
      ) => ({
        ...{
          id,
          name: 'perf-battle-results',
          expired: false,
          created_at: `2026-11-0${id}T00:00:00Z`,
          ...changes,
        },
        workflow_run: {
          id: 100 + id,
          head_branch: 'main',
          repository_id: 1,
          head_repository_id: 1,
          ...runChanges,
        },
      });
      const artifacts = [
        of(2),
        of(3),
        of(4, {expired: true}),
        of(5, {name: 'another'}),
        of(6, {}, {head_branch: 'feature'}),
        of(7, {}, {head_repository_id: 2}),
      ];
      const environment = {BASELINE: 'artifact'};
      await withGithub({comments: [], artifacts}, async (address) => {
        const found = await runStep(workplace, 'find-artifact', {
          environment: {...environment, GITHUB_API_URL: address},
        });
        assert.equal(found.output, 'run-id=103\n', found.log);
        const none = await runStep(workplace, 'find-artifact', {
          environment: {...environment, GITHUB_API_URL: address, NAME: 'other'},
        });
        assert.deepEqual([none.code, none.output], [0, '']);
        assert.match(none.log, /^::notice .*No run for main has a baseline yet/m);
      });

      const first = await runStep(workplace, 'gate', {
        document: documentOf('aaaa'),
        environment: {...push, ...environment},
      });
      assert.equal(first.output, `kept=${join(first.folder, 'baseline')}\n`, first.log);
      // What is uploaded and downloaded again lies in the folder of the next run.
      const second = await runStep(workplace, 'gate', {
        document: documentOf('bbbb'),
        environment: {...push, ...environment, FOLDER: first.folder},
      });
      assert.deepEqual((await readdir(join(second.folder, 'baseline'))).toSorted(), [
        '.nojekyll',
        'index.html',
        'results.ndjson',
      ]);
      const slower = await runStep(workplace, 'gate', {
        document: documentOf('cccc', {websocketMs: 2.6}),
        environment: {...pull, ...environment, FOLDER: first.folder},
      });
      assert.equal(slower.code, 4, slower.log);
      assert.match(slower.summary, /Old: battle bbbb of baseline\.ndjson/);
      assert.equal(slower.output, '');
    }),
  );
});

describe('the step that installs', {timeout: 600_000}, () => {
  it(
    'installs what a battle also needs by perf-battle itself, and fails as that does',
    inAWorkplace(async (workplace) => {
      const prepare = fileURLToPath(new URL('../../../infra/github/prepare.sh', import.meta.url));
      const env = environmentOf({
        cwd: workplace.path,
        temporary: workplace.temporary,
        environment: {INSTALL: 'nosuch\n$(touch x)'},
      });
      await assert.rejects(run('bash', [prepare], {cwd: workplace.path, env}), {code: 2, stderr: /"nosuch"/});
      assert.equal((await readdir(workplace.path)).includes('x'), false);
    }),
  );
});

describe('the step that measures', {timeout: 600_000}, () => {
  it(
    'splits its arguments as a shell does, expands nothing, and leaves the exit code to the gate',
    inAWorkplace(async (workplace) => {
      await mkdir(workplace.file('service'));
      const environment = {
        ...{GITHUB_WORKSPACE: workplace.path, WORKING_DIRECTORY: 'service', RUNNER_TEMP: workplace.temporary},
        ARGUMENTS: `--transport tcp --payload 1kb --rounds 1 --samples 40 --warmup 10\n  --environment '$(touch injected); x'`,
      };
      const measured = await runStep(workplace, 'battle', {environment});
      assert.equal(measured.code, 0, measured.log);
      const [, folder] = /^folder=(.*)$/m.exec(measured.output) ?? [];
      const {cells} = JSON.parse(await readFile(join(folder, 'battle.json'), 'utf8'));
      assert.deepEqual(
        [cells[0].environment, cells[0].config.label],
        ['$(touch injected); x', 'b'.repeat(40)],
      );
      assert.equal(await readFile(join(folder, 'exit-code'), 'utf8'), '0');
      assert.match(measured.log, /Mean round-trip times/);
      assert.deepEqual(await readdir(workplace.file('service')), [], 'nothing is written beside the service');

      const refused = await runStep(workplace, 'battle', {
        environment: {...environment, ARGUMENTS: '--nosuch'},
      });
      assert.equal(refused.code, 0);
      const [, other] = /^folder=(.*)$/m.exec(refused.output) ?? [];
      assert.equal(await readFile(join(other, 'exit-code'), 'utf8'), '2');
      for (const text of ['', `--label 'x`]) {
        const {code, log} = await runStep(workplace, 'battle', {
          environment: {...environment, ARGUMENTS: text},
        });
        assert.equal(code, 1);
        assert.match(
          log,
          /^::error .*(?:The input arguments is empty|a quote or a backslash without its end)/m,
        );
      }
    }),
  );
});
