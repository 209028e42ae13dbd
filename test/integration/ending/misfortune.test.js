import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {
  appendFile,
  chmod,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rm,
  rmdir,
  stat,
  writeFile,
} from 'node:fs/promises';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {cellRecord} from '../../../src/results/record-schema.js';
import {sharedBroker} from '../support/broker.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {freePort, untilConnected} from '../support/ports.js';
import {untilRoleRuns} from '../support/roles.js';

/** @import {Workplace} from '../support/workplace.js' */

const short = ['--payload', '1kb', '--duration', '50ms', '--warmup', '20', '--rounds', '1'];
/** Long enough to do something to a cell while it runs. */
const long = ['--payload', '1kb', '--duration', '600ms', '--warmup', '20', '--rounds', '1'];

/** Mounting needs root, as installing RabbitMQ did; the folder is the user's all the same. @param {string[]} words */
function asRoot(...words) {
  const isRoot = process.getuid?.() === 0;
  execFileSync(isRoot ? words[0] : 'sudo', isRoot ? words.slice(1) : ['-n', ...words]);
}

/** What stands in the way of an export, which shows only when it is written. */
const exports = [
  {
    title: 'its log is a folder',
    ...{format: 'hlog', blocked: 'results.hlog', prepare: mkdir, mend: rmdir, exitCode: 1},
    message: /Cannot write results\.hlog: it is a directory\. .*--resume repeats the export\./,
  },
  {
    title: 'the folder of its data files is a file',
    ...{format: 'endurox', blocked: 'endurox', exitCode: 1},
    prepare: (/** @type {string} */ path) => writeFile(path, ''),
    mend: (/** @type {string} */ path) => rm(path),
    message: /Cannot write endurox: .*--resume repeats the export\./,
  },
];

const mine = `uid=${process.getuid?.() ?? 0}`;

describe('a battle with bad luck', {timeout: 1_200_000, concurrency: 2}, () => {
  const broker = sharedBroker();

  it(
    'runs the other cells when no broker answers, and ends with 3',
    inAWorkplace(async (workplace) => {
      const port = await freePort();
      const environment = {PB_RABBITMQ_URL: `amqp://user:T0p-secret@127.0.0.1:${port}/`};
      const flags = [...short, '--http-server', 'node'];
      const {code, stdout, stderr} = await workplace.battle(flags, environment);
      assert.equal(code, 3);
      assert.match(stderr, new RegExp(`No broker: The broker at 127\\.0\\.0\\.1:${port} cannot be reached`));
      assert.deepEqual(await outcomes(workplace), {
        ...{tcp: 'completed', http: 'completed', websocket: 'completed'},
        ...{'rabbitmq mode 1': 'failed', 'rabbitmq mode 2': 'failed'},
      });
      assert.equal((await workplace.rows()).length, 3);
      await assertSecret(workplace, 'T0p-secret', stdout, stderr);
    }),
  );

  it(
    'runs the other cells when the broker refuses the password, shows it nowhere, and ends with 3',
    inAWorkplace(async (workplace) => {
      const {hostname, port, username} = broker().connection;
      const given = [
        {PB_RABBITMQ_URL: `amqp://${username}:T0p-secret@${hostname}:${port}/`},
        {PB_BROKER: `amqp://${username}:T0p-secret@${hostname}:${port}/`},
        {
          PB_RABBITMQ_HOST: hostname,
          PB_RABBITMQ_PORT: String(port),
          PB_RABBITMQ_USERNAME: username,
          PB_RABBITMQ_PASSWORD: 'T0p-secret',
        },
      ];
      for (const environment of given) {
        const flags = [...short, '--transport', 'rabbitmq', '--json'];
        const {code, stdout, stderr} = await workplace.battle(flags, environment);
        assert.equal(code, 3);
        assert.match(stderr, /refused user "perf-battle".*Check the user name and the password/);
        const cells = JSON.parse(stdout).cells.map((/** @type {unknown} */ cell) => cellRecord.parse(cell));
        assert.equal(cells.filter((/** @type {any} */ cell) => cell.outcome === 'completed').length, 1);
        await assertSecret(workplace, 'T0p-secret', stdout, stderr);
      }
    }),
  );

  for (const {role, script, transport} of [
    {role: 'server', script: 'http-server', transport: 'http'},
    {role: 'server', script: 'rabbitmq-server', transport: 'rabbitmq'},
    {role: 'client', script: 'rabbitmq-client', transport: 'rabbitmq'},
    {role: 'client', script: 'tcp-client', transport: 'tcp'},
  ]) {
    it(
      `goes on when a ${script} is killed in the middle of its cell, and says so`,
      inAWorkplace(async (workplace) => {
        const flags = [
          ...long,
          '--timeout',
          '1s',
          '--transport',
          transport === 'tcp' ? 'http' : transport,
          ...(transport === 'http' || transport === 'tcp' ? ['--http-server', 'node'] : []),
          ...(transport === 'rabbitmq' ? ['--delivery-mode', '1'] : []),
        ];
        const battle = workplace.start('battle', flags, broker().environment);
        const pid = await untilRoleRuns(battle.pid, script);
        await untilMeasuring();
        process.kill(pid, 'SIGKILL');
        const {code, stdout, stderr} = await battle.ended;
        assert.equal(code, 1);
        const why = new RegExp(`Failed: .*1kb: The ${role} was killed by SIGKILL\\.`);
        assert.match(stderr, why);
        assert.match(stdout, why);
        const found = await outcomes(workplace);
        const name = transport === 'rabbitmq' ? 'rabbitmq mode 1' : transport;
        assert.equal(found[name], 'failed');
        const completed = Object.values(found).filter((outcome) => outcome === 'completed').length;
        assert.equal(completed, Object.keys(found).length - 1);
        assert.equal((await workplace.rows()).length, completed);
        assert.deepEqual(await workplace.leftovers(), []);
      }),
    );
  }

  it(
    'replaces a private broker that is killed in the middle of a cell, which alone fails',
    inAWorkplace(async (workplace) => {
      // In slices, the pairs of both delivery modes may be connected.
      const flags = [...long, '--no-slices', '--transport', 'rabbitmq', '--broker', 'private'];
      const battle = workplace.start('battle', flags);
      await untilConnected(await untilRoleRuns(battle.pid, 'rabbitmq-client', 40_000));
      const beam = (await workplace.processes()).find(({command}) => /^\S*beam\S* /.test(command));
      assert.ok(beam);
      process.kill(beam.pid, 'SIGKILL');
      const {code, stderr} = await battle.ended;
      assert.equal(code, 1);
      assert.match(stderr, /Failed: RabbitMQ mode \d, 1kb: The broker died/);
      const found = await outcomes(workplace);
      assert.deepEqual(Object.values(found).sort(), ['completed', 'completed', 'failed']);
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  for (const {title, prepare, message} of [
    {
      title: 'results.md is a folder',
      /** @param {Workplace} workplace */
      prepare: (workplace) => mkdir(workplace.file('results.md')),
      message: /Cannot write results\.md: it is a directory/,
    },
    {
      title: 'results.md is read-only',
      /** @param {Workplace} workplace */
      async prepare(workplace) {
        await writeFile(workplace.file('results.md'), '# Mine\n');
        await chmod(workplace.file('results.md'), 0o444);
      },
      message: /Cannot write results\.md: it is read-only\. Allow writing with chmod u\+w/,
    },
    {
      title: 'the journal is read-only',
      /** @param {Workplace} workplace */
      async prepare(workplace) {
        await writeFile(workplace.file('results.ndjson'), '');
        await chmod(workplace.file('results.ndjson'), 0o444);
      },
      message: /Cannot write .*results\.ndjson: it is read-only/,
    },
    {
      title: 'results.md is no UTF-8',
      /** @param {Workplace} workplace */
      prepare: (workplace) => writeFile(workplace.file('results.md'), Buffer.from([0x23, 0x20, 0xe4, 0x0a])),
      message: /Cannot write results\.md: it is not UTF-8 text/,
    },
  ]) {
    it(
      `ends with 1 before anything runs when ${title}`,
      inAWorkplace(async (workplace) => {
        await prepare(workplace);
        const before = await readdir(workplace.path);
        const {code, stdout, stderr} = await workplace.battle(short);
        assert.deepEqual({code, stdout}, {code: 1, stdout: ''});
        assert.match(stderr, message);
        assert.doesNotMatch(stderr, /round|\n\s+at /);
        assert.deepEqual(await readdir(workplace.path), before);
      }),
    );
  }

  it(
    'ends with 1 before anything runs when its folder is on a read-only file system or not there',
    inAWorkplace(async (workplace) => {
      const folder = workplace.file('mounted');
      await mkdir(folder);
      asRoot('mount', '-t', 'tmpfs', '-o', `ro,size=64k,${mine}`, 'tmpfs', folder);
      try {
        const {code, stdout, stderr} = await workplace.battle([...short, '--results', 'mounted/results.md']);
        assert.deepEqual({code, stdout}, {code: 1, stdout: ''});
        assert.match(stderr, /Cannot write mounted\/results\.md: its file system is read-only/);
        assert.doesNotMatch(stderr, /round/);
      } finally {
        asRoot('umount', folder);
      }
      const {code, stderr} = await workplace.battle([...short, '--results', 'nowhere/results.md']);
      assert.equal(code, 1);
      assert.match(stderr, /Cannot write nowhere\/results\.md: its folder does not exist/);
    }),
  );

  it(
    'stops with 1 when the disk is full, and what was finished can be read and gone on with',
    inAWorkplace(async (workplace) => {
      const folder = workplace.file('mounted');
      await mkdir(folder);
      asRoot('mount', '-t', 'tmpfs', '-o', `size=14k,${mine}`, 'tmpfs', folder);
      try {
        const results = ['--results', 'mounted/results.md'];
        const flags = [
          '--transport',
          'http,websocket',
          '--http-server',
          'express',
          '--payload',
          '1kb',
          '--rounds',
          '4',
        ];
        const quick = ['--duration', '30ms', '--warmup', '5'];
        // It counts as running as long as its process.
        const {code, stderr} = await workplace.run('battle', [...flags, ...quick, ...results]);
        assert.equal(code, 1);
        assert.match(stderr, /Cannot write .*mounted\/results\.ndjson: the disk is full\. Free some space/);
        assert.doesNotMatch(stderr, /\n\s+at /);
        const journal = await workplace.journal('mounted/results.ndjson');
        const trials = journal.filter(({kind}) => kind === 'trial').length;
        assert.ok(trials >= 1, `${trials} finished trials`);
        assert.deepEqual(await workplace.leftovers(), []);

        await copyFile(workplace.file('mounted/results.ndjson'), workplace.file('results.ndjson'));
        const resumed = await workplace.battle(['--resume', '--json', '--quiet']);
        assert.equal(resumed.code, 0, resumed.stderr);
        const {battle, cells} = JSON.parse(resumed.stdout);
        assert.equal(battle.id, journal[0].id);
        for (const cell of cells) assert.equal(cell.outcome, 'completed');
      } finally {
        asRoot('umount', folder);
      }
    }),
  );

  for (const {title, format, blocked, prepare, mend, message, exitCode} of exports) {
    it(
      `has its rows when ${title}, ends with ${exitCode}, and exports when it goes on`,
      inAWorkplace(async (workplace) => {
        await prepare(workplace.file(blocked));
        const flags = [...short, '--transport', 'http', '--http-server', 'node', '--export', format];
        const failed = await workplace.run('battle', flags);
        assert.equal(failed.code, exitCode);
        assert.match(failed.stderr, message);
        assert.doesNotMatch(failed.stderr, /\n\s+at /);
        assert.match(failed.stdout, /2 rows appended to results\.md\./);
        const rows = await workplace.rows();
        assert.equal(rows.length, 2);

        await mend(workplace.file(blocked));
        const {code, stdout, stderr} = await workplace.battle(['--resume']);
        assert.equal(code, 0, stderr);
        assert.match(stdout, /Exported to /);
        assert.deepEqual(await workplace.rows(), rows, 'none is appended twice');
        assert.match((await workplace.battle(['--resume'])).stderr, /--resume found no interrupted battle/);
      }),
    );
  }

  it(
    'says in one sentence that the folder for temporary files is not there; other cells run',
    inAWorkplace(async (workplace) => {
      const flags = [...short, '--transport', 'rabbitmq', '--delivery-mode', '1', '--broker', 'private'];
      const {code, stderr} = await workplace.battle([...flags, '--quiet'], {TMPDIR: '/nope'});
      assert.equal(code, 3, stderr);
      assert.match(
        stderr,
        /The folder for temporary files, \/nope, cannot be used: it does not exist\. Set TMPDIR/,
      );
      assert.doesNotMatch(stderr, /\n\s+at |node:internal/);
      const cells = await workplace.cells();
      assert.deepEqual(cells.map(({outcome}) => outcome).toSorted(), ['completed', 'failed']);
    }),
  );

  it(
    'says in one sentence that its working directory is not there',
    inAWorkplace(async (workplace) => {
      const gone = workplace.file('gone');
      await mkdir(gone);
      const binary = fileURLToPath(new URL('../../../bin/perf-battle.js', import.meta.url));
      for (const command of ['--dry-run', 'table']) {
        await mkdir(gone, {recursive: true});
        const script = 'rmdir "$PWD" && exec "$0" "$@"';
        const {status, stderr} = spawnSync('sh', ['-c', script, process.execPath, binary, command], {
          cwd: gone,
          encoding: 'utf8',
        });
        assert.equal(status, 2, stderr);
        assert.equal(
          stderr,
          'perf-battle: The working directory does not exist any more. Change to another one.\n',
        );
      }
    }),
  );

  it(
    'tolerates a torn last line of the journal, and mends it',
    inAWorkplace(async (workplace) => {
      const flags = [...short, '--transport', 'http', '--http-server', 'node', '--quiet'];
      assert.equal((await workplace.battle(flags)).code, 0);
      const path = workplace.file('results.ndjson');
      await appendFile(path, (await readFile(path, 'utf8')).split('\n')[1].slice(0, 300));
      const table = await workplace.battle(['table']);
      assert.deepEqual([table.code, table.stderr], [0, '']);
      assert.equal((await workplace.battle(flags)).code, 0);
      const kinds = (await workplace.journal()).map(({kind}) => kind);
      assert.equal(kinds.filter((kind) => kind === 'battle').length, 2);
      assert.equal(kinds.filter((kind) => kind === 'cell').length, 4);
    }),
  );

  it(
    'warns of a broken line within the journal and goes on',
    inAWorkplace(async (workplace) => {
      await writeFile(workplace.file('results.ndjson'), '{"kind":"battle","id\nnot at all\n');
      const {code, stderr} = await workplace.battle([...short, '--transport', 'tcp', '--quiet']);
      assert.equal(code, 0);
      assert.match(stderr, /^Warning: Line 1 of .*results\.ndjson is not a record.*\nWarning: Line 2 /);
    }),
  );

  it(
    'shares its results file with another battle that runs at the same time',
    inAWorkplace(async (workplace) => {
      const flags = [
        ...short,
        '--transport',
        'http,rabbitmq',
        '--http-server',
        'express',
        '--delivery-mode',
        '1',
      ];
      const both = await Promise.all([1, 2].map(() => workplace.battle(flags, broker().environment)));
      for (const {code, stderr} of both) assert.equal(code, 0, stderr);
      const rows = await workplace.rows();
      assert.equal(rows.length, 6);
      assert.equal(new Set(rows.map((row) => row.split('|')[1].trim())).size, 6);
      const cells = await workplace.cells();
      assert.deepEqual(
        cells.map(({outcome}) => outcome),
        Array(6).fill('completed'),
      );
      assert.equal(new Set(cells.map(({battleId}) => battleId)).size, 2);
      assert.equal(new Set(cells.map(({id}) => id)).size, 6);
      const names = await readdir(workplace.path);
      assert.deepEqual(names.sort(), ['results.md', 'results.ndjson', 'tmp'], 'no lock is left');
    }),
  );

  it(
    'ends, with its private broker gone, when the journal cannot be written any more while that starts',
    inAWorkplace(async (workplace) => {
      const flags = [...short, '--transport', 'rabbitmq', '--broker', 'private'];
      const battle = workplace.start('battle', flags);
      await battle.says(/Starting a private RabbitMQ node/);
      await chmod(workplace.file('results.ndjson'), 0o444);
      const {code, stderr} = await battle.ended;
      assert.equal(code, 1);
      assert.match(stderr, /Cannot write .*results\.ndjson: it is read-only/);
      assert.deepEqual(await workplace.leftovers(), []);
      assert.ok((await stat(workplace.file('results.ndjson'))).size > 0);
    }),
  );
});

/** The roles start within some hundred milliseconds, and then measure. */
async function untilMeasuring() {
  await new Promise((resolve) => setTimeout(resolve, 300));
}

/** @param {Workplace} workplace @returns {Promise<Record<string, string>>} by transport and mode */
async function outcomes(workplace) {
  const cells = (await workplace.cells()).map((cell) => cellRecord.parse(cell));
  return Object.fromEntries(
    cells.map(({transport, labels, outcome}) => [
      labels.qualifier ? `${transport} ${labels.qualifier}` : transport,
      outcome,
    ]),
  );
}

/** @param {Workplace} workplace @param {string} secret @param {...string} said */
async function assertSecret(workplace, secret, ...said) {
  for (const text of said) assert.ok(!text.includes(secret), text);
  for (const name of ['results.md', 'results.ndjson']) {
    assert.ok(!(await readFile(workplace.file(name), 'utf8')).includes(secret), name);
  }
}
