import assert from 'node:assert/strict';
import {execFile, execFileSync} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {parse} from 'yaml';
import {withGithub} from '../support/github-api.js';
import {killIfRunning} from '../support/kill-if-running.js';
import {freePort} from '../support/ports.js';
import {foldersOfJob, runComposite, runSteps} from '../support/workflow.js';

/**
 * @import {Held} from '../support/github-api.js'
 * @import {Job} from '../support/workflow.js'
 */

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (/** @type {string} */ path) => readFileSync(join(root, path), 'utf8');
const run = promisify(execFile);

const action = parse(read('action.yml'));
const compareAction = parse(read('.github/actions/compare/action.yml'));
const page = read('docs/ci.md');
const [recipe, comparison, ...others] = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text]) => text);
const [inReadme] = [...read('README.md').matchAll(/```yaml\n(.*?)```/gs)].map(([, text]) => parse(text));
const workflows = [recipe, comparison, ...others, read('.github/workflows/compare.yml')].map((text) =>
  parse(text),
);

describe('the recipes of docs/ci.md and the workflows', () => {
  /** @type {any[]} */
  const steps = workflows.flatMap(({jobs}) => Object.values(jobs)).flatMap((job) => job.steps);

  it('give an action only inputs that it has', () => {
    const known = [
      {uses: /^OWNER\/perf-battle@REF$/, inputs: action.inputs},
      {
        uses: /(?:^\.|^OWNER\/perf-battle)\/\.github\/actions\/compare(?:@REF)?$/,
        inputs: compareAction.inputs,
      },
    ];
    const found = known.map(({uses, inputs}) => {
      const given = steps.filter((step) => uses.test(step.uses ?? '')).map((step) => Object.keys(step.with));
      assert.deepEqual(
        given.flat().filter((name) => !(name in inputs)),
        [],
      );
      for (const names of given)
        for (const [name, {required}] of Object.entries(inputs))
          if (required) assert.ok(names.includes(name));
      return given.length;
    });
    assert.deepEqual(found, [1, 2]);
  });

  it('have the step that the README shows', () => {
    const [{steps: ofRecipe}] = /** @type {any[]} */ (Object.values(parse(recipe).jobs));
    assert.deepEqual(inReadme, ofRecipe.slice(-1));
  });

  it('put nothing of a pull request or of an input into a script, except by the environment', () => {
    const scripts = [...steps, ...action.runs.steps, ...compareAction.runs.steps].flatMap(
      ({run: script}) => script ?? [],
    );
    assert.ok(scripts.length >= 10);
    for (const script of scripts) assert.doesNotMatch(script, /\$\{\{/);
  });

  it('explain each input', () => {
    const table = page.slice(page.indexOf('| Input |'), page.indexOf('## An expectation'));
    assert.deepEqual(
      [...table.matchAll(/`([a-z-]+)`(?=[^|]*\| )/g)]
        .map(([, name]) => name)
        .filter((name) => name in action.inputs)
        .sort(),
      Object.keys(action.inputs).sort(),
    );
  });

  it('and each input reaches a step', () => {
    for (const {inputs, runs} of [action, compareAction])
      for (const name of Object.keys(inputs))
        assert.match(JSON.stringify(runs), new RegExp(`inputs\\.${name}\\b`));
  });
});

const git = async (/** @type {string} */ cwd, /** @type {string[]} */ ...words) => {
  const names = ['AUTHOR', 'COMMITTER'].flatMap((who) => [
    [`GIT_${who}_NAME`, 'A developer'],
    [`GIT_${who}_EMAIL`, 'a@example.com'],
  ]);
  const {stdout} = await run('git', words, {
    cwd,
    env: {PATH: process.env.PATH, HOME: cwd, ...Object.fromEntries(names)},
  });
  return stdout.trim();
};

/** A service whose answer takes as many milliseconds as the file beside it says. */
const service = `
import {readFileSync} from 'node:fs';
import {createServer} from 'node:http';
const delayMs = Number(readFileSync('delay', 'utf8'));
createServer((request, response) => {
  request.resume();
  if (delayMs === 0) response.end('ok');
  else setTimeout(() => response.end('ok'), delayMs);
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

describe('the recipes of docs/ci.md, without GitHub', {timeout: 900_000}, () => {
  const sha = {first: '', second: '', equal: '', slower: ''};
  let place = '';
  /** Of the service: the name of a cell has it. */
  let port = 0;
  /** @type {string} the repository on GitHub */
  let origin;
  /** @type {string} the checkout of perf-battle that GitHub makes */
  let checkout;
  /** @type {Held & {requests: string[]}} */
  const held = {comments: [], requests: []};

  before(async () => {
    port = await freePort();
    place = await mkdtemp(join(tmpdir(), 'perf-battle-github-'));
    origin = join(place, 'github/me/mine.git');
    await git(place, 'init', '--quiet', '--bare', '--initial-branch=main', origin);
    checkout = join(place, 'actions/perf-battle');
    const {stdout} = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
      maxBuffer: 2 ** 24,
    });
    for (const file of stdout.split('\0'))
      if (file !== '' && existsSync(join(root, file))) await cp(join(root, file), join(checkout, file));
    await git(checkout, 'init', '--quiet');
    await git(checkout, 'add', '--all');
    await git(checkout, 'commit', '--quiet', '--message', 'perf-battle');

    const mine = join(place, 'mine');
    const files = {
      'package.json': {
        name: 'mine',
        type: 'module',
        scripts: {start: 'node server.js'},
        dependencies: {own: 'file:own'},
      },
      'own/package.json': {name: 'own', version: '1.0.0'},
      'package-lock.json': {
        ...{name: 'mine', lockfileVersion: 3, requires: true},
        packages: {
          '': {name: 'mine', dependencies: {own: 'file:own'}},
          own: {version: '1.0.0'},
          'node_modules/own': {resolved: 'own', link: true},
        },
      },
    };
    await mkdir(join(mine, 'own'), {recursive: true});
    for (const [file, content] of Object.entries(files))
      await writeFile(join(mine, file), JSON.stringify(content));
    await writeFile(join(mine, 'server.js'), service);
    for (const file of ['adapter.js', 'perf-battle.js'])
      await cp(join(root, 'examples/adapters/starter/node', file), join(mine, file));
    await git(mine, 'init', '--quiet', '--initial-branch=main');
    await git(mine, 'remote', 'add', 'origin', origin);
    const commit = async (/** @type {string} */ branch, /** @type {number} */ delayMs) => {
      await git(mine, 'checkout', '--quiet', '-B', branch);
      await writeFile(join(mine, 'delay'), String(delayMs));
      await git(mine, 'add', '--all');
      await git(mine, 'commit', '--quiet', '--allow-empty', '--message', `${branch}, ${delayMs} ms`);
      await git(mine, 'push', '--quiet', 'origin', branch);
      return await git(mine, 'rev-parse', 'HEAD');
    };
    sha.first = await commit('main', 0);
    sha.second = await commit('main', 0);
    sha.equal = await commit('equal', 0);
    sha.slower = await commit('slower', 30);
  });
  after(() => rm(place, {recursive: true, force: true, maxRetries: 5}));

  const npmCache = execFileSync('npm', ['config', 'get', 'cache'], {encoding: 'utf8'}).trim();
  let address = '';

  /**
   * Runs the job of a workflow as GitHub does for an event.
   * @param {string} workflow
   * @param {{commit: string, event: Record<string, string>, payload: object, change: (given: Record<string, string>) => Record<string, string>}} how
   *   event: variables; change: the inputs of the action of perf-battle
   */
  async function runJob(workflow, {commit, event, payload, change}) {
    const folders = await foldersOfJob(await mkdtemp(join(place, 'run-')));
    const {place: own, workspace, temporary, home} = folders;
    const [[name, {steps}]] = Object.entries(parse(workflow).jobs);
    const files = {event: join(own, 'event.json'), summary: join(own, 'summary.md')};
    await writeFile(files.event, JSON.stringify({repository: {default_branch: 'main'}, ...payload}));
    await writeFile(files.summary, '');
    const github = {token: 'mine', base_ref: 'main'};
    /** @type {string[]} */
    const modules = [];
    /** @type {Job} */
    const job = {
      ...{place: own, workspace, groups: [], log: ''},
      environment: {
        ...{
          PATH: process.env.PATH,
          HOME: home,
          TMPDIR: temporary,
          RUNNER_TEMP: temporary,
          PORT: String(port),
        },
        // What npm ci of this repository fetched is in the cache.
        ...{
          npm_config_cache: npmCache,
          npm_config_prefer_offline: 'true',
          npm_config_update_notifier: 'false',
        },
        ...{CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: workspace, GITHUB_REPOSITORY: 'me/mine'},
        ...{
          GITHUB_SERVER_URL: `file://${join(place, 'github')}`,
          GITHUB_API_URL: address,
          GITHUB_SHA: commit,
        },
        ...{GITHUB_EVENT_PATH: files.event, GITHUB_STEP_SUMMARY: files.summary},
        ...{GITHUB_WORKFLOW: 'CI', GITHUB_JOB: name, ...event},
      },
      async use(uses, given, self) {
        if (uses.startsWith('actions/checkout@')) {
          if (!existsSync(join(workspace, '.git'))) await git(place, 'clone', '--quiet', origin, workspace);
          await git(workspace, 'checkout', '--quiet', given.ref ?? commit);
          return 0;
        }
        const [, path] = /^OWNER\/perf-battle(\/[^@]+)?@REF$/.exec(uses) ?? [];
        modules.push(...(await readdir(join(workspace, 'node_modules'))));
        const environment = {...self.environment, GITHUB_ACTION_PATH: join(checkout, path ?? '')};
        const inAction = {...self, environment};
        const used = path === undefined ? action : compareAction;
        const code = await runComposite(used, change(given), github, inAction);
        self.log = inAction.log;
        return code;
      },
    };
    try {
      const code = await runSteps(steps, {github, runner: {temp: temporary}}, job);
      assert.deepEqual(
        await readdir(join(workspace, 'node_modules')),
        modules,
        `the node_modules of the repository stay as they are: ${job.log}`,
      );
      assert.equal(await git(workspace, 'status', '--porcelain', '--untracked-files=no'), '');
      return {code, log: job.log, summary: await readFile(files.summary, 'utf8')};
    } finally {
      for (const group of job.groups) killIfRunning(-group);
    }
  }

  /** What the busy host of a test cannot judge passes, and what is equal may seem to differ there. */
  const onBusyHost = {'fail-if-slower': '100%', 'allow-unknown': 'true'};
  /**
   * The recipe with a shorter battle. It has too few samples for a p99, but a mean fails however busy the host is, if even the fastest reply is late.
   * @param {string} commit
   * @param {Record<string, string>} event
   * @param {{payload?: object, length: string}} how
   */
  const runRecipe = (commit, event, {payload = {}, length}) =>
    runJob(recipe.replaceAll('8080', String(port)), {
      ...{commit, event, payload},
      change: (given) => ({
        ...{...given, ...onBusyHost},
        arguments: `${given.arguments} --expect 'by-url mean < 20ms' ${length} --warmup 10`,
      }),
    });
  const brief = '--rounds 2 --duration 200ms';
  /** For what is compared. Fewer than ten slow replies would be too few to judge. */
  const longer = '--rounds 4 --duration 600ms';
  const push = (/** @type {string} */ commit, length = brief) =>
    runRecipe(commit, {GITHUB_EVENT_NAME: 'push', GITHUB_REF: 'refs/heads/main'}, {length});
  const ofPullRequest = {GITHUB_EVENT_NAME: 'pull_request', GITHUB_REF: 'refs/pull/7/merge'};
  const pullRequest = (/** @type {string} */ commit) => ({
    pull_request: {number: 7, title: '$(touch title)', head: {sha: commit, ref: '`touch ref`'}},
  });
  const pull = (/** @type {string} */ commit, length = brief) =>
    runRecipe(commit, ofPullRequest, {payload: pullRequest(commit), length});
  const show = (/** @type {string} */ file) => git(origin, 'show', `perf-battle:${file}`);

  it('keeps the records of the default branch, compares pull requests with them, and fails one that is slower', async () => {
    await withGithub(held, async (url) => {
      address = url;
      const early = await pull(sha.equal);
      assert.equal(early.code, 0, early.log);
      assert.match(
        early.summary,
        /^### perf-battle: results\n\nThere is no baseline yet, so nothing is compared\./,
      );
      assert.match(
        held.comments[0].body,
        /^<!-- perf-battle compare [\da-f]{16} -->\n### perf-battle: results\n/,
      );
      held.comments.length = 0;
      held.requests.length = 0;

      const first = await push(sha.first);
      assert.equal(first.code, 0, first.log);
      assert.match(
        first.summary,
        /^### perf-battle: results\n\n- \*\*(?:holds|cannot tell)\*\*: HTTP 127\.0\.0\.1:\d+\/health/,
      );
      assert.match(first.summary, /\n\| Payload \| Transport .*\| Verdict \|\n/);
      assert.equal(
        await git(origin, 'ls-tree', '--name-only', 'perf-battle'),
        '.nojekyll\nindex.html\nresults.ndjson',
      );
      assert.equal(await git(origin, 'rev-list', '--count', 'perf-battle'), '1');
      await assert.rejects(git(origin, 'merge-base', 'main', 'perf-battle'), 'it has a history of its own');

      const second = await push(sha.second, longer);
      assert.equal(second.code, 0, second.log);
      assert.deepEqual(held.requests, [], 'a push has no comment');
      assert.equal(await git(origin, 'rev-list', '--count', 'perf-battle'), '2');
      const lines = (await show('results.ndjson')).split('\n').map((line) => JSON.parse(line));
      assert.deepEqual(
        lines.map(({kind, config}) => [kind, config.label]),
        [sha.first, sha.second].flatMap((label) => ['battle', 'cell', 'cell'].map((kind) => [kind, label])),
      );
      const history = await show('index.html');
      assert.match(history, /History of 2 battles and 2 cells/);
      for (const commit of [sha.first, sha.second]) {
        const points = history.match(
          new RegExp(
            `<title>commit ${commit.slice(0, 10)}, [\\d -]+:\\d\\d UTC: [\\d.]+ .*? ms; (?:valid|wide|suspect)[^<]*</title>`,
            'g',
          ),
        );
        assert.equal(points?.length, 4, 'two cells, each in two layouts');
      }

      const equal = await pull(sha.equal);
      assert.equal(equal.code, 0, equal.log);
      assert.match(
        equal.summary,
        new RegExp(
          `^### perf-battle: results\n\nThe baseline is commit ${sha.second.slice(0, 10)}, measured `,
        ),
      );
      assert.match(equal.summary, /\n\| 1kb +\| HTTP 127\.0\.0\.1:\d+/);
      assert.deepEqual(
        held.comments.map(({body}) => body.replace(/^<!--.*-->\n/, '')),
        [equal.summary.trimEnd()],
      );

      const slower = await pull(sha.slower, longer);
      assert.equal(slower.code, 4, slower.log);
      assert.equal(held.comments.length, 1, 'the comment is replaced');
      assert.equal(held.comments[0].body.replace(/^<!--.*-->\n/, ''), slower.summary.trimEnd());
      // A busy host makes figures suspect, so that the comparison alone may not tell.
      assert.match(slower.summary, /\n\*\*1 cell: 1 (?:slower|cannot tell)\.\*\*\n/);
      assert.match(slower.summary, /\n- \*\*fails\*\*: HTTP .*: mean is [\d.]+ ms/);
      assert.match(slower.log, /^::error title=perf-battle::fails: HTTP /m);
      assert.equal(
        await git(origin, 'rev-list', '--count', 'perf-battle'),
        '2',
        'a pull request leaves no records',
      );
    });
    assert.equal(
      existsSync(join(checkout, 'node_modules/zod')),
      true,
      'perf-battle has its dependencies beside its code',
    );
    assert.equal(existsSync(join(checkout, 'node_modules/typescript')), false);
  });

  it('compares base and head of a pull request in one job', async () => {
    const here = comparison
      .replace('https://github.com/OWNER/perf-battle.git', `file://${checkout}`)
      .replaceAll('--payload 1kb', '--payload 1kb --rounds 4 --duration 200ms --warmup 10');
    assert.ok(here.includes(checkout) && here.split('--rounds 4').length === 3);
    const comments = /** @type {Held['comments']} */ ([]);
    await withGithub({comments}, async (url) => {
      address = url;
      const {code, log, summary} = await runJob(here, {
        ...{commit: sha.equal, event: ofPullRequest, payload: pullRequest(sha.equal)},
        change: (given) => ({...given, ...onBusyHost}),
      });
      assert.equal(code, 0, log);
      assert.match(summary, /^\*\*1 cell: 1 [\w ]+\.\*\*\n/);
      assert.match(summary, /\n\| 1kb +\| Mine +\|/);
      assert.equal(comments.length, 1);
      assert.ok(comments[0].body.endsWith(summary.trimEnd()));
    });
  });
});
