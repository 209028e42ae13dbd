import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {existsSync} from 'node:fs';
import {readFile, writeFile} from 'node:fs/promises';
import {cpus} from 'node:os';
import {describe, it} from 'node:test';
import {cellRecord} from '../../src/results/record-schema.js';
import {withMetadataService} from './results/metadata-service.js';
import {sharedBroker} from './support/broker.js';
import {inAWorkplace} from './support/each-in-a-workplace.js';
import {listeningAddresses} from './support/ports.js';
import {untilRoleRuns} from './support/roles.js';
import {usedTrials} from './support/used-trials.js';

/**
 * @import {CellRecord} from '../../src/results/record-schema.js'
 * @import {Workplace} from './support/workplace.js'
 */

const short = ['--duration', '50ms', '--warmup', '20', '--rounds', '1'];
const two = [...short, '--transport', 'http', '--http-server', 'node', '--payload', '1kb'];
const columns = [...['Id', 'Facilitator', 'Environment', 'Payload Size', 'Persistent'], 'RTT box'];

describe('a battle', {timeout: 1_200_000, concurrency: 2}, () => {
  const broker = sharedBroker({hasVirtualHost: true});

  it(
    'measures every transport, prints one JSON document, appends rows and keeps a journal',
    inAWorkplace(async (workplace) => {
      const flags = [...short, '--payload', '1kb,100kb', '--machine', 'box', '--json'];
      const {code, stdout, stderr} = await workplace.battle(flags, broker().environment);
      assert.equal(code, 0, stderr);
      const document = JSON.parse(stdout);
      assert.deepEqual(Object.keys(document), ['battle', 'cells']);
      assert.equal(stdout.trimEnd().split('\n').length, 1);
      const cells = document.cells.map((/** @type {unknown} */ cell) => cellRecord.parse(cell));
      assertCells(cells, document.battle.id);
      await assertJournal(workplace, document);
      await assertTable(workplace, cells);
      assert.match(stderr, /12 rows appended to results\.md\./);
      const {password} = broker().connection;
      const kept = await Promise.all(
        ['results.md', 'results.ndjson'].map((name) => readFile(workplace.file(name))),
      );
      assert.ok(![stdout, stderr, ...kept].some((text) => String(text).includes(password)));
      assert.deepEqual(await workplace.leftovers(), []);
      const names = await broker().list('queues', ['name']);
      assert.deepEqual(names, [], 'a run deletes the queues that it made');
      const exchanges = (await broker().list('exchanges', ['name'])).flat();
      assert.deepEqual(
        exchanges.filter((name) => name !== '' && !name.startsWith('amq.')),
        [],
      );
    }),
  );

  it(
    'draws a seed of its own, shows it and records it',
    inAWorkplace(async (workplace) => {
      const flags = [
        '--transport',
        'tcp',
        '--payload',
        '1kb',
        '--rounds',
        '1',
        '--samples',
        '5',
        '--warmup',
        '5',
      ];
      const seeds = [];
      for (let battle = 0; battle < 2; battle += 1) {
        const {stdout, stderr} = await workplace.battle([...flags, '--json']);
        const [{seed, config}] = JSON.parse(stdout).cells;
        assert.equal(config.seed, seed);
        assert.match(stderr, new RegExp(`^Seed ${seed}\\.$`, 'm'));
        seeds.push(seed);
      }
      assert.notEqual(seeds[0], seeds[1]);
    }),
  );

  it(
    'runs its trials in the order that the seed gives and the dry run shows',
    inAWorkplace(async (workplace) => {
      const flags = [
        '--transport',
        'http',
        '--http-server',
        'node',
        '--payload',
        '1kb,2kb',
        '--samples',
        '5',
        '--warmup',
        '5',
      ];
      /** @param {string} seed @param {...string} more */
      const battle = (seed, ...more) =>
        workplace.battle([...flags, '--rounds', '2', '--seed', seed, ...more], {});
      const [dry, other] = [await battle('7', '--dry-run'), await battle('8', '--dry-run')];
      assert.equal(dry.code, 0);
      assert.notDeepEqual(plannedOrder(dry.stdout), plannedOrder(other.stdout));
      assert.equal(existsSync(workplace.file('results.ndjson')), false, 'a dry run writes nothing');

      const {code, stderr} = await battle('7', '--quiet');
      assert.equal(code, 0, stderr);
      assert.doesNotMatch(stderr, /^(?!Warning: \d+ of \d+ cells? )./m);
      assert.deepEqual(await ranOrder(workplace), plannedOrder(dry.stdout));
    }),
  );

  it(
    'sends the bytes of a payload file, by their number',
    inAWorkplace(async (workplace) => {
      await writeFile(workplace.file('order.json'), '{"order": 1, "what": "a thing that one may order"}');
      const flags = ['--transport', 'websocket', '--payload-file', 'order.json', '--rounds', '1'];
      const length = ['--samples', '30', '--warmup', '20'];
      const {code, stdout, stderr} = await workplace.battle([...flags, ...length, '--json']);
      assert.equal(code, 0, stderr);
      for (const cell of JSON.parse(stdout).cells) {
        assert.equal(cell.payloadBytes, 50);
        assert.equal(cell.counts.verified, 30 * usedTrials(cell));
      }
      assert.equal((await workplace.rows()).filter((row) => / 50b /.test(row)).length, 2);
    }),
  );

  it(
    'makes as many round trips as --samples says, in place of a duration',
    inAWorkplace(async (workplace) => {
      const flags = ['--transport', 'tcp', '--payload', '1kb', '--rounds', '2', '--warmup', '20'];
      const {code, stdout} = await workplace.battle([...flags, '--samples', '123', '--json']);
      assert.equal(code, 0);
      const [cell] = JSON.parse(stdout).cells;
      const {counts, rtt, trials} = cell;
      const made = 123 * usedTrials(cell);
      assert.deepEqual([counts.sent, counts.verified, rtt.samples], [made, made, made]);
      assert.deepEqual(new Set(trials.map((/** @type {any} */ {round}) => round)), new Set([1, 2]));
      for (const {samples, discarded} of trials) assert.deepEqual([samples, discarded], [123, 20]);
    }),
  );

  it(
    'adds rounds until the means are precise or the budget is used up, and says which',
    inAWorkplace(async (workplace) => {
      const flags = ['--transport', 'tcp', '--payload', '1kb', '--duration', '80ms', '--warmup', '200'];
      const stops = ['--precision', '50%', '--budget', '10s', '--json'];
      const {code, stdout, stderr} = await workplace.battle([...flags, ...stops]);
      assert.equal(code, 0, stderr);
      const [{trials, config, rtt, rounds}] = JSON.parse(stdout).cells;
      assert.ok(trials.length >= 5 && trials.length === rounds.count, `${trials.length} trials`);
      assert.deepEqual([config.precision, config.budgetMs, config.rounds], [0.5, 10_000, null]);
      assert.match(stderr, /^\[0\/5\] round 1 of 5 or more, at most (10|[5-9]) s left/m);
      if (rounds.stoppedBy === 'precision') {
        assert.ok(rtt.ci95Ms[1] - rtt.meanMs <= 0.5 * rtt.meanMs);
        assert.match(stderr, /^Every mean is within ± 50 % after \d+ rounds\.$/m);
      } else
        assert.match(
          stderr,
          /^After \d+ rounds no time is left for another: the budget is 10 s \(--budget\)\.$/m,
        );
    }),
  );

  it(
    'says before anything starts that others use the host, with --quiet too',
    inAWorkplace(async (workplace) => {
      const others = cpus().map(() => spawn(process.execPath, ['-e', 'for (;;);']));
      try {
        const flags = [
          '--transport',
          'tcp',
          '--payload',
          '1kb',
          '--rounds',
          '1',
          '--duration',
          '1m',
          '--quiet',
        ];
        const battle = workplace.start('battle', flags);
        await battle.says(
          /^Warning: \d+ % of the CPU of this host is in use by others.* Stop other programs there/m,
        );
        battle.child.kill('SIGINT');
        assert.equal((await battle.ended).code, 130);
      } finally {
        for (const other of others) other.kill('SIGKILL');
      }
    }),
  );

  it(
    'says at most with --quiet that figures are suspect, and the rows are there',
    inAWorkplace(async (workplace) => {
      const {code, stdout, stderr} = await workplace.battle([...two, '--quiet']);
      assert.deepEqual({code, stdout}, {code: 0, stdout: ''});
      const suspects = (await workplace.cells()).filter(
        (cell) => cell.outcome === 'completed' && cell.verdict.status === 'suspect',
      ).length;
      if (suspects === 0) assert.equal(stderr, '');
      else
        assert.match(
          stderr,
          new RegExp(`^Warning: ${suspects} of 2 cells (is|are) suspect \\(.*--detail\n$`),
        );
      assert.equal((await workplace.rows()).length, 2);
    }),
  );

  it(
    'prints its table without escape codes where there is no terminal, with NO_COLOR or without',
    inAWorkplace(async (workplace) => {
      for (const environment of [{}, {NO_COLOR: '1', TERM: 'dumb'}]) {
        const {code, stdout, stderr} = await workplace.battle(two, environment);
        assert.equal(code, 0);
        assert.match(stdout, /\n1 KB: HTTP[^\n]* \d[\d.]* ms/);
        assert.match(stdout, /Payload +Transport +Mean ± 95 % .* × floor +(vs fastest +)?Verdict\n/);
        assert.match(stdout, /^(1kb)? +TCP +\d.* 1\.00× +(valid|wide|suspect)$/m);
        for (const line of stdout.split('\n')) assert.ok(line.length <= 80, line);
        assert.match(stdout, /2 rows appended to results\.md\./);
        assert.match(stderr, /\[0\/2\] round 1 of 1/);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
        assert.doesNotMatch(`${stdout}${stderr}`, /[\u001b\r]/);
      }
      const ids = (await workplace.rows()).map((row) => row.split('|')[1].trim());
      assert.equal(new Set(ids).size, 4, `both battles have rows of their own: ${ids}`);
    }),
  );

  it(
    'binds its servers to loopback alone',
    inAWorkplace(async (workplace) => {
      const flags = [
        '--transport',
        'http,websocket',
        '--http-server',
        'express',
        '--payload',
        '1kb',
        '--rounds',
        '1',
        '--quiet',
      ];
      const battle = workplace.start('battle', [...flags, '--duration', '3s', '--warmup', '20']);
      const scripts = ['tcp-server', 'http-server', 'websocket-server'];
      await Promise.all(
        scripts.map(async (script) => {
          const addresses = await untilListening(await untilRoleRuns(battle.pid, script));
          assert.deepEqual(addresses, ['0100007F'], script);
        }),
      );
      assert.equal((await battle.ended).code, 0);
    }),
  );

  it(
    'reads .env below the environment and the environment below flags, and says so',
    inAWorkplace(async (workplace) => {
      const url = 'amqp://user:T0p-secret@broker.invalid:5673/';
      const lines = ['PB_ROUNDS=3', 'PB_SEED=5', 'PB_DURATION=70ms', `PB_RABBITMQ_URL=${url}`];
      await writeFile(workplace.file('.env'), `${lines.join('\n')}\n`);
      const environment = {PB_ROUNDS: '4', PB_SEED: '6', PB_RABBITMQ_PASSWORD: 'S3cret', PB_TIMEOUT: ''};
      const flags = ['--seed', '7', '--print-config'];
      const {code, stdout, stderr} = await workplace.battle(flags, environment);
      assert.deepEqual({code, stderr}, {code: 0, stderr: ''});
      for (const line of [
        /^--seed +PB_SEED +7 +--seed *$/m,
        /^--rounds +PB_ROUNDS +4 +PB_ROUNDS *$/m,
        /^--duration +PB_DURATION +70ms +PB_DURATION in \.env *$/m,
        /^--timeout +PB_TIMEOUT +10s +default *$/m,
        /^--payload +PB_PAYLOAD_BYTES +1kb,100kb,500kb,1000kb +default *$/m,
        /^--rabbitmq-password +PB_RABBITMQ_PASSWORD +\*\*\* +PB_RABBITMQ_PASSWORD *$/m,
        /^--rabbitmq-url +PB_RABBITMQ_URL +amqp:\/\/user:\*\*\*@broker\.invalid:5673\/ +PB_RABBITMQ_URL in \.env *$/m,
      ]) {
        assert.match(stdout, line);
      }
      assert.doesNotMatch(stdout, /cret/);
      assert.equal(existsSync(workplace.file('results.ndjson')), false);
    }),
  );

  it(
    'warns of a PB_ name in the environment that it does not know, and goes on',
    inAWorkplace(async (workplace) => {
      const {code, stderr} = await workplace.battle(['--dry-run'], {PB_RONDS: '3'});
      assert.equal(code, 0);
      assert.match(stderr, /^Warning: PB_RONDS in the environment is not .* Did you mean PB_ROUNDS\?\n$/);
    }),
  );

  it(
    'plans rounds that take longer than the budget, and says so',
    inAWorkplace(async (workplace) => {
      const {stdout} = await workplace.battle(['--dry-run', '--transport', 'tcp', '--budget', '1s'], {});
      assert.match(
        stdout,
        /^These rounds take longer than the budget of 1 s\. The budget only prevents further rounds\.$/m,
      );
    }),
  );
});

describe('a battle on an EC2 instance', {timeout: 1_200_000}, () => {
  it(
    'has its rows in the column of the instance type',
    inAWorkplace((workplace) =>
      withMetadataService({'instance-type': 'm4.xlarge'}, async (endpoint) => {
        const environment = {AWS_EC2_METADATA_SERVICE_ENDPOINT: endpoint};
        const {code, stderr} = await workplace.battle([...two, '--transport', 'tcp'], environment);
        assert.equal(code, 0, stderr);
        const [cell] = await workplace.cells();
        assert.deepEqual([cell.machine, cell.environment], ['m4.xlarge', 'local']);
        assert.match((await workplace.rows())[0], /\*N\/A\* +\| [\d.]+ ms +\|$/);
      }),
    ),
  );
});

describe('the table of a journal', {timeout: 1_200_000}, () => {
  it(
    'is printed, written into a file, and checked there',
    inAWorkplace(async (workplace) => {
      assert.equal((await workplace.battle([...two, '--machine', 'box', '--quiet'])).code, 0);
      const table = (/** @type {string[]} */ ...flags) => workplace.battle(['table', ...flags]);

      const printed = await table();
      assert.equal(printed.code, 0);
      assert.match(printed.stdout, /^\|.*Transport.*\|\n\|[ :|-]+\|\n(\|.*\|\n){2}$/);
      const detail = await table('--detail');
      assert.equal(detail.code, 0);
      assert.match(detail.stdout, /p99/);
      assert.match(detail.stdout, /[Vv]erdict/);
      const published = await table('--published');
      assert.ok(published.stdout.startsWith(printed.stdout.trimEnd()));
      assert.match(published.stdout.slice(printed.stdout.length), /4\.983/);
      assert.match(published.stdout.slice(printed.stdout.length), /published/i);

      const csv = await table('--csv');
      assert.equal(csv.code, 0);
      assert.match(csv.stdout, /^id,battle,.*\r\n([^,]+-[12],.*,local,box,rtt,.*\r\n){2}$/);
      assert.equal((await table('--csv', '--json')).code, 2);
      assert.equal((await table('--csv', '--detail')).code, 2);

      const nowhere = await table('--into', 'README.md');
      assert.equal(nowhere.code, 2);
      assert.match(
        nowhere.stderr,
        /README\.md does not exist\. Create it with the lines <!-- perf-battle:begin -->/,
      );

      const before = '# Mine\n\n<!-- perf-battle:begin -->\nold\n<!-- perf-battle:end -->\n\nAfter.\n';
      await writeFile(workplace.file('README.md'), before);
      const outOfDate = await table('--into', 'README.md', '--all', '--check');
      assert.equal(outOfDate.code, 1);
      assert.match(outOfDate.stderr, /README\.md is out of date/);
      assert.equal(await readFile(workplace.file('README.md'), 'utf8'), before);
      // The host may be too busy for the figures that leave out what is suspect.
      assert.equal((await table('--into', 'README.md', '--all')).code, 0);
      const written = await readFile(workplace.file('README.md'), 'utf8');
      assert.ok(written.startsWith('# Mine\n\n<!-- perf-battle:begin -->\n'));
      assert.ok(written.endsWith('\n<!-- perf-battle:end -->\n\nAfter.\n'));
      assert.ok(written.includes(printed.stdout.trim()));
      assert.deepEqual((await table('--into', 'README.md', '--all', '--check')).code, 0);
      const {cells} = JSON.parse((await table('--json')).stdout);
      assert.deepEqual(
        cells.map((/** @type {unknown} */ cell) => cellRecord.parse(cell).outcome),
        ['completed', 'completed'],
      );
      assert.equal((await table('--into', 'README.md', '--all', '--detail', '--check')).code, 1);

      assert.equal((await workplace.battle([...two, '--machine', 'other', '--quiet'])).code, 0);
      assert.equal(
        (await table('--into', 'README.md', '--all', '--check')).code,
        1,
        'there are newer results',
      );
    }),
  );

  it(
    'is written without suspect results, unless --all asks for them',
    inAWorkplace(async (workplace) => {
      assert.equal((await workplace.battle([...two, '--machine', 'box', '--quiet'])).code, 0);
      const journal = await readFile(workplace.file('results.ndjson'), 'utf8');
      const withVerdicts = async (/** @type {string[]} */ ...statuses) => {
        const lines = journal.split('\n').map((line) => {
          const entry = line === '' ? {} : JSON.parse(line);
          if (entry.kind !== 'cell') return line;
          return JSON.stringify({...entry, verdict: {status: statuses.shift(), warnings: []}});
        });
        await writeFile(workplace.file('results.ndjson'), lines.join('\n'));
      };
      const empty = '<!-- perf-battle:begin -->\n<!-- perf-battle:end -->\n';
      await writeFile(workplace.file('README.md'), empty);
      const into = (/** @type {string[]} */ ...flags) =>
        workplace.battle(['table', '--into', 'README.md', ...flags]);
      const rows = async () =>
        (await readFile(workplace.file('README.md'), 'utf8')).match(/^\| .*ms +\|$/gm) ?? [];

      await withVerdicts('suspect', 'suspect');
      const none = await into();
      assert.deepEqual([none.code, none.stdout], [1, '']);
      assert.match(none.stderr, /All results \(2\) are suspect, so README\.md stays as it is\..* with --all/);
      assert.equal(await readFile(workplace.file('README.md'), 'utf8'), empty);

      await withVerdicts('suspect', 'valid');
      const one = await into();
      assert.equal(one.code, 0, one.stderr);
      assert.match(one.stdout, /1 suspect result is not in it; --all adds it\.$/m);
      assert.equal((await rows()).length, 1);
      assert.doesNotMatch((await rows()).join('\n'), /suspect/);
      assert.equal((await into('--check')).code, 0);
      assert.equal((await into('--all', '--check')).code, 1);
      assert.equal((await into('--all')).code, 0);
      assert.match((await rows()).join('\n'), /suspect/);
      assert.equal((await into('--check')).code, 1);
      const printed = await workplace.battle(['table']);
      assert.match(printed.stdout, /suspect/);
      const alone = await workplace.battle(['table', '--all']);
      assert.equal(alone.code, 2);
      assert.match(alone.stderr, /--all needs --into/);
    }),
  );

  it(
    'says what to do when there are no results, no such file or no markers',
    inAWorkplace(async (workplace) => {
      const commands = ['table', 'report', 'compare', 'chart'];
      for (const command of commands) {
        const none = await workplace.battle([command]);
        assert.deepEqual([none.code, none.stdout], [1, '']);
        assert.equal(
          none.stderr,
          'perf-battle: results.ndjson does not exist yet. Run perf-battle first, or name another file with --results.\n',
        );
      }
      await writeFile(workplace.file('README.md'), '# No markers\n');
      const unmarked = await workplace.battle(['table', '--published', '--into', 'README.md']);
      assert.equal(unmarked.code, 2);
      assert.match(unmarked.stderr, /README\.md: .*perf-battle:begin/);
      const missing = await workplace.battle(['table', '--published', '--into', 'NO.md', '--check']);
      assert.equal(missing.code, 1);
      assert.match(missing.stderr, /NO\.md does not exist/);
      assert.equal((await workplace.battle(['table', '--published', '--check'])).code, 2);
      assert.equal((await workplace.battle(['table', '--rounds', '2'])).code, 2);
      await writeFile(workplace.file('results.ndjson'), '');
      for (const command of commands) {
        const empty = await workplace.battle([command]);
        assert.equal(empty.code, 1);
        assert.match(
          empty.stderr,
          /^perf-battle: results\.ndjson has no completed cell yet\. Run perf-battle first/,
        );
      }
      const trial = {kind: 'trial', battleId: '0123abcd', cell: 1};
      const lines = [{kind: 'battle', id: '0123abcd', cells: [{}, {}, {}]}, trial, trial];
      await writeFile(
        workplace.file('results.ndjson'),
        lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
      );
      for (const command of commands) {
        const begun = await workplace.battle([command]);
        assert.equal(begun.code, 1);
        assert.equal(
          begun.stderr,
          'perf-battle: results.ndjson has no completed cell yet: the battle 0123abcd was interrupted, or still runs. 2 trials of 3 cells are stored. To continue: perf-battle --resume\n',
        );
      }
      const elsewhere = {...lines[0], config: {results: 'mine.md'}};
      await writeFile(
        workplace.file('mine.ndjson'),
        `${JSON.stringify(elsewhere)}\n${JSON.stringify(trial)}\n`,
      );
      const named = await workplace.battle(['table', '--results', 'mine.md']);
      assert.match(
        named.stderr,
        / 1 trial of 3 cells is stored\. To continue: perf-battle --resume --results mine\.md\n$/,
      );
    }),
  );

  it(
    'names the versions in which rows of one table differ, and no others; the rows that are there stay as they are',
    inAWorkplace(async (workplace) => {
      const short = ['--rounds', '1', '--samples', '40', '--warmup', '10', '--payload', '1kb'];
      const battle = async (/** @type {string[]} */ ...transports) => {
        const {code, stderr} = await workplace.battle([...short, '--transport', transports.join()]);
        assert.equal(code, 0, stderr);
      };
      await battle('tcp', 'websocket');
      const before = await readFile(workplace.file('results.md'), 'utf8');
      assert.doesNotMatch(before, /Node\.js/);
      const journal = await readFile(workplace.file('results.ndjson'), 'utf8');
      const own = process.version.slice(1);
      await writeFile(workplace.file('results.ndjson'), journal.replaceAll(process.version, 'v18.0.1'));

      const alike = await workplace.battle(['table']);
      assert.doesNotMatch(alike.stdout, /Node\.js/);
      await battle('tcp', 'http');
      const after = await readFile(workplace.file('results.md'), 'utf8');
      assert.ok(after.startsWith(before.trimEnd()));
      const added = after.slice(before.trimEnd().length).trim().split('\n');
      assert.ok(
        added.every((row) => row.includes(`Node.js ${own}`)),
        after,
      );
      for (const detail of [[], ['--detail']]) {
        const {stdout} = await workplace.battle(['table', ...detail]);
        assert.match(stdout, /Web Sockets \(Node\.js 18\.0\.1[,)]/);
        assert.ok(stdout.includes(`TCP (Node.js ${own}`), stdout);
        assert.ok(stdout.includes(`HTTP (Node.js ${own}`) || /HTTP \(.*, Node\.js/.test(stdout), stdout);
      }
    }),
  );
});

/** @param {CellRecord[]} cells @param {string} battleId */
function assertCells(cells, battleId) {
  const places = cells.map(
    ({transport, variant, payloadBytes}) =>
      `${transport} ${variant.deliveryMode ?? variant.serverLibrary ?? '-'} ${payloadBytes}`,
  );
  const variants = ['tcp -', 'http express', 'http node', 'websocket -', 'rabbitmq 1', 'rabbitmq 2'];
  const sizes = [1024, 102_400];
  assert.deepEqual(
    places.sort(),
    sizes.flatMap((size) => variants.map((variant) => `${variant} ${size}`)).sort(),
  );
  assert.equal(new Set(cells.map(({id}) => id)).size, 12);
  for (const cell of cells) {
    if (cell.outcome !== 'completed') assert.fail(JSON.stringify(cell));
    assert.equal(cell.battleId, battleId);
    assert.deepEqual([cell.machine, cell.environment, cell.workload], ['box', 'local', 'rtt']);
    const {sent, received, lost, verified} = cell.counts;
    assert.ok(sent === received + lost && verified === received && sent > 0);
    assert.deepEqual(new Set(cell.trials.map(({round}) => round)), new Set([1]));
    if (cell.rtt === null) assert.fail('no round trips');
    const means = cell.trials.filter(({used}) => used).map(({meanMs}) => meanMs ?? Number.NaN);
    const mean = means.reduce((total, value) => total + value, 0) / means.length;
    const {meanMs, minMs, maxMs} = cell.rtt;
    if (meanMs === null || minMs === null || maxMs === null) assert.fail('withheld');
    assert.ok(Math.abs(mean - meanMs) < 1e-9);
    assert.ok(minMs <= meanMs && meanMs <= maxMs);
    assert.ok(cell.floor && Math.abs(cell.floor.meanMs * cell.floor.ratio - meanMs) < 1e-9);
    assert.ok(cell.cpu.client && cell.cpu.server);
    assert.equal(cell.cpu.broker !== null, cell.transport === 'rabbitmq');
    assert.match(String(cell.versions.node), /^v\d+/);
    assert.match(String(cell.versions.rabbitmq), /^\d+\.\d+/);
  }
}

/** @param {Workplace} workplace @param {{battle: {id: string}, cells: CellRecord[]}} document */
async function assertJournal(workplace, {battle, cells}) {
  const journal = await workplace.journal();
  const ofKind = (/** @type {string} */ kind) => journal.filter((entry) => entry.kind === kind);
  assert.equal(journal[0].kind, 'battle');
  assert.equal(ofKind('battle').length, 1);
  assert.equal(journal[0].id, battle.id);
  assert.ok(ofKind('trial').length >= 10);
  for (const trial of ofKind('trial')) assert.equal(trial.battleId, battle.id);
  assert.deepEqual(ofKind('cell'), cells);
  const kinds = journal.map(({kind}) => kind);
  assert.ok(kinds.lastIndexOf('trial') < kinds.indexOf('cell'));
}

/** @param {Workplace} workplace @param {CellRecord[]} cells */
async function assertTable(workplace, cells) {
  const text = await readFile(workplace.file('results.md'), 'utf8');
  const header = text.split('\n').find((line) => line.includes('Facilitator')) ?? '';
  assert.deepEqual(cellsOf(header), columns);
  const rows = (await workplace.rows()).map(cellsOf);
  assert.equal(rows.length, 12);
  assert.equal(new Set(rows.map(([id]) => id)).size, 12);
  for (const [index, cell] of cells.entries()) {
    if (cell.outcome !== 'completed' || cell.rtt === null) continue;
    const [, facilitator, environment, payload, persistent, ...figures] = rows[index];
    assert.ok(facilitator.startsWith(cell.labels.facilitator));
    assert.deepEqual([environment, persistent], ['local', cell.labels.persistent]);
    assert.equal(payload, cell.payloadBytes === 1024 ? '1kb' : '100kb');
    assert.deepEqual(figures, [`${cell.rtt.meanMs?.toFixed(4)} ms`]);
  }
}

/** @param {string} row of a markdown table */
function cellsOf(row) {
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** @param {string} plan @returns {string[]} round and cell number of each trial, in order */
function plannedOrder(plan) {
  return [...plan.matchAll(/^round (\d+): (.*)$/gm)].flatMap(([, round, numbers]) =>
    numbers.split(/ (?:\| )?|\+/).map((number) => `${round}: ${number}`),
  );
}

/** @param {Workplace} workplace */
async function ranOrder(workplace) {
  const trials = (await workplace.journal()).filter(({kind}) => kind === 'trial');
  return trials.map(({round, cell}) => `${round}: ${cell}`);
}

/** @param {number} pid */
async function untilListening(pid) {
  const deadline = Date.now() + 5000;
  let addresses = await listeningAddresses(pid);
  while (addresses.length === 0 && Date.now() < deadline) addresses = await listeningAddresses(pid);
  return addresses;
}
